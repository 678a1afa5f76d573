#if Service
import Carillon
import Foundation
import Testing

@testable import CarillonService

/// Batches of events that clients append.
@Suite struct EventBatchTests {
  private static let active = #"{"type":"app.active","date":"2026-11-23"}"# + "\n"

  @Test("A batch is appended as a whole, and answered as the command line answers")
  func batch() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let answer = try await service.ask("POST", "/v1/events", body: Self.active + "\n" + Self.active)
    #expect(answer.status == 201, "\(answer)")
    #expect(answer.body.hasPrefix(#"{"appended":2,"first":{"position":2,"sequence":2,"id":""#))
    let last = try await bench.run("log", "--last", "1", "--json").output
    let id = try #require(last.firstMatch(of: /"id":"(\w+)"/)?.output.1)
    #expect(answer.body.contains(id), "\(answer) \(last)")
    let empty = try await service.ask("POST", "/v1/events")
    #expect(empty.body == #"{"appended":0,"first":null,"last":null}"# + "\n", "\(empty)")
  }

  @Test("A batch with a wrong line is refused with the number of the line, and nothing is appended")
  func refused() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let cases: [(String, Int, String)] = [
      ("{", 400, "line 2"), (#"{"type":"no.such"}"#, 422, "line 2"),
      (#"{"type":"app.active"}"#, 422, "line 2"), ("[]", 400, "line 2"),
    ]
    for (line, status, text) in cases {
      let answer = try await service.ask(
        "POST", "/v1/events", [service.bearer, "Idempotency-Key: k"],
        body: Self.active + line + "\n")
      #expect(answer.status == status, "\(line) \(answer)")
      #expect(answer.body.contains(text), "\(line) \(answer)")
    }
    let blank = String(repeating: "\n", count: 1 << 20)
    let late = try await service.ask("POST", "/v1/events", body: blank + "{")
    #expect(late.status == 400 && late.body.contains("line \(1 << 20 + 1)"), "\(late)")
    let many = String(repeating: Self.active, count: 1_001)
    let answer = try await service.ask("POST", "/v1/events", body: many)
    #expect(answer.status == 413 && answer.body.contains("1000"), "\(answer)")
    #expect(try await bench.run("log", "--json").output.split(separator: "\n").count == 1)
  }

  @Test("A repeat with the same key gets the first answer, also after a restart")
  func repeated() async throws {
    let bench = try await ServiceBench.make()
    var service = try await bench.serve()
    let fields = ["Idempotency-Key: 8e03978e-40d5-43dd-bc93-6894a57f9324"]
    let first = try await service.ask(
      "POST", "/v1/events", [service.bearer] + fields, body: Self.active)
    #expect(first.status == 201 && first.headers["idempotency-replayed"] == nil, "\(first)")
    for signal in [0, SIGKILL, SIGTERM] {
      if signal != 0 {
        try await service.stop(signal)
        service = try await bench.serve()
      }
      let again = try await service.ask(
        "POST", "/v1/events", [service.bearer] + fields, body: Self.active)
      #expect(again.status == 201 && again.body == first.body, "\(again)")
      #expect(again.headers["idempotency-replayed"] == "true")
    }
    let other = try await service.ask(
      "POST", "/v1/events", [service.bearer] + fields, body: Self.active + Self.active)
    #expect(other.status == 422 && other.body.contains("another body"), "\(other)")
    #expect(try await bench.run("log", "--json").output.split(separator: "\n").count == 2)
  }

  @Test(
    "A key that is not 1 to 255 printable ASCII characters without spaces is refused",
    arguments: ["", "two words", "Schlüssel", String(repeating: "k", count: 256)])
  func badKey(key: String) async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let answer = try await service.ask(
      "POST", "/v1/events", [service.bearer, "Idempotency-Key: \(key)"], body: Self.active)
    #expect(answer.status == 400 && answer.body.contains("1 to 255"), "\(answer)")
    #expect(try await bench.run("log", "--json").output.split(separator: "\n").count == 1)
  }

  @Test("A key is kept for a day")
  func expiry() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for key in ["old", "new"] {
      _ = try await service.ask(
        "POST", "/v1/events", [service.bearer, "Idempotency-Key: \(key)"], body: Self.active)
    }
    try await service.stop()
    let directory = URL(filePath: bench.path("phone/service/batches"))
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.count == 2)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -86_500)],
      ofItemAtPath: directory.appending(path: names[0]).path)
    let store = try await Store.open(at: URL(filePath: bench.path("phone")))
    try AppendedBatches(of: store).removeExpired()
    await store.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path) == [names[1]])
  }

  @Test("Two processes that get the same keys at once append each batch once")
  func race() async throws {
    let bench = try await ServiceBench.make()
    let services = [try await bench.serve(), try await bench.serve()]
    let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for index in 0..<60 {
        group.addTask {
          let service = services[index % 2]
          let key = index / 6
          let answer = try await service.ask(
            "POST", "/v1/events", [service.bearer, "Idempotency-Key: key-\(key)"],
            body: Self.active)
          #expect(answer.status == 201, "\(answer)")
          return (key, answer.body)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0, default: Set()].insert($1.1) }
    }
    #expect(answers.count == 10 && answers.values.allSatisfy { $0.count == 1 }, "\(answers)")
    #expect(try await bench.run("log", "--json").output.split(separator: "\n").count == 11)
  }

  @Test("Batches that clients repeat while the service is killed are appended exactly once")
  func kills() async throws {
    let bench = try await ServiceBench.make()
    var service = try await bench.serve()
    let port = service.port
    for round in 0..<5 {
      let (current, token) = (service, service.token)
      let clients = Task {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for client in 0..<4 {
            group.addTask {
              for batch in 0..<10 {
                try await Self.append(
                  key: "\(round)-\(client)-\(batch)", port: port, token: token)
              }
            }
          }
          try await group.waitForAll()
        }
      }
      try await Task.sleep(for: .milliseconds(20 + 15 * round))
      try await current.stop(SIGKILL)
      service = try await bench.serve("--listen", "127.0.0.1:\(port)")
      try await clients.value
    }
    let lines = try await service.ask("GET", "/v1/events").body.split(separator: "\n")
    #expect(lines.count == 1 + 5 * 4 * 10)
  }

  /// Sends a batch until it is answered.
  private static func append(key: String, port: Int, token: String) async throws {
    while true {
      if let connection = try? WireConnection(port: port) {
        connection.send(
          "POST /v1/events HTTP/1.1\r\nHost: localhost:\(port)\r\nIdempotency-Key: \(key)\r\n"
            + "Authorization: Bearer \(token)\r\nContent-Length: \(active.utf8.count)\r\n\r\n"
            + active)
        if let answer = await connection.answer(), answer.status == 201 { return }
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
#endif
