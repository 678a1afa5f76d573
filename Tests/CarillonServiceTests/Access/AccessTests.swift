#if Service
import Foundation
import Testing

/// Who is answered, and who is not.
@Suite struct AccessTests {
  @Test("Without the token, or with another one, nothing but the sign of life is answered")
  func token() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    #expect(try await service.ask("GET", "/livez", []).status == 200)
    let wrong = String(service.token.reversed())
    for path in ["/v1/events", "/v1/live", "/v1/sync", "/v1/rebuild", "/readyz", "/metrics"] {
      let method = ["/v1/sync", "/v1/rebuild"].contains(path) ? "POST" : "GET"
      for fields in [
        [], ["Authorization: Bearer \(wrong)"], ["Authorization: Bearer"],
        ["Authorization: Basic \(service.token)"],
        ["Authorization: Bearer \(service.token.dropLast())"],
      ] {
        let answer = try await service.ask(method, path, fields)
        #expect(answer.status == 401, "\(path) \(fields) \(answer)")
        #expect(answer.body.contains("\"code\":\"unauthorized\""))
        #expect(answer.headers["www-authenticate"] == "Bearer")
      }
    }
    #expect(try await service.ask("GET", "/readyz").status == 200)
  }

  @Test("Only the owner can read the token, and each start and each process has the same one")
  func tokenFile() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let (folder, file) = (bench.path("phone/service"), bench.path("phone/service/token"))
    let modes = try [folder, file].map {
      try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
    }
    #expect(modes == [0o700, 0o600])
    #expect(try String(contentsOfFile: file, encoding: .utf8) == service.token)
    // Several processes that start at once agree.
    try await service.stop(SIGKILL)
    try FileManager.default.removeItem(atPath: folder)
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 { group.addTask { try await bench.serve().token } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens.count == 1 && !tokens.contains(service.token))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["running", "token"])
    for (mode, text, said) in [
      (0o644, service.token, "can be read by other users"), (0o600, "short", "has no token"),
    ] {
      try bench.write(text, to: "phone/service/token")
      chmod(file, mode_t(mode))
      let ended = try await bench.failing("--listen", "127.0.0.1:0")
      #expect(ended.status == 65 && ended.errors.contains(said), "\(ended)")
    }
  }

  @Test("A request to another host is refused, whatever its token is")
  func hosts() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--names", "home.example, Other.Example")
    let port = service.port
    for host in [
      "localhost:\(port)", "[::1]:\(port)", "LOCALHOST:\(port)", "home.example:\(port)",
      "other.example:\(port)",
    ] {
      let answer = try await service.ask("GET", "/v1/events", [service.bearer, "Host: \(host)"])
      #expect(answer.status == 200, "\(host) \(answer)")
    }
    for host in [
      "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:\(port + 1)",
      "127.0.0.1:\(port).evil.example", "127.0.0.1:\(port)@evil.example", "",
      "127.0.0.1:+\(port)", "127.0.0.1:0\(port)x", "127.0.0.1:", "127.0.0.1:\u{661}",
    ] {
      for path in ["/v1/events", "/livez", "/nothing"] {
        let answer = try await service.ask("GET", path, [service.bearer, "Host: \(host)"])
        #expect([400, 403].contains(answer.status), "\(host) \(path) \(answer)")
        #expect(!answer.body.contains("live"))
      }
    }
  }

  @Test("The header Host decides for absolute targets too, and other targets are refused")
  func absoluteTargets() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let own = "127.0.0.1:\(service.port)"
    for (target, host, isAnswered) in [
      ("http://\(own)/v1/events", own, true), ("http://\(own)/v1/events", "evil.example", false),
      ("http://evil.example/v1/events", "evil.example", false), ("v1/events", own, false),
      ("*", own, false),
    ] {
      let answer = try await service.ask("GET", target, [service.bearer, "Host: \(host)"])
      #expect((answer.status == 200) == isAnswered, "\(target) \(host) \(answer)")
      #expect(isAnswered || [400, 403, 404].contains(answer.status), "\(answer)")
    }
  }

  @Test("Behind a TLS proxy, its address is accepted, and cookies are only for TLS")
  func proxied() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--public-address", "https://Habits.Example")
    for (host, status, isSecure) in [
      ("habits.example", 204, true), ("habits.example:443", 204, true),
      ("127.0.0.1:\(service.port)", 204, false), ("habits.example:80", 403, false),
    ] {
      let scheme = isSecure ? "https" : "http"
      let answer = try await service.ask(
        "POST", "/v1/session", [service.bearer, "Host: \(host)", "Origin: \(scheme)://\(host)"])
      #expect(answer.status == status, "\(host) \(answer)")
      #expect((answer.headers["set-cookie"]?.contains("; Secure") ?? false) == isSecure)
    }
    let invited = try await bench.run("invite", "--role", "phone", "--json")
    #expect(invited.output.contains("\"https://habits.example/#invite="), "\(invited)")
    #expect(invited.output.contains("&key=public\""))
  }

  @Test("A request that the page of another site makes is refused")
  func origins() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let own = "http://127.0.0.1:\(service.port)"
    for (fields, isAllowed) in [
      (["Origin: \(own)"], true), (["Sec-Fetch-Site: same-origin"], true),
      (["Sec-Fetch-Site: none"], true), (["Origin: http://evil.example"], false),
      (["Origin: null"], false), (["Origin: https://127.0.0.1:\(service.port)"], false),
      (["Origin: http://127.0.0.1:\(service.port + 1)"], false),
      (["Origin: http://localhost:\(service.port)"], false),
      (["Sec-Fetch-Site: cross-site"], false), (["Sec-Fetch-Site: same-site"], false),
      (["Origin: \(own)", "Origin: http://evil.example"], false),
    ] {
      let answer = try await service.ask("GET", "/v1/events", [service.bearer] + fields)
      #expect(answer.status == (isAllowed ? 200 : 403), "\(fields) \(answer)")
      #expect(answer.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
    }
    // A preliminary request of a browser is no way around.
    let preflight = try await service.ask(
      "OPTIONS", "/v1/events",
      ["Origin: http://evil.example", "Access-Control-Request-Method: POST"])
    #expect(preflight.status == 403 && preflight.headers["access-control-allow-origin"] == nil)
  }

  @Test("The token is exchanged for a cookie, which is valid only at the port that gave it")
  func sessions() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    #expect(try await service.ask("POST", "/v1/session", []).status == 401)
    let answer = try await service.ask("POST", "/v1/session")
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(answer.status == 204 && cookie.hasPrefix("carillon-\(service.port)="))
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age="] {
      #expect(cookie.contains(part), "\(cookie)")
    }
    #expect(!cookie.contains(service.token) && !cookie.contains("Secure"))
    let pair = String(cookie.prefix { $0 != ";" })
    let value = String(pair.drop { $0 != "=" }.dropFirst())
    #expect(try await service.ask("GET", "/v1/events", ["Cookie: \(pair)"]).status == 200)
    #expect(try await service.ask("GET", "/v1/events", ["Cookie: a=b; \(pair)"]).status == 200)
    // A session does not give another one.
    #expect(try await service.ask("POST", "/v1/session", ["Cookie: \(pair)"]).status == 401)
    let other = try await bench.serve()
    for cookie in [pair, "carillon-\(other.port)=\(value)"] {
      #expect(try await other.ask("GET", "/v1/events", ["Cookie: \(cookie)"]).status == 401)
    }
    let (end, code) = (value.prefix { $0 != "." }, value.drop { $0 != "." })
    let later = try #require(Int(end)) + 1
    for forged in ["\(later)\(code)", "\(end).", "\(end)", "", "\(end).AAAA", "x\(code)"] {
      let cookie = "Cookie: carillon-\(service.port)=\(forged)"
      #expect(try await service.ask("GET", "/v1/events", [cookie]).status == 401, "\(forged)")
    }
    // It outlives the process.
    try await service.stop()
    let again = try await bench.serve("--listen", "127.0.0.1:\(service.port)")
    #expect(try await again.ask("GET", "/v1/events", ["Cookie: \(pair)"]).status == 200)
    let removal = try await again.ask("DELETE", "/v1/session", [])
    #expect(removal.headers["set-cookie"]?.contains("Max-Age=0") == true, "\(removal)")
  }
}
#endif
