import Foundation
import Testing

/// `carillon sync ssh://...` through a real server.
@Suite(
  .timeLimit(.minutes(30)),
  .enabled(if: SSHServer.missing == nil, "\(SSHServer.missing ?? "")"))
struct SSHTests {
  private static func bench() async throws -> (Workbench, SSHServer) {
    let bench = try await Workbench.withStore()
    let clone = try await bench.run(
      "clone", bench.path("phone"), bench.path("the watch's"), "--replica", "watch")
    try #require(clone.status == 0, "\(clone)")
    return (bench, try await SSHServer())
  }

  @Test("Two replicas on both sides of ssh become equal")
  func sync() async throws {
    let (bench, server) = try await Self.bench()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("append", input: bench.entries(of: habit, count: 3_000))
    _ = try await bench.addHabit("Read", store: "the watch's")
    let peer = try bench.address(of: "the watch's", on: server.address)
    let answer = try await bench.start(
      ["sync", peer, "--json"], with: server.variables
    ).answer()
    #expect(try answer.document()["eventsSent"]?.number == 3_003, "\(answer)")
    try await bench.expectSame("the watch's")
    let again = try await bench.start(["sync", peer], with: server.variables).answer()
    #expect(again.status == 0 && again.output == "Both have the same events.\n", "\(again)")
  }

  @Test("A store on the other side of ssh is cloned")
  func clone() async throws {
    let (bench, server) = try await Self.bench()
    let peer = try bench.address(of: "the watch's", on: server.address)
    let answer = try await bench.start(
      ["clone", peer, bench.path("tablet"), "--replica", "tablet"], with: server.variables
    ).answer()
    #expect(answer.status == 0 && answer.output.contains("Created replica tablet"), "\(answer)")
    let same = try await bench.run("diff", bench.path("tablet"), bench.path("the watch's"))
    #expect(same.status == 0, "\(same)")
    let refused = try await bench.start(
      ["clone", peer, bench.path("second"), "--replica", "second"],
      with: server.variables.merging(["CARILLON_REMOTE": "carillon-that-is-not-there"]) { $1 }
    ).answer()
    #expect(refused.status == 69 && refused.errors.contains("was not found on"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("second")))
  }

  @Test("An error of the peer has its exit code and a hint")
  func failures() async throws {
    let (bench, server) = try await Self.bench()
    let stranger = server.command(key: "stranger")
    for (path, variables, status, expected) in [
      ("nowhere", [:], Int32(66), "ended with exit code 66"),
      ("phone", ["CARILLON_REMOTE": "carillon-that-is-not-there"], 69, "was not found on"),
      ("phone", ["CARILLON_SSH": stranger], 69, "cannot connect to"),
    ] as [(String, [String: String], Int32, String)] {
      let answer = try await bench.start(
        ["sync", try bench.address(of: path, on: server.address)],
        with: server.variables.merging(variables) { $1 }
      ).answer()
      #expect(answer.status == status && answer.errors.contains(expected), "\(answer)")
    }
  }

  @Test("A watch over ssh syncs what either side writes, and ends on Ctrl-C")
  func watch() async throws {
    let (bench, server) = try await Self.bench()
    let peer = try bench.address(of: "the watch's", on: server.address)
    let child = try await bench.start(
      ["sync", peer, "--watch", "--every", "1s"], with: server.variables)
    _ = try await bench.addHabit("Walk")
    try await child.prints { $0.contains("Sent 2 and received 0 events") }
    _ = try await bench.addHabit("Read", store: "the watch's")
    try await child.prints { $0.contains("Sent 0 and received 2 events") }
    child.signal(SIGINT)
    let answer = try await child.answer()
    #expect(answer.status == SIGINT && answer.errors.isEmpty, "\(answer)")
    try await bench.expectSame("the watch's")
  }
}
