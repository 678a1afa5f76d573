import Foundation
import Testing

/// `carillon sync A B --audit`: an audit repairs damaged events from the other side's copy.
@Suite(.timeLimit(.minutes(30)))
struct AuditCommandTests {
  /// A phone with a habit whose title is easily found, and a watch with the same events.
  private func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Findable", "--at", "07:30")
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    return bench
  }

  private func damage(_ replica: String, in bench: Workbench) throws {
    let file = bench.url("\(replica)/log/data.mdb")
    var data = try Data(contentsOf: file)
    var count = 0
    while let range = data.range(of: Data("Findable".utf8)) {
      data[range.lowerBound] = UInt8(ascii: "X")
      count += 1
    }
    #expect(count > 0, "the title is in the file")
    try data.write(to: file)
  }

  private func audit(_ bench: Workbench) async throws -> Answer {
    try await bench.start(
      ["sync", bench.path("phone"), bench.path("watch"), "--audit", "--json"]
    ).answer()
  }

  @Test(
    "A damaged event is repaired, and its projection restored", arguments: ["phone", "watch"])
  func repairs(replica: String) async throws {
    let bench = try await bench()
    try damage(replica, in: bench)
    let repaired = try await audit(bench)
    let name = replica == "phone" ? "repaired" : "repairedThere"
    #expect(repaired.status == 0 && repaired.output.contains("\"\(name)\":1"), "\(repaired)")
    for store in ["phone", "watch"] {
      let verified = try await bench.start(["verify"], store: store).answer()
      #expect(verified.status == 0, "\(store): \(verified)")
      let list = try await bench.start(["habit", "list"], store: store).answer()
      #expect(list.output.contains("Findable"), "\(store): \(list)")
    }
    let again = try await audit(bench)
    #expect(again.status == 0 && again.output.contains(#""repaired":0"#), "\(again)")
    #expect(again.output.contains(#""method":"equal""#), "\(again)")
  }

  @Test("An event damaged on both sides is reported, and the exit code is 1")
  func unrepaired() async throws {
    let bench = try await bench()
    try damage("phone", in: bench)
    try damage("watch", in: bench)
    let answer = try await audit(bench)
    #expect(answer.status == 1 && answer.output.contains(#""repaired":0"#), "\(answer)")
    #expect(answer.output.contains(#""isRemote":true"#), "\(answer)")
  }

  @Test("A clone or a sync that leaves out an event reports it, and exits with 1")
  func incomplete() async throws {
    let bench = try await bench()
    let store = try #require(try await bench.json("status")["store"]?.text)
    try damage("phone", in: bench)
    let ssh = try StandInSSH(bench)
    for (number, peer) in [bench.path("phone"), try bench.address(of: "phone")].enumerated() {
      let cloning = ["clone", peer, bench.path("clone\(number)"), "--replica", "clone"]
      let clone = try await bench.start(cloning, with: ssh.variables).answer()
      #expect(clone.status == 1 && clone.output.hasPrefix("Created replica clone"), "\(clone)")
      Self.expectReported(clone)
      for flags in [[], ["--json"]] {
        let tablet = "tablet\(number)\(flags.count)"
        try await bench.make(tablet, storeID: store)
        let sync = try await bench.start(
          ["sync", peer] + flags, store: tablet, with: ssh.variables
        ).answer()
        #expect(sync.status == 1 && !sync.output.contains("Both have the same"), "\(sync)")
        Self.expectReported(sync, isJSON: !flags.isEmpty)
      }
    }
    // Both now have only the event's ID, and each sync reports it, on both sides.
    let status = #"/bin/sh -c "$1"; echo $? >"$0.status"; exit 0"#
    let noting = try StandInSSH(bench, before: status)
    for flags in [[], ["--json"]] {
      let idle = try await bench.start(
        ["sync", try bench.address(of: "clone1")] + flags, store: "clone0",
        with: noting.variables
      ).answer()
      #expect(idle.status == 1 && !idle.errors.contains("left events out"), "\(idle)")
      #expect(idle.errors.contains("is incomplete there: only the ID of 1 event"), "\(idle)")
      if flags.isEmpty {
        #expect(idle.output.contains("Only the ID of 1 event is stored here"), "\(idle)")
      } else {
        #expect(idle.output.contains(#""missingHere":1"#), "\(idle)")
      }
      let there = try String(contentsOf: bench.url("stand-in-ssh.status"), encoding: .utf8)
      #expect(there == "1\n", "the exit code of the responder")
    }
    let verified = try await bench.run("verify")
    #expect(verified.status == 1 && verified.output.contains("sync PEER --audit"), "\(verified)")
  }

  @Test("An event of which the peer has only the ID makes a sync exit with 1, also over ssh")
  func incompleteThere() async throws {
    let bench = try await bench()
    try damage("phone", in: bench)
    let ssh = try StandInSSH(bench)
    let cloning = ["clone", bench.path("phone"), bench.path("clone"), "--replica", "clone"]
    #expect(try await bench.start(cloning).answer().status == 1)
    for peer in [bench.path("clone"), try bench.address(of: "clone")] {
      for flags in [[], ["--json"]] {
        let answer = try await bench.start(["sync", peer] + flags, with: ssh.variables).answer()
        // Without an audit, a sync does not report the damage here.
        #expect(answer.status == 1, "\(peer) \(answer)")
        #expect(flags.isEmpty || answer.output.hasPrefix(#"{"method""#), "\(answer)")
        #expect(answer.errors.contains("only the ID of 1 event"), "\(answer)")
        let expected = flags.isEmpty ? "\nhint: repair both" : #""code":"incomplete""#
        #expect(answer.errors.contains(expected), "\(answer)")
      }
    }
  }

  @Test("A watch reports an incomplete round once, as long as the problem stays the same")
  func incompleteRound() async throws {
    let bench = try await bench()
    let store = try #require(try await bench.json("status")["store"]?.text)
    try damage("phone", in: bench)
    try await bench.make("tablet", storeID: store)
    let child = try await bench.start(
      ["sync", bench.path("phone"), "--watch", "--every", "1s"], store: "tablet")
    while child.isRunning, try !child.errors.contains("hint: ") {
      try await Task.sleep(for: .milliseconds(2))
    }
    // Other rounds follow meanwhile.
    for _ in 0..<3 { try await bench.run("status") }
    child.signal(SIGINT)
    let answer = try await child.answer()
    #expect(answer.status == SIGINT, "\(answer)")
    #expect(answer.errors.components(separatedBy: "error: ").count == 2, "\(answer)")
  }

  /// Expects a report of what was left out on standard error, with a hint.
  private static func expectReported(_ answer: Answer, isJSON: Bool = false) {
    if isJSON {
      #expect(answer.errors.hasPrefix(#"{"error":{"code":"incomplete""#), "\(answer)")
    } else {
      #expect(answer.errors.contains("error: "), "\(answer)")
      #expect(answer.errors.contains("\nhint: "), "\(answer)")
    }
  }

  @Test("An audit is done once, by the initiator")
  func usage() async throws {
    let bench = try await bench()
    let watched = try await bench.start(
      ["sync", bench.path("watch"), "--audit", "--watch"]
    ).answer()
    #expect(watched.status == 64, "\(watched)")
    let answering = try await bench.start(
      ["sync", "--stdio", bench.path("watch"), "--audit"]
    ).answer()
    #expect(answering.status == 64, "\(answering)")
  }
}
