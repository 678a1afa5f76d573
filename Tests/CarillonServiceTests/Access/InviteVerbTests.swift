#if Service
import CarillonDocuments
import CarillonModel
import Foundation
import Testing

/// `invite` and `access` on the command line.
@Suite struct InviteVerbTests {
  private func running(_ bench: ServiceBench) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: bench.path("phone/service/running"))
  }

  @Test("An invitation needs a service that runs now, also if one was killed before")
  func running() async throws {
    let bench = try await ServiceBench.make()
    let none = try await bench.run("invite", "--role", "phone")
    #expect(none.status == 69 && none.errors.contains("no service of the store is running"))
    #expect(none.errors.contains("carillon serve"), "\(none)")
    let killed = try await bench.serve()
    try await killed.stop(SIGKILL)
    #expect(try running(bench).count == 1)
    #expect(try await bench.run("invite", "--role", "phone").status == 69)
    #expect(try running(bench).isEmpty)
    let service = try await bench.serve()
    let invited = try await bench.run("invite", "--role", "phone", "--json")
    #expect(invited.output.contains("\"http://127.0.0.1:\(service.port)/#invite="), "\(invited)")
    try await service.stop()
    #expect(try running(bench).isEmpty)
  }

  @Test("A start removes the files of killed services, and keeps those of services that run")
  func killed() async throws {
    let bench = try await ServiceBench.make()
    let (neighbour, killed) = (try await bench.serve(), try await bench.serve())
    let files = Set(try running(bench))
    try await killed.stop(SIGKILL)
    #expect(try Set(running(bench)) == files)
    let next = try await bench.serve()
    let left = Set(try running(bench))
    #expect(left.count == 2 && left.intersection(files).count == 1, "\(left) \(files)")
    for service in [neighbour, next] { try await service.stop() }
    #expect(try running(bench).isEmpty)
  }

  @Test("The link, its QR code and the next step are printed, and the link can be used")
  func invite() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let text = try await bench.run("invite", "--role", "watch", "--expires", "2d")
    let link = try #require(
      text.output.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+\/#invite=([\w-]+)\n/), "\(text)")
    #expect(text.output.contains("carillon join 'http://127.0.0.1:"))
    #expect(text.errors.contains("only this computer can reach 127.0.0.1"))
    let body = "{\"code\":\"\(link.output.1)\",\"name\":\"Band\"}"
    #expect(try await service.ask("POST", "/v1/join", [], body: body).status == 201)
    let answer = try JSON(
      parsing: Array(try await bench.run("invite", "--role", "viewer", "--json").output.utf8))
    #expect(answer["role"]?.text == "viewer" && answer["kind"]?.text == "invitation")
    #expect(answer["expires"]?.text != nil && answer["digest"] == nil)
    let rows = answer["qr"]?.elements.compactMap(\.text) ?? []
    #expect(rows.allSatisfy { $0.count == rows.count && $0.allSatisfy("01".contains) })
    for (arguments, said) in [
      (["--role", "king"], "unknown value"), (["--role", "phone", "--expires", "8d"], "to 7d"),
      (["--role", "phone", "--expires", "400d"], "1s to 7d"),
      (["--role", "phone", "--expires", "x"], "not a duration"),
      (["--role", "phone", "--expires", "0"], "hint: give a duration from 1s to 7d"),
    ] {
      let refused = try await bench.run("invite", arguments)
      #expect(refused.status == 64 && refused.errors.contains(said), "\(refused)")
    }
  }

  @Test("A link that only this computer can use says which flags of the service are missing")
  func missingFlags() async throws {
    let bench = try await ServiceBench.make()
    let plain = try await bench.serve()
    let all = try await bench.run("invite", "--role", "phone")
    #expect(
      all.errors.contains(
        "with --listen 0.0.0.0:8787, --tls-certificate FILE, --tls-key FILE and --names NAME"),
      "\(all)")
    try await plain.stop()
    let near = try await bench.serveSecurely()
    let some = try await bench.run("invite", "--role", "phone")
    #expect(some.errors.contains("with --listen 0.0.0.0:8787 and --names NAME,"), "\(some)")
    try await near.stop()
    let open = try await bench.serveSecurely("--listen", "0.0.0.0:0")
    let name = try await bench.run("invite", "--role", "phone")
    #expect(name.errors.contains("start the service with --names NAME,"), "\(name)")
    try await open.stop()
    let named = try await bench.serveSecurely("--listen", "0.0.0.0:0", "--names", "home.example")
    let far = try await bench.run("invite", "--role", "phone")
    #expect(far.status == 0 && !far.errors.contains("only this computer"), "\(far)")
    try await named.stop()
  }

  @Test("With --quiet, an invitation is its link, without a notice")
  func quiet() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let invited = try await bench.run("invite", "--role", "phone", "--quiet")
    #expect(invited.output.wholeMatch(of: /http:\/\/\S+\n/) != nil, "\(invited)")
    #expect(invited.status == 0 && invited.errors.isEmpty, "\(invited)")
    try await service.stop()
  }

  @Test(
    "A reader of QR codes reads the link that is printed",
    .enabled(if: Shell.has("zbarimg"), "zbarimg is not installed"))
  func qrCode() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let answer = try JSON(
      parsing: Array(try await bench.run("invite", "--role", "phone", "--json").output.utf8))
    let rows = answer["qr"]?.elements.compactMap(\.text) ?? []
    try #require(!rows.isEmpty)
    // An image of 8 x 8 pixels a module, with a margin of 4 modules.
    let margin = String(repeating: "0", count: 4)
    let blank = String(repeating: "0", count: rows.count + 8)
    let all =
      Array(repeating: blank, count: 4) + rows.map { margin + $0 + margin }
      + Array(repeating: blank, count: 4)
    let pixels = all.flatMap { row in
      Array(repeating: row.map { String(repeating: "\($0) ", count: 8) }.joined(), count: 8)
    }
    let size = blank.count * 8
    try bench.write(
      "P1\n\(size) \(size)\n" + pixels.joined(separator: "\n") + "\n", to: "code.pbm")
    let read = try await Shell.run("zbarimg --quiet --raw code.pbm", in: bench)
    #expect(read.output == (answer["link"]?.text ?? "") + "\n", "\(read)")
    try await service.stop()
  }

  @Test("Access is listed and revoked by name or ID, and an ambiguous name lists what it matches")
  func access() async throws {
    let bench = try await ServiceBench.make()
    #expect(try await bench.run("access").output.contains("Only you have access."))
    let service = try await bench.serve()
    for name in ["Pixel", "Pixel", "Band"] {
      let invited = try await bench.run("invite", "--role", "phone", "--json").output
      let code = try #require(invited.firstMatch(of: /#invite=([\w-]+)/)).output.1
      let body = "{\"code\":\"\(code)\",\"name\":\"\(name)\"}"
      #expect(try await service.ask("POST", "/v1/join", [], body: body).status == 201)
    }
    let list = try await bench.run("access", "list")
    #expect(list.output.split(separator: "\n").count == 4, "\(list)")
    let ambiguous = try await bench.run("access", "revoke", "Pixel")
    #expect(ambiguous.status == 65 && ambiguous.errors.contains("(Pixel, phone), "))
    let id = try #require(list.output.firstMatch(of: /Pixel .* ([0-9a-f]{16})/)).output.1
    let short = try await bench.run("access", "revoke", String(id.prefix(3)))
    #expect(short.status == 64 && short.errors.contains("at least 4 characters"), "\(short)")
    let revoked = try await bench.run("access", "revoke", String(id.prefix(12)))
    #expect(revoked.status == 0 && revoked.output.contains("Pixel (phone, \(id))"), "\(revoked)")
    #expect(try await bench.run("access", "revoke", "Pixel").status == 0)
    #expect(try await bench.run("access", "revoke", "Pixel").status == 66)
    try bench.write("{", to: "phone/service/devices/0123456789abcdef.json")
    let damaged = try await bench.run("access", "list")
    #expect(damaged.status == 0 && damaged.errors.contains("0123456789abcdef.json is damaged"))
    #expect(damaged.output.contains("Band"))
    #expect(try await bench.run("access", "revoke", "0123456789abcdef").status == 0)
    #expect(try await bench.run("access", "list").errors.isEmpty)
  }
}
#endif
