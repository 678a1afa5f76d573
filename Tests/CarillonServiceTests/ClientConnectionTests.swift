#if Service
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import CarillonService

/// The work for clients that go before it is done.
@Suite struct ClientConnectionTests {
  @Test("When the client goes, what it waits for is cancelled, also what begins later")
  func end() async throws {
    let client = ClientConnection()
    #expect(try await client.whileConnected { 1 } == 1)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await client.whileConnected {
        start.finish()
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    for await _ in started {}
    client.end()
    let problem = await #expect(throws: Problem.self) { try await task.value }
    #expect(problem?.code == "cancelled")
    await #expect(throws: Problem.self) {
      try await client.whileConnected { try await Task.sleep(for: .seconds(3_600)) }
    }
  }

  @Test(
    "A request that is read after the end of its connection has no client",
    .timeLimit(.minutes(30)))
  func requestAfterEnd() async throws {
    let router = Router(context: ServiceContext.self)
    let channels = Mutex<[any Channel]>([])
    router.get("/") { _, context in
      channels.withLock { $0.append(context.channel) }
      return try await context.channel.client == nil ? "none" : "there"
    }
    let application = Application(
      router: router,
      server: .http1(configuration: .init(additionalChannelHandlers: [ClientConnection()])))
    try await application.test(.live) { client in
      let connection = try WireConnection(port: #require(client.port))
      connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(await connection.answer()?.body == "there")
      connection.close()
      let held = channels.withLock { $0 }
      let channel = try #require(held.first)
      try await channel.closeFuture.get()
      let problem = await #expect(throws: Problem.self) { _ = try await channel.client }
      #expect(problem?.code == "cancelled")
    }
  }

  @Test("The reads of clients that went are not all computed, and the others are")
  func reads() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-reads", "2")
    let schedule = #"{"rule":{"weekly":["mon","tue","wed","thu","fri"]},"times":["08:00","18:00"]}"#
    for number in 0..<60 {
      let body = #"{"title":"Habit \#(number)","schedules":[\#(schedule)]}"#
      #expect(try await service.ask("POST", "/v1/habits", body: body).status == 201)
    }
    let path = "/v1/upcoming?days=92"
    for _ in 0..<40 {
      let connection = try service.connect()
      connection.send(service.text("GET", path, [service.bearer]))
      connection.close()
    }
    // It waits for its turn behind those that went.
    #expect(try await service.ask("GET", path).status == 200)
    let numbers = try await service.ask("GET", "/metrics").body
    let answered = try #require(
      numbers.firstMatch(
        of: /carillon_request_seconds_count\{route="\/v1\/upcoming"[^}]*status="200"\} (\d+)/),
      "\(numbers)"
    ).output.1
    let count = try #require(Int(answered))
    #expect(count < 41)
  }
}
#endif
