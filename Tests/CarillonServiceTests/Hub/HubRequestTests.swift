#if Service
import CarillonTestSupport
import Foundation
import Testing

/// The hosts that a hub answers, and the files that it warns of.
struct HubRequestTests {
  /// Returns the answer to a request with fields, and with no other ones.
  private func ask(
    _ process: RunningHub, _ path: String, _ fields: [String], version: String = "1.1"
  ) async throws -> WireAnswer {
    let connection = try WireConnection(port: process.port)
    let lines = ["GET \(path) HTTP/\(version)"] + fields
    connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    return try #require(await connection.answer(), "\(lines)")
  }

  @Test("A hub answers under any host, but not without one, and not with two")
  func hosts() async throws {
    let (hub, process, _) = try await HubBench.joined(.files)
    let token = "Authorization: Bearer \(try hub.credential(of: "one", at: process))"
    let hosts = ["Host: hub.example", "Host: 127.0.0.1:\(process.port)"]
    for path in ["/livez", "/readyz", "/openapi.json", "/v1/sync", "/nothing"] {
      for fields in [[], hosts, [hosts[0], hosts[0]]] {
        let refused = try await ask(process, path, fields + [token])
        #expect(refused.status == 400 && refused.body.contains("field"), "\(path) \(refused)")
      }
      for host in hosts {
        let answer = try await ask(process, path, [host, token])
        #expect(answer.status == (path == "/nothing" ? 404 : 200), "\(path) \(answer)")
      }
    }
    // As the probes of some load balancers.
    #expect(try await ask(process, "/livez", [], version: "1.0").status == 200)
  }

  @Test("The numbers are only for hosts of this computer, so that no other site's page has them")
  func numbers() async throws {
    let hub = try await HubBench.make(.files)
    let process = try await hub.serve("--names", "desk.local")
    for host in ["127.0.0.1:\(process.port)", "localhost:1", "[::1]", "desk.local"] {
      #expect(try await ask(process, "/metrics", ["Host: \(host)"]).status == 200, "\(host)")
    }
    for host in ["evil.example", "evil.example:\(process.port)", "127.0.0.1.evil.example"] {
      let refused = try await ask(process, "/metrics", ["Host: \(host)"])
      #expect(refused.status == 403 && !refused.body.contains("carillon_"), "\(refused)")
    }
  }

  @Test(
    "A private file that other users can read or change is a warning in the log",
    .disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
  func privateFiles() async throws {
    let hub = try await HubBench.make(.postgres)
    let config = hub.bench.path("hub.json")
    let plain = #"{"database":"\#(hub.database)","listen":"127.0.0.1:0"}"#
    let (url, mark) = (hub.database, hub.database.contains("?") ? "&" : "?")
    let secret = #"{"database":"\#(url)\#(mark)password=x","listen":"127.0.0.1:0"}"#
    for (content, mode, warning) in [
      (plain, 0o644, nil), (plain, 0o646, "change"), (secret, 0o640, nil), (secret, 0o644, "read"),
    ] as [(String, mode_t, String?)] {
      try content.write(toFile: config, atomically: true, encoding: .utf8)
      chmod(config, mode)
      let program = try await StartedProgram(
        BuiltProgram.url("carillon"), ["hub", "serve", "--config", config], in: hub.bench)
      while !program.output.contains("\n"), program.process.isRunning {
        try await Task.sleep(for: .milliseconds(5))
      }
      program.signal(SIGTERM)
      let errors = try await program.end().errors
      let text = "other users of this computer can \(warning ?? "")"
      #expect(errors.contains(text) == (warning != nil), "\(errors)")
      #expect(warning == nil || errors.contains("hub.json"), "\(errors)")
    }
  }
}
#endif
