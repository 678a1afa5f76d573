#if Service
import Foundation
import Testing

/// The log as lines and as a stream.
@Suite struct EventListTests {
  @Test("Events are listed as the command line lists them, after a position and up to a limit")
  func lines() async throws {
    let bench = try await ServiceBench.make()
    for title in ["Walk", "Read", "Tea"] { try await bench.run("habit", "add", title) }
    let service = try await bench.serve()
    let listed = try await bench.run("log", "--json").output
    let all = try await service.ask("GET", "/v1/events")
    #expect(all.headers["content-type"] == "application/x-ndjson" && all.body == listed)
    let lines = listed.split(separator: "\n")
    let some = try await service.ask("GET", "/v1/events?after=1&limit=2")
    #expect(some.body == lines[1...2].map { $0 + "\n" }.joined())
    #expect(try await service.ask("GET", "/v1/events?after=1000").body.isEmpty)
    for (query, status, text) in [
      ("after=x", 422, "after"), ("limit=0", 422, "1 to"), ("limit=1&limit=2", 400, "2 times"),
      ("befor=1", 400, "befor"),
    ] {
      let answer = try await service.ask("GET", "/v1/events?\(query)")
      #expect(answer.status == status && answer.body.contains(text), "\(query) \(answer)")
    }
    for (position, status, text) in [
      ("1000", 422, "the last event"), ("+1", 422, "Last-Event-ID"), ("-1", 422, "0 or more"),
    ] {
      let answer = try await service.ask(
        "GET", "/v1/events",
        [service.bearer, "Accept: text/event-stream", "Last-Event-ID: \(position)"])
      #expect(answer.status == status && answer.body.contains(text), "\(position) \(answer)")
    }
    let put = try await service.ask("PUT", "/v1/events")
    #expect(put.status == 405 && put.headers["allow"] == "GET, HEAD, POST", "\(put)")
    let other = try await service.ask("GET", "/v1/events", [service.bearer, "Accept: text/html"])
    #expect(other.status == 406 && other.body.contains("notAcceptable"), "\(other)")
  }

  @Test("A stream has the history and then each new event, without a gap and without a repeat")
  func stream() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let whole = try await service.stream("/v1/events")
    // Writers in this process and in another one, while the stream is read.
    let writing = Task {
      for _ in 0..<20 {
        let line = #"{"type":"app.active","date":"2026-11-23"}"# + "\n"
        _ = try await service.ask("POST", "/v1/events", body: line + line)
      }
    }
    let others = Task { for index in 0..<5 { try await bench.run("habit", "add", "H\(index)") } }
    try await writing.value
    try await others.value
    let lines = try await service.ask("GET", "/v1/events").body.split(separator: "\n")
    var seen: [StreamEvent] = []
    while seen.count < lines.count { seen.append(try #require(await whole.next())) }
    #expect(seen.map(\.id) == (1...lines.count).map { "\($0)" })
    #expect(seen.map(\.data) == lines.map(String.init))
    let resumed = try await service.stream("/v1/events?after=1", "Last-Event-ID: 7")
    #expect(await resumed.next()?.id == "8")
  }

  @Test("A stream without news has signs of life")
  func heartbeat() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--heartbeat-seconds", "1")
    let stream = try await service.stream("/v1/events?after=1")
    let waiting = Task { [stream = UncheckedReader(stream)] in
      await stream.reader.next()
    }
    try await Task.sleep(for: .milliseconds(2_500))
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    _ = try await service.ask("POST", "/v1/events", body: line)
    #expect(await waiting.value?.id == "2")
    // The first is sent when the stream opens.
    #expect(stream.commentCount >= 2)
  }
}

/// A reader that is handed to a task.
// The test does not use the reader while the task does: it waits for the task's value first,
// and reads the count of comments only then. So no two threads
// use it at the same time.
private struct UncheckedReader: @unchecked Sendable {
  let reader: EventReader

  init(_ reader: EventReader) {
    self.reader = reader
  }
}
#endif
