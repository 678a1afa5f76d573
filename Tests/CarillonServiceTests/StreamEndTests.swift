#if Service
import Foundation
import Testing

/// How streams end, and what becomes of their connections.
@Suite struct StreamEndTests {
  private func revocable(
    _ bench: ServiceBench, _ service: RunningService
  ) async throws -> (fields: [String], id: String) {
    let link = try await bench.invite("phone")
    let code = try #require(link.firstMatch(of: /#invite=([\w-]+)/)).output.1
    let joined = try await service.ask(
      "POST", "/v1/join", [], body: "{\"code\":\"\(code)\",\"name\":\"Pixel\"}")
    let credential = try #require(joined.body.firstMatch(of: /"credential":"([\w-]+)"/))
    let id = try #require(joined.body.firstMatch(of: /"device":"([0-9a-f]+)"/))
    return (["Authorization: Bearer \(credential.output.1)"], String(id.output.1))
  }

  @Test(
    "A stream of a device that is revoked ends with its connection; the others go on",
    arguments: ["/v1/events", "/v1/live", "/v1/sync"])
  func revoked(path: String) async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--heartbeat-seconds", "1")
    let device = try await revocable(bench, service)
    let stream = try await service.stream(path, as: device.fields)
    let own = try await service.stream("/v1/events")
    #expect(await stream.next() != nil)
    let revoked = try await service.ask("DELETE", "/v1/access/\(device.id)")
    #expect(revoked.status == 200, "\(revoked)")
    while await stream.next() != nil {}
    try await bench.add("Walk")
    while let event = await own.next(), !event.data.contains("habit.created") {}
    #expect(try await service.ask("GET", "/v1/session", device.fields).status == 401)
  }

  @Test(
    "No event that is added a second after a device was revoked reaches its open stream",
    arguments: ["/v1/events", "/v1/live", "/v1/sync"])
  func revokedBetweenSigns(path: String) async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--heartbeat-seconds", "20")
    let device = try await revocable(bench, service)
    let stream = try await service.stream(path, as: device.fields)
    let own = try await service.stream(path)
    #expect(await stream.next() != nil)
    #expect(try await service.ask("DELETE", "/v1/access/\(device.id)").status == 200)
    try await Task.sleep(for: .seconds(1))
    try await bench.add("Walk")
    var events: [StreamEvent] = []
    while let event = await stream.next() { events.append(event) }
    #expect(!events.contains { $0.data.contains("Walk") }, "\(events)")
    // The stream of the news has one document for each change.
    #expect(path != "/v1/sync" || events.isEmpty, "\(events)")
    while path != "/v1/sync", let event = await own.next(), !event.data.contains("Walk") {}
  }

  @Test(
    "News delay neither the next sign of life nor the end of a revoked stream",
    arguments: ["/v1/events", "/v1/live", "/v1/sync"])
  func signsAfterNews(path: String) async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--heartbeat-seconds", "4")
    let device = try await revocable(bench, service)
    let own = try await service.stream(path)
    let stream = try await service.stream(path, as: device.fields)
    #expect(await stream.next() != nil)
    try await bench.add("Walk")
    while let event = await stream.next(), path != "/v1/sync", !event.data.contains("Walk") {}
    let start = ContinuousClock.now
    #expect(try await service.ask("DELETE", "/v1/access/\(device.id)").status == 200)
    while await stream.next() != nil {}
    #expect(start.duration(to: .now) < .seconds(4.5))
    try await bench.add("Tea")
    var count = 0
    while let event = await own.next() {
      count += 1
      // The stream of the news has one document for each change, and one at the start.
      if path == "/v1/sync" ? count == 3 : event.data.contains("Tea") { break }
    }
    // The first is sent when the stream opens.
    #expect(own.commentCount >= 2)
  }

  @Test("Nothing is answered after a stream: what was sent meanwhile is not taken for later")
  func pipelined() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let connection = try service.connect()
    let live = service.text("GET", "/livez", [])
    connection.send(service.text("GET", "/v1/live", [service.bearer]) + live + live + live)
    let head = try #require(await connection.head())
    #expect(head.status == 200 && head.headers["connection"] == "close", "\(head)")
    service.program.signal(SIGTERM)
    while let line = await connection.line() { #expect(!line.contains("HTTP/1.1"), "\(line)") }
  }

  @Test("A request for a stream that has a body is refused, and holds no place")
  func bodies() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-streams", "2")
    for path in ["/v1/events", "/v1/live", "/v1/sync"] {
      for field in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
        let connection = try service.connect()
        connection.send(
          service.text("GET", path, [service.bearer, "Accept: text/event-stream", field])
            + (field.contains("chunked") ? String(repeating: "5\r\nhello\r\n", count: 99) : ""))
        let answer = try #require(await connection.answer(), "\(path) \(field)")
        #expect(answer.status == 413, "\(path) \(field) \(answer)")
        #expect(await connection.line() == nil)
      }
    }
    _ = [try await service.stream("/v1/events"), try await service.stream("/v1/live")]
  }
}
#endif
