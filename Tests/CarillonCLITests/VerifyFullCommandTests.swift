import Foundation
import Testing

/// `verify --full` and `verify --repair`.
struct VerifyFullCommandTests {
  @Test("verify --full of an intact store exits with 0, and --repair has nothing to do")
  func intact() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    for flag in ["--full", "--repair"] {
      let answer = try await bench.run("verify", flag)
      #expect(answer.status == 0 && answer.output.hasPrefix("No problems found in"), "\(answer)")
    }
    let document = try await bench.json("verify", "--full")
    #expect(document["ok"] == .bool(true) && document["events"]?.number ?? 0 > 0)
  }

  @Test("verify --full names a damaged event, what is lost, and a command that restores it")
  func damagedEvent() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Findable", "--at", "17:00")
    try await bench.run("clone", bench.path("phone"), bench.path("other"), "--replica", "other")
    try await bench.run("sync", bench.path("other"))
    try bench.damage("Findable")
    for flag in ["--full", "--repair"] {
      let answer = try await bench.run("verify", flag)
      #expect(answer.status == 1, "\(answer)")
      #expect(answer.output.contains("phone@2: the content of an event"), "\(answer)")
      #expect(answer.output.contains("lost: this event, unless another replica"), "\(answer)")
      #expect(answer.output.contains("sync PEER --audit\n"), "\(answer)")
      #expect(answer.output.contains("carillon restore BACKUP NEW-STORE\n"), "\(answer)")
      #expect(!answer.output.contains("verify --repair"), "\(answer)")
      #expect(
        answer.output.hasPrefix("Nothing could be repaired.\n") == (flag == "--repair"),
        "\(answer)")
    }
    #expect(try await bench.json("verify", "--full")["ok"] == .bool(false))
    let sync = try await bench.run("sync", bench.path("other"), "--audit")
    #expect(sync.status == 0, "\(sync)")
    #expect(try await bench.run("verify", "--full").status == 0)
  }
}
