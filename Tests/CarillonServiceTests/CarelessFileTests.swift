#if Service
import Foundation
import Testing

/// Files of a running service that others can read, or that are damaged.
@Suite struct CarelessFileTests {
  private static let active = #"{"type":"app.active","date":"2026-11-23"}"# + "\n"

  @Test("While others can read the token or change its directory, it is refused")
  func exposedToken() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for (name, open, closed) in [
      ("phone/service/token", 0o644, 0o600), ("phone/service", 0o777, 0o700),
    ] as [(String, mode_t, mode_t)] {
      chmod(bench.path(name), open)
      #expect(try await service.ask("GET", "/v1/session").status == 401, "\(name)")
      #expect(try await service.ask("POST", "/v1/session").status == 401, "\(name)")
      #expect(try await service.ask("GET", "/livez", []).status == 200)
      chmod(bench.path(name), closed)
      #expect(try await service.ask("GET", "/v1/session").status == 200, "\(name)")
    }
    try FileManager.default.moveItem(
      atPath: bench.path("phone/service"), toPath: bench.path("elsewhere"))
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("phone/service"), withDestinationPath: bench.path("elsewhere"))
    #expect(try await service.ask("GET", "/v1/session").status == 401)
  }

  @Test("While the store is away, a right credential is asked to wait, and the health says why")
  func storeAway() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let code = try #require(try await bench.invite("phone").firstMatch(of: /invite=([\w-]+)/))
    let joined = try await service.ask(
      "POST", "/v1/join", [], body: #"{"code":"\#(code.output.1)","name":"tablet"}"#)
    let credential = try #require(
      joined.body.firstMatch(of: /"credential":"([\w-]+)"/), "\(joined)")
    let fields = [service.bearer, "Authorization: Bearer \(credential.output.1)"]
    rename(bench.path("phone"), bench.path("elsewhere"))
    for field in fields {
      let refused = try await service.ask("GET", "/v1/session", [field])
      #expect(refused.status == 503 && refused.body.contains(#""code":"busy""#), "\(refused)")
      #expect(refused.headers["retry-after"] != nil, "\(refused)")
      #expect(refused.body.contains("the store is no longer at its path"), "\(refused)")
      #expect(refused.body.contains("put it back there"), "\(refused)")
    }
    #expect(try await service.ask("GET", "/v1/session", []).status == 401)
    let health = try await service.ask("GET", "/readyz")
    #expect(health.status == 503, "\(health)")
    #expect(health.body.contains(#"{"name":"map","ok":false,"#), "\(health)")
    rename(bench.path("elsewhere"), bench.path("phone"))
    for field in fields {
      #expect(try await service.ask("GET", "/v1/session", [field]).status == 200)
    }
  }

  @Test("A service answers nothing from a store in whose place another one is, and logs why once")
  func storeReplaced() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let stream = try await service.stream("/v1/events")
    let script = "cp -a phone restored; mv phone elsewhere; mv restored phone"
    let replaced = try await Shell.run(script, in: bench)
    try #require(replaced.status == 0, "\(replaced)")
    while await stream.next() != nil {}
    let line = #"{"type":"app.active","date":"2026-11-23"}"#
    let (any, follows) = ("Accept: */*", "Accept: text/event-stream")
    for (method, path, accept, body) in [
      ("POST", "/v1/events", any, line), ("GET", "/v1/habits", any, ""),
      ("GET", "/v1/status", any, ""), ("GET", "/v1/pending", any, ""),
      ("GET", "/v1/events", any, ""), ("GET", "/v1/events", follows, ""),
      ("GET", "/v1/live", follows, ""), ("GET", "/v1/sync", any, ""),
      ("GET", "/v1/sync", follows, ""),
    ] {
      let refused = try await service.ask(
        method, path, [service.bearer, accept], body: body)
      #expect(refused.status == 500, "\(path) \(refused)")
      #expect(refused.body.contains("was removed or replaced"), "\(path) \(refused)")
    }
    let health = try await service.ask("GET", "/readyz")
    #expect(health.body.contains("the store's files were removed or replaced"), "\(health)")
    try await service.program.reports("was removed or replaced")
    let errors = service.program.errors
    let logged = errors.matches(of: /"message":"([^"]*phone[^"]* was removed or replaced)/)
    #expect(!logged.isEmpty && Set(logged.map(\.output.1)).count == logged.count, "\(errors)")
    #expect(!errors.contains("request failed"), "\(errors)")
  }

  @Test("While the store is away, an invitation is not used up")
  func joinAway() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let code = try #require(try await bench.invite("phone").firstMatch(of: /invite=([\w-]+)/))
    let asked = #"{"code":"\#(code.output.1)""#
    let routes = [
      ("/v1/join/check", asked + "}", 200), ("/v1/join", asked + #","name":"tablet"}"#, 201),
    ]
    rename(bench.path("phone"), bench.path("elsewhere"))
    for (route, body, _) in routes {
      let refused = try await service.ask("POST", route, [], body: body)
      #expect(refused.status == 503 && refused.body.contains(#""code":"busy""#), "\(refused)")
      #expect(refused.headers["content-type"] == "application/problem+json", "\(refused)")
      #expect(refused.headers["retry-after"] != nil, "\(refused)")
    }
    rename(bench.path("elsewhere"), bench.path("phone"))
    for (route, body, status) in routes {
      let answer = try await service.ask("POST", route, [], body: body)
      #expect(answer.status == status, "\(answer)")
    }
  }

  @Test("A kept answer that is damaged or that others can change is an error of the service")
  func damagedBatch() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let fields = [service.bearer, "Idempotency-Key: k"]
    #expect(try await service.ask("POST", "/v1/events", fields, body: Self.active).status == 201)
    let folder = bench.path("phone/service/batches")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let file = folder + "/" + name
    let whole = try Data(contentsOf: URL(filePath: file))
    for (content, mode) in [
      (Data("{".utf8), 0o600), (Data("{}".utf8), 0o600), (Data(), 0o600), (whole, 0o666),
    ] as [(Data, mode_t)] {
      try content.write(to: URL(filePath: file))
      chmod(file, mode)
      let answer = try await service.ask("POST", "/v1/events", fields, body: Self.active)
      #expect(answer.status == 500 && answer.body.contains(#""code":"corrupt""#), "\(answer)")
      #expect(!answer.body.contains(name) && !answer.body.contains("service/"), "\(answer)")
    }
  }
}
#endif
