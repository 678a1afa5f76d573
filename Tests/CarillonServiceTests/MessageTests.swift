#if Service
import CarillonTestSupport
import Foundation
import Testing

/// What HTTP requires of a service, whatever the route.
@Suite struct MessageTests {
  @Test("HEAD answers like GET without the body, and the connection goes on")
  func head() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let connection = try service.connect()
    for path in [
      "/", "/livez", "/readyz", "/metrics", "/openapi.json", "/v1/habits", "/v1/pending",
      "/v1/events", "/v1/status", "/v1/export", "/v1/upcoming", "/v1/absent",
    ] {
      connection.send(service.text("HEAD", path, [service.bearer]))
      let head = try #require(await connection.head(), "\(path)")
      #expect(head.status == (path == "/v1/absent" ? 404 : 200), "\(path) \(head)")
      connection.send(service.text("GET", path, [service.bearer]))
      let answer = try #require(await connection.answer(), "\(path)")
      #expect(answer.status == head.status, "\(path)")
      #expect(answer.headers["content-type"] == head.headers["content-type"], "\(path)")
      if let length = head.headers["content-length"] {
        #expect(answer.headers["content-length"] == length || path == "/metrics", "\(path)")
      }
    }
  }

  @Test("HEAD of a stream ends at once")
  func headOfStream() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let connection = try service.connect()
    let fields = [service.bearer, "Accept: text/event-stream"]
    for _ in 0..<3 {
      connection.send(service.text("HEAD", "/v1/events", fields))
      #expect(await connection.head()?.headers["content-type"] == "text/event-stream")
    }
    connection.send(service.text("GET", "/livez", []))
    #expect(await connection.answer()?.body == "{\"live\":true}\n")
  }

  @Test("A client that expects 100 is asked for the body, in turn")
  func expectsContinue() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let connection = try service.connect()
    let body = #"{"title":"Walk"}"#
    connection.send(
      service.text("GET", "/livez", [])
        + "POST /v1/habits HTTP/1.1\r\nHost: localhost:\(service.port)\r\n\(service.bearer)\r\n"
        + "Expect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
    #expect(await connection.answer()?.status == 200)
    #expect(await connection.head()?.status == 100)
    connection.send(body)
    #expect(await connection.answer()?.status == 201)
  }

  @Test("A client of HTTP/1.0 gets no chunks, and the answer ends with the connection")
  func old() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for path in ["/v1/events", "/livez"] {
      let connection = try service.connect()
      connection.send(
        "GET \(path) HTTP/1.0\r\nHost: localhost:\(service.port)\r\n\(service.bearer)\r\n\r\n")
      let head = try #require(await connection.head())
      #expect(head.status == 200 && head.headers["transfer-encoding"] == nil, "\(head)")
      #expect(head.headers["connection"] == "close", "\(head)")
      #expect(await connection.line()?.hasPrefix("{") == true)
      #expect(await connection.line() == nil)
    }
    let kept = try service.connect()
    for _ in 0..<2 {
      kept.send(
        "GET /livez HTTP/1.0\r\nHost: localhost:\(service.port)\r\nConnection: keep-alive\r\n\r\n")
      #expect(await kept.answer()?.headers["connection"] == "keep-alive")
    }
  }

  @Test("Another method of a path is refused with those that it has, an unknown one with 501")
  func methods() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for method in ["PUT", "OPTIONS", "TRACE"] {
      let answer = try await service.ask(method, "/v1/habits")
      #expect(answer.status == 405, "\(method) \(answer)")
      #expect(answer.headers["allow"] == "GET, HEAD, POST", "\(method) \(answer)")
    }
    let unknown = try await service.ask("PROPFIND", "/v1/habits")
    #expect(unknown.status == 501 && unknown.body.contains("unknownMethod"), "\(unknown)")
  }

  @Test("A body that is no JSON, nested deeply, doubled or of huge numbers is refused")
  func bodies() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let deep = String(repeating: "[", count: 100_000)
    let bodies = [
      "", "{", "[]", "null", "\u{0}", #"{"title":"a","title":"b"}"#, "{\"title\":\(deep)",
      #"{"title":"a","target":1e999}"#, #"{"title":"a","target":123456789012345678901234567890}"#,
      #"{"title":"\ud800"}"#, "{\"title\":\"a\u{1}\"}", #"{"title":{"a":{}}}"#,
      #"{"title":"a","schedules":[{"rule":{"weekly":["mon"]},"times":["25:00"]}]}"#,
    ]
    for body in bodies {
      let answer = try await service.ask("POST", "/v1/habits", body: body)
      #expect([400, 422].contains(answer.status), "\(body.prefix(60)) \(answer)")
    }
    #expect(try await service.ask("GET", "/v1/habits").body.contains("\"habits\":[]"))
  }
}
#endif
