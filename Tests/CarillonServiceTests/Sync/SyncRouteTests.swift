#if Service
import Carillon
import CarillonTestSupport
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Syncs whose messages go over HTTP.
@Suite struct SyncRouteTests {
  @Test("A replica syncs over requests, one message each, and both hold the same events then")
  func sync() async throws {
    let bench = try await ServiceBench.make()
    for title in ["Walk", "Read"] { try await bench.run("habit", "add", title) }
    let id = try #require(
      try await bench.run("status", "--json").output.firstMatch(of: /"store":"([\w-]+)"/)?.output.1)
    let watch = try await Store.create(
      at: URL(filePath: bench.path("watch")), replica: "watch", role: .watch,
      storeID: try #require(StoreID(String(id))))
    try await watch.add(Habit("Tea", .daily(at: ["09:00"])))
    let service = try await bench.serve()
    let transport = try HTTPTransport(service)
    let report = try await watch.sync(over: transport)
    #expect(report.eventsSent > 0 && report.eventsReceived > 0)
    let again = try await watch.sync(over: transport)
    #expect(again.eventsSent == 0 && again.eventsReceived == 0)
    let habits = try await watch.query { try $0.habits() }
    #expect(Set(habits.map(\.title)) == ["Walk", "Read", "Tea"])
    await watch.close()
    let listed = try await bench.run("habit", "list", "--json").output
    #expect(listed.contains("Tea"), "\(listed)")
    let metrics = try await service.ask("GET", "/metrics").body
    #expect(metrics.contains("carillon_sync_bytes_total{direction=\"sent\"}"), "\(metrics)")
  }

  @Test("Any bytes get an answer, and a message over the limit is refused before it is read")
  func anyBytes() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for body in ["", "x", String(repeating: "\u{1}", count: 60_000)] {
      let answer = try await service.ask("POST", "/v1/sync", body: body)
      #expect(answer.status == 200, "\(answer)")
      #expect(answer.headers["content-type"] == "application/octet-stream")
    }
    let connection = try service.connect()
    connection.send(
      "POST /v1/sync HTTP/1.1\r\nHost: localhost:\(service.port)\r\n\(service.bearer)\r\n"
        + "Content-Length: 60001\r\n\r\n")
    let answer = try #require(await connection.answer())
    #expect(answer.status == 413 && answer.body.contains("60000"), "\(answer)")
    #expect(answer.body.contains("tooLarge"))
  }
}

/// Sends each message as the body of a request, and receives the answer.
private actor HTTPTransport: SyncTransport {
  private let address: URL
  private let token: String
  private var answers: [[UInt8]] = []

  init(_ service: RunningService) throws {
    address = try #require(URL(string: "http://127.0.0.1:\(service.port)/v1/sync"))
    token = service.token
  }

  func send(_ message: [UInt8]) async throws {
    var request = URLRequest(url: address)
    request.httpMethod = "POST"
    request.httpBody = Data(message)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (data, _) = try await URLSession.shared.data(for: request)
    answers.append(Array(data))
  }

  func receive() -> SyncArrival { answers.isEmpty ? .quiet : .message(answers.removeFirst()) }

  func close() {}
}
#endif
