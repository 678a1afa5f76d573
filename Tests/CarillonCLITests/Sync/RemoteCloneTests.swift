import Foundation
import Testing

/// `carillon clone ssh://...`, between processes through pipes.
@Suite(.timeLimit(.minutes(30)))
struct RemoteCloneTests {
  /// Clones the store `phone` into the directory `watch`, or another.
  private func clone(
    _ bench: Workbench, before: String = "", from: String = "phone", into: String = "watch",
    _ flags: String...
  ) async throws -> Answer {
    let ssh = try StandInSSH(bench, before: before)
    let arguments = ["clone", try bench.address(of: from), bench.path(into)]
    return try await bench.start(
      arguments + ["--replica", "watch"] + flags, with: ssh.variables
    ).answer()
  }

  @Test("A store on another computer is cloned, and both continue as replicas of one store")
  func clones() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let answer = try await clone(bench, before: "echo Welcome", "--json")
    let made = try answer.document()
    #expect(made["replica"]?["name"]?.text == "watch", "\(answer)")
    #expect(try #require(made["sync"]?["eventsReceived"]?.number) > 2)
    let own = try await bench.json("status")
    let other = try await bench.json("status", store: "watch")
    #expect(made["store"] == own["store"] && own["store"] == other["store"])
    try await bench.expectSame("watch")
    _ = try await bench.addHabit("Read", store: "watch")
    #expect(try await StandInSSH(bench).sync("watch").status == 0)
    try await bench.expectSame("watch")
  }

  @Test("A name that is already used is reported")
  func takenName() async throws {
    let bench = try await Workbench.withStore("watch")
    let answer = try await clone(bench, from: "watch", into: "second")
    #expect(answer.status == 0 && answer.errors.contains("Another replica is also named watch"))
  }

  private static let named =
    #"carillon-store 11111111-2222-4333-8444-555555555555\ncarillon-sync 1\n"#

  @Test(
    "A failed clone has its exit code and a hint, and leaves nothing behind",
    arguments: [
      ("exit 255", Int32(69), "cannot connect to host"), ("exit 127", 69, "was not found on host"),
      ("echo Hello; exit 0", 76, #"it printed "Hello" and ended"#),
      ("echo carillon-sync 1; sleep 9", 76, "did not name its store"),
      ("exit 0", 69, "the transport ended before the peer sent anything"),
      (#"printf '\#(named)'; exit 0"#, 69, "the transport ended before the sync did"),
      (#"printf '\#(named)\0\0\0\011abc'; exit 0"#, 69, "after 3 bytes of 9 bytes"),
    ])
  func failures(script: String, status: Int32, expected: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await clone(bench, before: script)
    #expect(answer.status == status && answer.errors.contains(expected), "\(answer)")
    #expect(answer.errors.contains("\nhint: "), "\(answer)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("watch")))
  }

  @Test("A missing store and a directory in use are reported as on this computer")
  func wrongPaths() async throws {
    let bench = try await Workbench.withStore()
    let missing = try await clone(bench, from: "nowhere")
    #expect(missing.status == 66 && missing.errors.contains("nowhere"), "\(missing)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("watch")))
    let before = try await bench.log()
    let taken = try await clone(bench, into: "phone")
    #expect(taken.status == 73, "\(taken)")
    #expect(try await bench.log() == before)
    let scheme = try await bench.run("clone", "ftp://host/x", bench.path("watch"), "--replica", "w")
    #expect(scheme.status == 64 && scheme.errors.contains("ssh://"), "\(scheme)")
  }
}
