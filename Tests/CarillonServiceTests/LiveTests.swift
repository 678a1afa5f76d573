#if Service
import Foundation
import Testing

/// The live stream of documents.
@Suite struct LiveTests {
  @Test("The documents come at once, and each again when it has news")
  func news() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let live = try await service.stream("/v1/live")
    var first: [StreamEvent] = []
    for _ in 0..<3 { first.append(try #require(await live.next())) }
    #expect(first.map(\.name) == ["pending", "habits", "status"])
    #expect(first.allSatisfy { $0.id == "1" })
    #expect(first[1].data == #"{"habits":[]}"#)
    // What the command line writes appears without another request.
    try await bench.run("habit", "add", "Walk", "--at", "17:00")
    var names: Set<String> = []
    while names.count < 3 {
      let event = try #require(await live.next())
      if event.data.contains("Walk") || event.name == "status" { names.insert(event.name) }
      #expect(event.id.flatMap { Int($0) } ?? 0 > 1)
    }
    #expect(names == ["pending", "habits", "status"])
  }

  @Test("Every stream has the progress of a rebuild, and its end", .timeLimit(.minutes(5)))
  func rebuild() async throws {
    let bench = try await ServiceBench.make()
    let lines = [String](repeating: #"{"type":"app.active","date":"2026-11-23"}"#, count: 20_000)
    try #require(try await bench.run("append", input: lines.joined(separator: "\n")).status == 0)
    let service = try await bench.serve()
    let streams = [try await service.stream("/v1/live"), try await service.stream("/v1/live")]
    // A rebuild may be over before a stream looks. The last one has its answer, too.
    let rebuilding = Task {
      while !Task.isCancelled {
        _ = try await Task { try await service.ask("POST", "/v1/rebuild") }.value
      }
    }
    for stream in streams {
      var data: [String] = []
      while data.last != #"{"done":null,"total":null}"# {
        let event = try #require(await stream.next())
        if event.name == "rebuild" { data.append(event.data) }
      }
      #expect(data.count > 1 && data[0].contains(#""total":20001"#), "\(data)")
    }
    rebuilding.cancel()
    try await rebuilding.value
  }

  @Test("Many streams see the same news")
  func manyStreams() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    var streams: [EventReader] = []
    for _ in 0..<50 {
      let stream = try await service.stream("/v1/live")
      for _ in 0..<3 { _ = await stream.next() }
      streams.append(stream)
    }
    try await bench.run("habit", "add", "Walk")
    for stream in streams {
      while let event = await stream.next(), !event.data.contains("Walk") {}
    }
    let metrics = try await service.ask("GET", "/metrics").body
    #expect(metrics.contains("carillon_open_streams 50.0\n"), "\(metrics)")
    streams = []
    while try await !service.ask("GET", "/metrics").body.contains("carillon_open_streams 0.0\n") {
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
#endif
