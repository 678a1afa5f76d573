#if Service
import CarillonTestSupport
import Foundation
import Testing

/// Clients that send or hold too much, and what others see of it.
@Suite struct LimitTests {
  @Test("A stream beyond the limit is refused with the limit, until another one ends")
  func streams() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-streams", "2")
    var streams = [try await service.stream("/v1/events"), try await service.stream("/v1/live")]
    let fields = [service.bearer, "Accept: text/event-stream"]
    let refused = try await service.ask("GET", "/v1/events", fields)
    #expect(refused.status == 429 && refused.body.contains("2 streams"), "\(refused)")
    #expect(refused.headers["retry-after"] != nil && refused.body.contains("tooMany"))
    #expect(try await service.ask("GET", "/v1/events").status == 200)
    streams.removeLast()
    while true {
      let connection = try service.connect()
      connection.send(service.text("GET", "/v1/live", fields))
      if await connection.head()?.status == 200 { break }
    }
  }

  @Test("A connection beyond the limit is answered with the limit and closed")
  func connections() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-connections", "3")
    var held = try (0..<3).map { _ in try service.connect() }
    for connection in held {
      connection.send(service.text("GET", "/v1/live", [service.bearer]))
      #expect(await connection.head()?.status == 200)
    }
    let more = try service.connect()
    more.send(service.text("GET", "/livez", []))
    let refused = try #require(await more.answer())
    #expect(refused.status == 429 && refused.body.contains("3 connections"), "\(refused)")
    #expect(await more.line() == nil)
    held.removeLast().close()
    while try await service.ask("GET", "/livez", []).status != 200 {}
  }

  @Test("Connections on which nothing is sent are closed, and leave room for others")
  func silentConnections() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-connections", "20", "--first-request-seconds", "1")
    let silent = try (0..<200).map { _ in try service.connect() }
    while try await service.connect().answering(service.text("GET", "/livez", [])) != 200 {}
    for connection in silent { #expect(await connection.line() == nil) }
    let slow = try service.connect()
    slow.send("GET /livez HTTP/1.1\r\nHost: ")
    #expect(await slow.line() == nil)
  }

  @Test("A new connection takes the place of the oldest on which nothing was sent")
  func silentConnectionsAtTheLimit() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-connections", "20")
    let live = service.text("GET", "/livez", [])
    let used = try service.connect()
    #expect(await used.answering(live) == 200)
    let silent = try (0..<100).map { _ in try service.connect() }
    for _ in 0..<40 { #expect(try await service.connect().answering(live) == 200) }
    for connection in silent.prefix(80) { #expect(await connection.line() == nil) }
    #expect(await used.answering(live) == 200)
  }

  @Test("Connections that are kept open after an answer leave their places to others")
  func restingConnections() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-connections", "20")
    let live = service.text("GET", "/livez", [])
    var resting: [WireConnection] = []
    for _ in 0..<60 {
      resting.append(try service.connect())
      #expect(await resting[resting.count - 1].answering(live) == 200)
    }
    for connection in resting.prefix(40) { #expect(await connection.line() == nil) }
    #expect(await resting[59].answering(live) == 200)
    #expect(try await service.ask("GET", "/v1/habits").status == 200)
  }

  @Test("A list or an export beyond the limit of unread ones is refused with the limit")
  func downloads() async throws {
    let bench = try await ServiceBench.make()
    let lines = String(
      repeating: #"{"type":"app.active","date":"2026-11-23"}"# + "\n", count: 1_000)
    let service = try await bench.serve("--max-downloads", "2", "--stall-seconds", "20")
    for _ in 0..<20 {
      #expect(try await service.ask("POST", "/v1/events", body: lines).status == 201)
    }
    let unread = try (0..<2).map { number in
      let connection = try service.connect()
      connection.pauseReading(true)
      let path = number == 0 ? "/v1/events" : "/v1/export?format=events"
      connection.send(service.text("GET", path, [service.bearer]))
      return connection
    }
    // The service may not have read the two requests yet.
    while try await !service.ask("GET", "/metrics").body.contains("carillon_open_downloads 2") {}
    let refused = try await service.ask("GET", "/v1/events?limit=101")
    #expect(refused.status == 429 && refused.body.contains("2 downloads"), "\(refused)")
    #expect(try await service.ask("GET", "/v1/habits").status == 200)
    // Those that do not read are disconnected.
    while try await service.ask("GET", "/v1/events?limit=101").status != 200 {}
    unread.forEach { $0.close() }
  }

  @Test("Requests without a valid token beyond the limit are refused, those with one are not")
  func failures() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-failures", "3")
    for _ in 0..<3 { #expect(try await service.ask("GET", "/v1/habits", []).status == 401) }
    for (method, path) in [("GET", "/v1/habits"), ("POST", "/v1/join"), ("POST", "/v1/session")] {
      let answer = try await service.ask(method, path, [], body: method == "GET" ? "" : "{}")
      #expect(answer.status == 429 && answer.body.contains("3 requests a minute"), "\(answer)")
      #expect(answer.headers["retry-after"].flatMap { Int($0) }.map { 1...20 ~= $0 } == true)
    }
    #expect(try await service.ask("GET", "/v1/habits").status == 200)
  }

  @Test("A device beyond the limit of requests is refused with it, and the owner is not")
  func requests() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-requests", "1")
    let invited = try await bench.run("invite", "--role", "phone", "--json").output
    let code = try #require(invited.firstMatch(of: /#invite=([\w-]+)/)).output.1
    let joined = try await service.ask(
      "POST", "/v1/join", [], body: "{\"code\":\"\(code)\",\"name\":\"Pixel\"}")
    let credential = try #require(
      joined.body.firstMatch(of: /"credential":"([\w-]+)"/)
    ).output.1
    var answer = joined
    while answer.status != 429 {
      answer = try await service.ask(
        "GET", "/v1/session", ["Authorization: Bearer \(credential)"])
      try #require([200, 429].contains(answer.status), "\(answer)")
    }
    #expect(answer.body.contains("1 request a second of a credential"))
    for _ in 0..<20 { #expect(try await service.ask("GET", "/v1/session").status == 200) }
  }

  @Test("A client behind the proxy is limited by its own address")
  func forwarded() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve(
      "--public-address", "https://habits.example", "--max-failures", "1")
    for (address, status) in [
      ("192.0.2.1", 401), ("192.0.2.1", 429), ("198.51.100.7, 192.0.2.1", 429),
      ("192.0.2.2", 401), ("2001:db8::1", 401), ("2001:db8::2", 429), ("2001:db8:0:1::1", 401),
    ] {
      let answer = try await service.ask(
        "GET", "/v1/habits", ["Host: habits.example", "X-Forwarded-For: \(address)"])
      #expect(answer.status == status, "\(address) \(answer)")
    }
  }

  @Test("A body over the limit is refused, also one that does not say its size or never ends")
  func bodies() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-body", "65536")
    let stated = try await service.ask(
      "POST", "/v1/events", body: String(repeating: "\n", count: 65_537))
    #expect(stated.status == 413 && stated.body.contains("65536"), "\(stated)")
    let endless = try service.connect()
    endless.send(
      "POST /v1/events HTTP/1.1\r\nHost: localhost:\(service.port)\r\n\(service.bearer)\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n")
    let chunk = "4000\r\n" + String(repeating: "\n", count: 0x4000) + "\r\n"
    for _ in 0..<5 { endless.send(chunk) }
    let answer = try #require(await endless.answer())
    #expect(answer.status == 413, "\(answer)")
    #expect(await endless.line() == nil)
    #expect(try await service.ask("GET", "/livez", []).status == 200)
  }

  @Test(
    "While unfinished bodies have all bytes that are allowed, a further one is refused",
    .timeLimit(.minutes(30)))
  func unfinishedBodies() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-bodies", "65536")
    let large =
      "POST /v1/events HTTP/1.1\r\nHost: localhost:\(service.port)\r\n\(service.bearer)\r\n"
      + "Content-Length: 65536\r\n\r\n" + String(repeating: "\n", count: 65_535)
    var unfinished = try service.connect()
    unfinished.send(large)
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    var answer = try await service.ask("POST", "/v1/events", body: line)
    while answer.status != 503 {
      try #require(answer.status == 201, "\(answer)")
      // A small body that came first left no room for the large one, which was refused.
      if unfinished.hasReceived {
        unfinished = try service.connect()
        unfinished.send(large)
      }
      answer = try await service.ask("POST", "/v1/events", body: line)
    }
    #expect(answer.body.contains("65536") && answer.headers["retry-after"] == "1", "\(answer)")
    #expect(try await service.ask("GET", "/v1/habits").status == 200)
    // The last byte that is allowed.
    unfinished.send("\n")
    #expect(await unfinished.answer()?.status == 201)
    #expect(try await service.ask("POST", "/v1/events", body: line).status == 201)
    let tooLarge = try await service.ask(
      "POST", "/v1/events", body: String(repeating: "\n", count: 65_537))
    #expect(tooLarge.status == 413, "\(tooLarge)")
  }

  @Test("A client of a stream that does not read is disconnected, and the others go on")
  func stalled() async throws {
    let bench = try await ServiceBench.make()
    let note = String(repeating: "x", count: 900)
    let line = #"{"type":"note.recorded","habit":"HABIT","date":"2026-11-23","text":"\#(note)"}"#
    try await bench.run("habit", "add", "Walk")
    let habit = try #require(
      try await bench.run("habit", "list", "--json").output.firstMatch(of: /"id":"([\w-]+)"/))
    let lines = String(
      repeating: line.replacing("HABIT", with: habit.output.1) + "\n", count: 1_000)
    let service = try await bench.serve("--stall-seconds", "1")
    let connection = try service.connect()
    connection.pauseReading(true)
    connection.send(
      service.text("GET", "/v1/events", [service.bearer, "Accept: text/event-stream"]))
    let reader = try await service.stream("/v1/events")
    for _ in 0..<12 {
      #expect(try await service.ask("POST", "/v1/events", body: lines).status == 201)
    }
    var last: StreamEvent?
    while last?.id != "12002" {
      last = await reader.next()
      try #require(last != nil)
    }
    while try await !service.ask("GET", "/metrics").body
      .contains("carillon_stalled_connections_total 1\n")
    {
      try await Task.sleep(for: .milliseconds(50))
    }
    connection.pauseReading(false)
    #expect(await connection.head()?.status == 200)
    let cut = EventReader(connection)
    var position: String?
    while let event = await cut.next() { position = event.id }
    // It goes on from what it has.
    let next = try #require(position.flatMap { Int($0) }) + 1
    let resumed = try await service.stream("/v1/events", "Last-Event-ID: \(next - 1)")
    #expect(await resumed.next()?.id == "\(next)")
  }

  @Test("Requests that break the protocol are refused, and the service goes on")
  func malformed() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let host = "Host: localhost:\(service.port)\r\n\(service.bearer)\r\n"
    let flood = (0..<200).map { "X-\($0): 1\r\n" }.joined()
    for text in [
      "GET /v1/events HTTP/1.1\r\n\(host)\(flood)\r\n",
      "GET /v1/events HTTP/1.1\r\n\(host)X: \(String(repeating: "x", count: 100_000))\r\n\r\n",
      "POST /v1/events HTTP/1.1\r\n\(host)Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "0\r\n\r\n",
      "POST /v1/events HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\n12",
      "GET /v1/events HTTP/1.1\r\nHost: localhost:\(service.port)\r\n\(host)\r\n",
      "GET /v1/events HTTP/1.1\r\n\(host) folded\r\n\r\n", "\u{16}\u{3}\u{1}", "NONSENSE\r\n\r\n",
    ] {
      let connection = try service.connect()
      connection.send(text)
      // Some clients only notice the end of the connection.
      if let answer = await connection.head() {
        #expect((400..<500).contains(answer.status), "\(text.prefix(40)) \(answer)")
      }
      connection.close()
    }
    // A connection on which nothing is sent keeps nobody waiting.
    let silent = try (0..<20).map { _ in try service.connect() }
    #expect(try await service.ask("GET", "/v1/events").status == 200)
    silent.forEach { $0.close() }
  }
}
#endif
