#if Service
import CarillonDocuments
import CarillonModel
import Foundation
import Testing

/// What those can do who are invited, from the invitation to its end.
@Suite struct DeviceAccessTests {
  /// The fields of a credential, and the ID of the device.
  private struct Invited {
    let fields: [String]
    let id: String
  }

  private func json(_ answer: WireAnswer) throws -> JSON {
    try JSON(parsing: Array(answer.body.utf8))
  }

  private func code(_ role: String, _ service: RunningService) async throws -> String {
    let answer = try await service.ask(
      "POST", "/v1/invitations", body: "{\"role\":\"\(role)\"}")
    let link = try #require(try json(answer)["link"]?.text, "\(answer)")
    return try #require(link.firstMatch(of: /#invite=([\w-]+)$/).map { String($0.output.1) })
  }

  private func join(
    _ code: String, _ name: String, _ service: RunningService, more: String = ""
  ) async throws -> WireAnswer {
    try await service.ask(
      "POST", "/v1/join", [], body: "{\"code\":\"\(code)\",\"name\":\"\(name)\"\(more)}")
  }

  private func invited(
    _ role: String, _ name: String, _ service: RunningService
  ) async throws -> Invited {
    let answer = try await join(try await code(role, service), name, service)
    let document = try json(answer)
    let credential = try #require(document["credential"]?.text, "\(answer)")
    return Invited(
      fields: ["Authorization: Bearer \(credential)"],
      id: try #require(document["device"]?.text))
  }

  @Test("A check says what an invitation is for and does not use it, and refuses a used one")
  func check() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let code = try await self.code("viewer", service)
    let body = "{\"code\":\"\(code)\"}"
    for _ in 0..<2 {
      let answer = try await service.ask("POST", "/v1/join/check", [], body: body)
      #expect(answer.status == 200, "\(answer)")
      #expect(try json(answer)["role"]?.text == "viewer")
    }
    #expect(try await join(code, "Wall", service).status == 201)
    let used = try await service.ask("POST", "/v1/join/check", [], body: body)
    #expect(used.status == 403 && used.body.contains("was used"), "\(used)")
  }

  @Test(
    "A device has at most half of the downloads, so that others have some",
    .timeLimit(.minutes(30)))
  func share() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--max-downloads", "4", "--stall-seconds", "60")
    let line = String(repeating: #"{"type":"app.active","date":"2026-11-23"}"# + "\n", count: 1_000)
    for _ in 0..<20 {
      #expect(try await service.ask("POST", "/v1/events", body: line).status == 201)
    }
    let viewer = try await invited("viewer", "Wall", service)
    var unread: [WireConnection] = []
    var refused: WireAnswer
    repeat {
      // One that ended before reading was paused has no place any more.
      unread.forEach { $0.close() }
      unread = []
      while unread.count < 2 {
        let connection = try service.connect()
        connection.send(service.text("GET", "/v1/events", viewer.fields))
        guard await connection.head()?.status == 200 else { continue }
        connection.pauseReading(true)
        unread.append(connection)
      }
      refused = try await service.ask("GET", "/v1/export", viewer.fields)
    } while refused.status == 200
    #expect(refused.status == 429 && refused.body.contains("2 downloads of one device"))
    #expect(try await service.ask("GET", "/v1/export").status == 200)
    unread.forEach { $0.close() }
  }

  @Test("A device may do all but change access and rebuild; a viewer only reads")
  func roles() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let device = try await invited("phone", "Pixel", service)
    let viewer = try await invited("viewer", "Wall", service)
    let event = #"{"type":"app.active","date":"2026-11-23"}"#
    for (method, path, body, forDevice, forViewer) in [
      ("GET", "/v1/habits", "", 200, 200), ("GET", "/v1/events", "", 200, 200),
      ("GET", "/readyz", "", 200, 200), ("GET", "/v1/session", "", 200, 200),
      ("POST", "/v1/events", event, 201, 403), ("POST", "/v1/sync", "x", 200, 403),
      ("POST", "/v1/habits", #"{"title":"Walk"}"#, 201, 403),
      ("POST", "/v1/plan", #"{"pending":[]}"#, 200, 403),
      ("POST", "/v1/rebuild", "", 403, 403), ("GET", "/v1/access", "", 403, 403),
      ("DELETE", "/v1/access/\(viewer.id)", "", 403, 403),
      ("POST", "/v1/invitations", #"{"role":"phone"}"#, 403, 403),
    ] {
      for (who, status) in [(device, forDevice), (viewer, forViewer)] {
        let answer = try await service.ask(method, path, who.fields, body: body)
        #expect(answer.status == status, "\(method) \(path) \(answer)")
        if status == 403 { #expect(answer.body.contains("\"code\":\"forbidden\"")) }
      }
    }
    let stream = try await service.stream("/v1/live", as: viewer.fields)
    #expect(await stream.next()?.name == "pending")
    let asks = try await service.ask("GET", "/v1/session", viewer.fields)
    #expect(asks.body == #"{"role":"viewer","name":"Wall"}"# + "\n")
    #expect(try await service.ask("GET", "/v1/session").body.contains(#""role":"owner""#))
  }

  @Test("An invitation is used once, also by two processes at once and after a restart")
  func once() async throws {
    let bench = try await ServiceBench.make()
    let services = [try await bench.serve(), try await bench.serve()]
    for _ in 0..<5 {
      let code = try await code("phone", services[0])
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<6 {
          group.addTask { try await join(code, "P\(number)", services[number % 2]).status }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [201, 403, 403, 403, 403, 403])
    }
    let unused = try await code("phone", services[0])
    try await services[0].stop(SIGKILL)
    let again = try await bench.serve()
    #expect(try await join(unused, "P", again).status == 201)
    #expect(try await join(unused, "P", services[1]).status == 403)
    #expect(try await join("nonsense", "P", again).status == 403)
    let list = try json(try await again.ask("GET", "/v1/access"))["access"]?.elements ?? []
    #expect(list.count == 6 && list.allSatisfy { $0["kind"]?.text == "device" })
  }

  @Test("A revoked device is refused at its next request, and its open stream ends")
  func revoked() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve("--heartbeat-seconds", "1")
    let device = try await invited("phone", "Pixel", service)
    let other = try await invited("watch", "Band", service)
    let stream = try await service.stream("/v1/events", as: device.fields)
    #expect(await stream.next()?.id == "1")
    let revoked = try await bench.run("access", "revoke", "Pixel")
    #expect(
      revoked.output.wholeMatch(of: /Pixel \(phone, [0-9a-f]{16}\) no longer has access\.\n/)
        != nil,
      "\(revoked)")
    #expect(try await service.ask("GET", "/v1/habits", device.fields).status == 401)
    #expect(await stream.next() == nil)
    #expect(try await service.ask("GET", "/v1/habits", other.fields).status == 200)
    let answer = try await service.ask("DELETE", "/v1/access/\(other.id)")
    #expect(answer.body == "{\"revoked\":\"\(other.id)\"}\n", "\(answer)")
    #expect(try await service.ask("GET", "/v1/habits", other.fields).status == 401)
    #expect(try await service.ask("DELETE", "/v1/access/\(other.id)").status == 404)
    #expect(try await service.ask("DELETE", "/v1/access/x").status == 422)
  }

  @Test("A browser gets a cookie in place of the credential, which its end revokes")
  func sessions() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let answer = try await join(
      try await code("viewer", service), "Wall", service, more: ",\"session\":true")
    #expect(answer.status == 201 && !answer.body.contains("credential"), "\(answer)")
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(cookie.contains("HttpOnly; SameSite=Strict"))
    let pair = String(cookie.prefix { $0 != ";" })
    #expect(try await service.ask("GET", "/v1/habits", ["Cookie: \(pair)"]).status == 200)
    #expect(try await service.ask("POST", "/v1/habits", ["Cookie: \(pair)"]).status == 403)
    // The cookie is neither a token, nor valid at another port.
    let value = String(pair.drop { $0 != "=" }.dropFirst())
    let bearer = "Authorization: Bearer \(value)"
    #expect(try await service.ask("GET", "/v1/habits", [bearer]).status == 401)
    let other = try await bench.serve()
    let there = ["Cookie: carillon-\(other.port)=\(value)"]
    #expect(try await other.ask("GET", "/v1/habits", there).status == 401)
    #expect(try await service.ask("DELETE", "/v1/session", ["Cookie: \(pair)"]).status == 204)
    #expect(try await service.ask("GET", "/v1/habits", ["Cookie: \(pair)"]).status == 401)
  }

  @Test("A request to join or to invite that is malformed is refused with what is wrong")
  func malformed() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let code = try await code("phone", service)
    let long = String(repeating: "x", count: 4_000)
    for (body, status) in [
      ("", 400), ("{}", 400), ("[1]", 400), (#"{"code":"\#(code)"}"#, 400),
      (#"{"code":"\#(code)","name":""}"#, 422), (#"{"code":"\#(code)","name":"\#(long)"}"#, 422),
      (#"{"code":"\#(code)","name":"\#(long)\#(long)"}"#, 413),
      (#"{"code":"\#(code)","name":7}"#, 400), (#"{"code":"\#(code)","name":"P","x":1}"#, 400),
    ] {
      let answer = try await service.ask("POST", "/v1/join", [], body: body)
      #expect(answer.status == status && answer.body.utf8.count < 1_000, "\(answer)")
    }
    for (body, status) in [
      ("{}", 422), (#"{"role":"king"}"#, 422), (#"{"role":"\#(long)"}"#, 422),
      (#"{"role":"phone","expiresSeconds":0}"#, 422),
      (#"{"role":"phone","expiresSeconds":604801}"#, 422),
      (#"{"role":"phone","expiresSeconds":"x"}"#, 400),
    ] {
      let answer = try await service.ask("POST", "/v1/invitations", body: body)
      #expect(answer.status == status && answer.body.utf8.count < 1_000, "\(answer)")
    }
    #expect(try await join(code, "P", service).status == 201)
  }

  @Test("Clients that end a request in its middle leave no error in the log")
  func aborted() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    for path in ["/v1/join", "/v1/events", "/v1/sync", "/v1/import?format=csv", "/v1/habits"] {
      let connection = try service.connect()
      connection.send(
        "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(service.port)\r\n\(service.bearer)\r\n"
          + "Content-Length: 100\r\n\r\n{\"title\"")
      #expect(try await service.ask("GET", "/livez", []).status == 200)
      connection.close()
    }
    #expect(try await service.ask("GET", "/v1/events").body.split(separator: "\n").count == 1)
    let ended = try await service.stop()
    #expect(ended.status == 0 && !ended.errors.contains("\"error\""), "\(ended)")
  }
}
#endif
