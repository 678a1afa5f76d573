#if Service
import CarillonTestSupport
import Foundation
import Testing

/// Requests that cannot be read, and the answers to them.
@Suite struct ProtocolErrorTests {
  /// A request that cannot be read, and the problem that answers it.
  private struct Case {
    let text: String
    let status: Int
    let code: String
  }

  private func cases(_ service: RunningService) -> [Case] {
    let host = "Host: 127.0.0.1:\(service.port)\r\n\(service.bearer)\r\n"
    let long = String(repeating: "x", count: 100_000)
    let many = (0..<200).map { "X-\($0): 1\r\n" }.joined()
    return [
      Case(text: "GET /\(long) HTTP/1.1\r\n\(host)\r\n", status: 414, code: "uriTooLong"),
      Case(
        text: "GET /livez HTTP/1.1\r\n\(host)X: \(long)\r\n\r\n", status: 431,
        code: "headersTooLarge"),
      Case(text: "GET /livez HTTP/1.1\r\n\(host)\(many)\r\n", status: 431, code: "headersTooLarge"),
      Case(text: "NONSENSE\r\n\r\n", status: 400, code: "malformed"),
      Case(text: "\u{16}\u{3}\u{1}\u{2}", status: 400, code: "malformed"),
      Case(text: "GET /livez HTTP/1.1\r\n\(host)A b: 1\r\n\r\n", status: 400, code: "malformed"),
      Case(
        text: "POST /v1/events HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\n12",
        status: 400, code: "malformed"),
      Case(
        text: "POST /v1/events HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n", status: 400,
        code: "malformed"),
      Case(
        text: "POST /v1/events HTTP/1.1\r\n\(host)Content-Length: 4\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", status: 400, code: "malformed"),
      Case(text: "GET /livez HTTP/2.0\r\n\(host)\r\n", status: 505, code: "unknownVersion"),
      Case(text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status: 505, code: "unknownVersion"),
    ]
  }

  @Test("A request that cannot be read is answered with a problem, and its connection ends")
  func problems() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for one in cases(service) {
      let connection = try service.connect()
      connection.send(one.text)
      let answer = try #require(await connection.answer(), "\(one.text.prefix(80))")
      #expect(answer.status == one.status, "\(one.text.prefix(80)) \(answer)")
      #expect(answer.headers["content-type"] == "application/problem+json", "\(answer)")
      #expect(answer.headers["connection"] == "close", "\(answer)")
      #expect(answer.body.contains("\"code\":\"\(one.code)\""), "\(answer)")
      #expect(await connection.line() == nil, "\(one.text.prefix(80))")
    }
    #expect(try await service.ask("GET", "/livez", []).status == 200)
  }

  @Test("Requests before one that cannot be read are answered first, none after it")
  func pipelined() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for one in cases(service) {
      let connection = try service.connect()
      let live = service.text("GET", "/livez", [])
      connection.send(live + live + one.text + live)
      for _ in 0..<2 { #expect(await connection.answer()?.status == 200) }
      #expect(await connection.answer()?.status == one.status, "\(one.text.prefix(80))")
      #expect(await connection.line() == nil)
    }
  }

  @Test("A body whose chunks are malformed is refused, and nothing of it is taken")
  func chunks() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    for chunk in ["zz\r\n", "-1\r\n", "FFFFFFFFFFFFFFFFF\r\n", "1;\r\nxx\r\n"] {
      let connection = try service.connect()
      connection.send(
        service.text("POST", "/v1/events", [service.bearer, "Transfer-Encoding: chunked"])
          .replacing("Content-Length: 0\r\n", with: "")
          + String(line.utf8.count, radix: 16) + "\r\n" + line + "\r\n" + chunk)
      let answer = try #require(await connection.answer(), "\(chunk)")
      #expect(answer.status == 400 && answer.body.contains("malformed"), "\(answer)")
      #expect(await connection.line() == nil)
    }
    #expect(try await !service.ask("GET", "/v1/events").body.contains("app.active"))
  }

  @Test("A body with a content coding is refused, and nothing of it is taken")
  func contentCoding() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    let gzip = [service.bearer, "Content-Encoding: gzip"]
    let refused = try await service.ask("POST", "/v1/events", gzip, body: line)
    #expect(refused.status == 415 && refused.body.contains("unknownCoding"), "\(refused)")
    #expect(try await !service.ask("GET", "/v1/events").body.contains("app.active"))
  }
}
#endif
