#if Service
import CarillonTestSupport
import Foundation
import Synchronization
import Testing

/// `carillon join`, and the credential that it leaves in the new store.
@Suite(.enabled(if: Shell.has("openssl"), "openssl is not installed")) struct JoinTests {
  @Test("A device joins by invitation over TLS, and then syncs without an address")
  func join() async throws {
    let bench = try await ServiceBench.make()
    try await bench.add("Walk")
    let service = try await bench.serveSecurely()
    let link = try await bench.invite("watch")
    let join = try await bench.link("join", link, bench.path("watch"), "--replica", "wrist")
    #expect(join.status == 0 && join.output.contains("Created replica wrist"), "\(join)")
    let status = try await bench.link("replicas", "--store", bench.path("watch"))
    #expect(status.output.contains("watch"), "\(status)")
    let file = bench.path("watch/remotes/127.0.0.1_\(service.port).json")
    #expect(try bench.mode(of: file) == 0o600)
    #expect(try bench.mode(of: bench.path("watch/remotes")) == 0o700)
    try await bench.add("Tea", to: "watch")
    let sync = try await bench.link("sync", "--store", bench.path("watch"))
    #expect(sync.status == 0 && sync.output.hasPrefix("Sent "), "\(sync)")
    try await bench.expectSame("phone", "watch")
    let again = try await bench.link("join", link, bench.path("second"), "--replica", "second")
    #expect(again.status == 77 && again.errors.contains("was used"), "\(again)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("second")))
    let repeated = try await bench.link("join", link, bench.path("watch"))
    #expect(
      repeated.status == 0 && repeated.errors.contains("has joined the service already"),
      "\(repeated)")
    let renewed = try await bench.link("join", try await bench.invite("watch"), bench.path("watch"))
    #expect(renewed.status == 0 && renewed.errors.contains("carillon access revoke "), "\(renewed)")
    let both = try await bench.run("access", "list", "--json")
    #expect(both.output.matches(of: /"name":"wrist"/).count == 2, "\(both)")
    for match in both.output.matches(of: /"id":"([0-9a-f]+)"/) {
      try await bench.run("access", "revoke", String(match.output.1))
    }
    let replaced = try await bench.link(
      "join", try await bench.invite("watch"), bench.path("watch"))
    #expect(replaced.status == 0 && !replaced.errors.contains("may still have"), "\(replaced)")
    #expect(replaced.errors.contains("was revoked, and is replaced"), "\(replaced)")
  }

  @Test("A device joins a sealed store with the secret of its link, and gets no key once revoked")
  func sealed() async throws {
    let bench = try await ServiceBench.make(isSealed: true)
    try await bench.add("Walk")
    let service = try await bench.serveSecurely()
    let link = try await bench.invite("watch")
    let secret = try #require(link.firstMatch(of: /#sealed=[^&]+&secret=([^&]+)&key=/), "\(link)")
    let join = try await bench.link("join", link, bench.path("watch"), "--replica", "watch")
    #expect(join.status == 0, "\(join)")
    #expect(try bench.mode(of: bench.path("watch/keys")) == 0o600)
    try await bench.add("Tea", to: "watch")
    _ = try await bench.link("sync", "--store", bench.path("watch"))
    try await bench.expectSame("phone", "watch")
    let files = try await Shell.run(
      "grep -rlF -- '\(secret.output.1)' phone | wc -l; ls phone/service/invitations | wc -l",
      in: bench)
    #expect(files.output.split(whereSeparator: \.isWhitespace) == ["0", "0"], "\(files)")
    let revoke = try await bench.run("access", "revoke", "watch")
    #expect(revoke.status == 0 && revoke.output.contains("epoch 2-"), "\(revoke)")
    try await bench.add("Swim")
    try await bench.run("sync", bench.path("phone"), "--store", bench.path("watch"))
    let refused = try await bench.link("join", try await bench.invite("watch"), bench.path("watch"))
    #expect(refused.status == 65 && refused.errors.contains("is a new one"), "\(refused)")
    #expect(refused.errors.contains("the invitation was not used"), "\(refused)")
    let today = try await bench.run("today", "--store", bench.path("watch"))
    #expect(today.errors.contains("newer events cannot be read here"), "\(today)")
    let listed = try await bench.run("habit", "list", "--store", bench.path("watch"))
    #expect(listed.output.contains("Tea") && !listed.output.contains("Swim"), "\(listed)")
    try await service.stop()
  }

  @Test("A revoked device is refused at its next message, a watch ends, and status says it")
  func revoked() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serveSecurely()
    let link = try await bench.invite("tablet")
    let join = try await bench.link("join", link, bench.path("tablet"), "--replica", "tablet")
    try #require(join.status == 0, "\(join)")
    let watch = try await bench.start(
      ["sync", "--store", bench.path("tablet"), "--watch", "--every", "1s"])
    try await bench.add("Walk")
    try await bench.becomeSame("phone", "tablet")
    let list = try await bench.run("access", "list", "--json")
    let id = try #require(list.output.firstMatch(of: /"id":"([0-9a-f]+)"/), "\(list)").output.1
    let revoke = try await bench.run("access", "revoke", String(id))
    try #require(revoke.status == 0, "\(revoke)")
    let ended = try await watch.end()
    #expect(ended.status == 77 && ended.errors.contains("refuses this device"), "\(ended)")
    let sync = try await bench.link("sync", "--store", bench.path("tablet"))
    #expect(sync.status == 77 && sync.errors.contains("carillon invite"), "\(sync)")
    let refused = try await bench.start(
      ["sync", "--store", bench.path("tablet"), "--watch"]
    ).end()
    #expect(refused.status == 77 && refused.output.isEmpty, "\(refused)")
    let status = try await bench.link("status", "--store", bench.path("tablet"))
    #expect(status.output.contains("at the last sync: http"), "\(status)")
    let again = try await bench.link(
      "join", try await bench.invite("tablet"), bench.path("tablet"), "--replica", "tablet")
    try #require(again.status == 0, "\(again)")
    let served = try await bench.link("status", "--store", bench.path("tablet"))
    #expect(!served.output.contains("refuse"), "\(served)")
    try await service.stop()
  }

  @Test("A refusal names the role of the device, and the status has its hint, also as JSON")
  func refusalInStatus() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let tablet = bench.path("tablet")
    let join = try await bench.link(
      "join", try await bench.invite("tablet"), tablet, "--replica", "slate")
    try #require(join.status == 0, "\(join)")
    let revoke = try await bench.run("access", "revoke", "slate")
    try #require(revoke.status == 0, "\(revoke)")
    let sync = try await bench.link("sync", "--store", tablet)
    #expect(sync.status == 77 && sync.errors.contains("probably revoked"), "\(sync)")
    #expect(sync.errors.contains("(carillon invite --role tablet)"), "\(sync)")
    for format in [[], ["--json"]] {
      let status = try await bench.start(["status", "--store", tablet] + format).end()
      #expect(status.output.contains("invite --role tablet"), "\(status)")
      #expect(!status.output.contains("no problems"), "\(status)")
    }
    let file = "\(tablet)/remotes/127.0.0.1_\(service.port).json.refused"
    #expect(try bench.mode(of: file) == 0o600)
    try await service.stop()
  }

  @Test("A store that joined a service names it, and says where that is administered")
  func administration() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let join = try await bench.link(
      "join", try await bench.invite("watch"), bench.path("watch"), "--replica", "wrist")
    try #require(join.status == 0, "\(join)")
    let address = "http://127.0.0.1:\(service.port)/"
    let list = try await bench.link("access", "list", "--store", bench.path("watch"))
    #expect(list.output.contains("This store joined \(address). To see who has"), "\(list)")
    let command = try #require(list.output.firstMatch(of: /hub: (.*)\n/), "\(list)").output.1
    #expect(command.hasPrefix("carillon --store ") && !list.output.contains("invite"), "\(list)")
    let status = try await bench.link("status", "--store", bench.path("watch"))
    #expect(status.output.contains(/joined +http:\/\/127\.0\.0\.1:/), "\(status)")
    let refused = try await Shell.run(String(command), in: bench)
    #expect(refused.status == 77 && refused.errors.contains("only the owner"), "\(refused)")
    let hint = "hint: run the command on the computer of the service"
    #expect(refused.errors.contains(hint), "\(refused)")
    let access = try await bench.run("access", "list")
    #expect(access.output.contains(/wrist .* no end\b/), "\(access)")
    try await service.stop()
  }

  @Test("A link without the key of a certificate that signs itself says who must give the key")
  func withoutKey() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serveSecurely()
    let link = try await bench.invite("watch")
    let start = try #require(link.firstMatch(of: /.*&key=/), "\(link)").output
    let join = try await bench.link(
      "join", "\(start)public", bench.path("w"), "--replica", "wrist")
    #expect(join.status == 77 && join.errors.contains("cannot be trusted"), "\(join)")
    #expect(join.errors.contains("hint: ask for a link with the key of the service"), "\(join)")
    #expect(join.errors.contains("--tls-certificate FILE --tls-key FILE"), "\(join)")
    try await service.stop()
  }

  @Test("A service with another key, and a credential that others can read, are refused")
  func wrongKey() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serveSecurely()
    let link = try await bench.invite("watch")
    let join = try await bench.link("join", link, bench.path("watch"), "--replica", "watch")
    try #require(join.status == 0, "\(join)")
    let file = bench.path("watch/remotes/127.0.0.1_\(service.port).json")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let pin = try #require(text.firstMatch(of: /"key":"([\w-]{43})"/)).output.1
    let other = text.replacing(pin, with: String(pin.reversed()))
    try Data(other.utf8).write(to: URL(filePath: file))
    chmod(file, 0o600)
    let sync = try await bench.link("sync", "--store", bench.path("watch"))
    #expect(sync.status == 77, "\(sync)")
    let keys = "has the key \(pin), and not \(String(pin.reversed()))"
    #expect(sync.errors.contains(keys), "\(sync)")
    let unpinned = try await bench.link(
      "sync", "https://127.0.0.1:\(service.port)", credential: service.token)
    #expect(unpinned.status == 77 && unpinned.errors.contains("cannot be trusted"), "\(unpinned)")
    chmod(file, 0o644)
    let open = try await bench.link("sync", "--store", bench.path("watch"))
    #expect(open.status == 65 && open.errors.contains("by other users"), "\(open)")
  }

  @Test("What is wrong with the arguments is found before the invitation is used")
  func early() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serveSecurely()
    let link = try await bench.invite("phone")
    let cut = String(link.prefix { $0 != "&" })
    try FileManager.default.createDirectory(
      atPath: bench.path("full/inner"), withIntermediateDirectories: true)
    let cases: [(arguments: [String], status: Int32, text: String)] = [
      (["join", cut, bench.path("new"), "--replica", "new"], 64, "single quotes"),
      (["join", "phone", bench.path("new"), "--replica", "new"], 64, "does not begin with"),
      (["join", link, bench.path("full"), "--replica", "new"], 73, "not an empty directory"),
      (["join", link, bench.path("new"), "--replica", "\u{200B}"], 65, "visible"),
      (["join", link, bench.path("new"), "--replica", "new", "--role", "cat"], 64, "--role"),
      (
        ["join", try await bench.invite("viewer"), bench.path("new"), "--replica", "new"], 65,
        "a viewer, which has no replica"
      ),
    ]
    for (arguments, status, text) in cases {
      let answer = try await bench.start(arguments).end()
      #expect(answer.status == status && answer.errors.contains(text), "\(arguments) \(answer)")
      #expect(!FileManager.default.fileExists(atPath: bench.path("new")))
    }
    let join = try await StartedProgram(
      BuiltProgram.url("carillon"), ["join", "-", bench.path("new"), "--replica", "new"],
      in: bench, input: link + "\n"
    ).end()
    #expect(join.status == 0, "\(join)")
    let late = try await bench.invite("phone")
    try await service.stop()
    let unreachable = try await bench.link("join", late, bench.path("late"), "--replica", "late")
    #expect(unreachable.status == 69, "\(unreachable)")
    #expect(
      unreachable.errors.contains("join again; the invitation was not used"), "\(unreachable)")
  }

  @Test("If cloning fails, the credential is kept, and the hint or the same join goes on")
  func interrupted() async throws {
    let bench = try await ServiceBench.make()
    try await bench.add("Walk")
    let service = try await bench.serve()
    let isOpen = Flag()
    let port = service.port
    let proxy = try WireServer { request, peer in
      guard isOpen.value.load(ordering: .relaxed) || request.head.hasPrefix("POST /v1/join")
      else { return peer.answer("404 Not Found", "text/plain", []) }
      guard let answer = request.answer(ofServiceAt: port) else { return false }
      return peer.send(Array(answer.head.utf8) + answer.body)
    }
    let link = try await bench.invite("desktop").replacing(":\(port)/", with: ":\(proxy.port)/")
    let join = try await bench.link("join", link, bench.path("desk"), "--replica", "desk")
    #expect(join.status == 76 && join.errors.contains("go on with: carillon clone"), "\(join)")
    let hint = try #require(join.errors.firstMatch(of: /go on with: (.*)\n/)).output.1
    // Another store does not take over the credential.
    let other = try await bench.run("init", "--store", bench.path("desk"), "--replica", "new")
    #expect(other.status == 73 && other.errors.contains("the credential of a service"), "\(other)")
    #expect(other.errors.contains("hint: go on with the join"), "\(other)")
    let elsewhere = try await bench.link(
      "join", try await bench.invite("desktop"), bench.path("desk"), "--replica", "desk")
    #expect(
      elsewhere.status == 73 && elsewhere.errors.contains("the credential of another service"),
      "\(elsewhere)")
    let cloned = try await bench.link(
      "clone", "http://127.0.0.1:\(port)", bench.path("desk"), credential: service.token)
    #expect(
      cloned.status == 73 && cloned.errors.contains("the credential of a service"), "\(cloned)")
    isOpen.value.store(true, ordering: .relaxed)
    let killed = try await Shell.run("cp -a desk killed && mkdir killed/log.new", in: bench)
    try #require(killed.status == 0, "\(killed)")
    let again = try await bench.link("join", link, bench.path("killed"), "--replica", "other")
    #expect(again.status == 0 && again.errors.contains("goes on with that"), "\(again)")
    let made = try await bench.run("replicas", "--store", bench.path("killed"))
    #expect(made.output.contains(/other +desktop/), "\(made)")
    let clone = try await Shell.run(String(hint), in: bench)
    #expect(clone.status == 0, "\(clone)")
    let sync = try await bench.link("sync", "--store", bench.path("desk"))
    #expect(sync.status == 0, "\(sync)")
    _ = try await bench.link("sync", "--store", bench.path("killed"))
    try await bench.expectSame("phone", "desk")
  }

  @Test("A join that Ctrl-C ends while it clones says that the same command goes on")
  func cancelled() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let (port, isCloning) = (service.port, Flag())
    let proxy = try WireServer { request, peer in
      guard request.head.hasPrefix("POST /v1/join") else {
        isCloning.value.store(true, ordering: .relaxed)
        return true
      }
      guard let answer = request.answer(ofServiceAt: port) else { return false }
      return peer.send(Array(answer.head.utf8) + answer.body)
    }
    let link = try await bench.invite("desktop").replacing(":\(port)/", with: ":\(proxy.port)/")
    let join = try await bench.start(["join", link, bench.path("desk"), "--replica", "desk"])
    while !isCloning.value.load(ordering: .relaxed), join.process.isRunning {
      try await Task.sleep(for: .milliseconds(5))
    }
    join.signal(SIGINT)
    let ended = try await join.end()
    #expect(ended.wasSignalled && ended.status == SIGINT, "\(ended)")
    #expect(ended.errors.contains("run the same command again"), "\(ended)")
  }

  @Test("A sealed link with a wrong secret is refused as mistyped, and stays usable")
  func wrongSecret() async throws {
    let bench = try await ServiceBench.make(isSealed: true)
    let service = try await bench.serveSecurely()
    let link = try await bench.invite("watch")
    let secret = try #require(link.firstMatch(of: /&secret=([^&]+)&/), "\(link)").output.1
    let mistyped = link.replacing(secret, with: String(secret.reversed()))
    let join = try await bench.link("join", mistyped, bench.path("watch"), "--replica", "watch")
    #expect(join.status == 65 && join.errors.contains("so the link is mistyped"), "\(join)")
    #expect(join.errors.contains("the invitation was not used"), "\(join)")
    let cut = link.replacing("&secret=\(secret)", with: "").replacing("#sealed=", with: "#invite=")
    let plain = try await bench.link("join", cut, bench.path("watch"), "--replica", "watch")
    #expect(plain.status == 65 && plain.errors.contains("lacks the secret"), "\(plain)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("watch")))
    let again = try await bench.link("join", link, bench.path("watch"), "--replica", "watch")
    #expect(again.status == 0 && !again.errors.contains("interrupted"), "\(again)")
    #expect(!again.errors.contains("revoked"), "\(again)")
    try await service.stop()
  }

  @Test("A credential that is malformed is not stored, and no directory is left")
  func malformed() async throws {
    let bench = try await ServiceBench.make()
    let service = try await bench.serve()
    let link = try await bench.invite("phone")
    for credential in ["short", "a\\r\\nX-Evil: 1", String(repeating: "x", count: 10_000)] {
      let document = "{\"credential\":\"\(credential)\",\"role\":\"phone\"}"
      let server = try WireServer { _, peer in
        peer.answer("201 Created", "application/json", Array(document.utf8))
      }
      let join = try await bench.link(
        "join", link.replacing(":\(service.port)/", with: ":\(server.port)/"), bench.path("a/b"),
        "--replica", "new")
      #expect(join.status == 76 && join.errors.contains("without a valid credential"), "\(join)")
      #expect(!FileManager.default.fileExists(atPath: bench.path("a")))
    }
  }

  private final class Flag: Sendable { let value = Atomic(false) }
}
#endif
