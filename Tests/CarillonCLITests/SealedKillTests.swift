import CarillonTestSupport
import Foundation
import Testing

/// Sealing and revoking, killed at any moment.
@Suite(.timeLimit(.minutes(30)))
struct SealedKillTests {
  /// Runs a command that is killed at a random moment of its first milliseconds.
  private static func kill(
    _ bench: Workbench, _ arguments: [String], within microseconds: UInt32,
    _ random: inout SeededGenerator
  ) async throws {
    let child = try await bench.start(arguments)
    try await Task.sleep(for: .microseconds(UInt32.random(in: 0..<microseconds, using: &random)))
    child.killGroup()
    _ = try await child.answer()
  }

  @Test("Sealing that is killed leaves the plain store as it is, and can be repeated")
  func seal() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("append", input: bench.entries(of: habit, count: 4_000))
    let (before, log) = (try await bench.run("today"), try await bench.log())
    for round in 0..<8 {
      let (name, context) = ("sealed\(round)", "seed \(seed), round \(round)")
      try await Self.kill(bench, ["seal", bench.path(name)], within: 400_000, &random)
      #expect(try await bench.log() == log, "\(context)")
      var status = try await bench.run("status", store: name)
      if status.status != 0 {
        #expect(status.status == 66, "\(context): \(status)")
        let again = try await bench.run("seal", bench.path(name))
        #expect(again.status == 0, "\(context): \(again)")
        status = try await bench.run("status", store: name)
      }
      #expect(try await bench.run("today", store: name).output == before.output, "\(context)")
      let events = try await bench.run("log", "--json", store: name).documents()
      let count = events.count { $0["type"]?.text == "entry.recorded" }
      #expect(count == 4_000, "\(context)")
      #expect(try await bench.run("verify", store: name).status == 0, "\(context)")
    }
  }

  @Test("A revocation that is killed loses nothing, and the next one ends it")
  func revoke() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    for round in 0..<6 {
      let context = "seed \(seed), round \(round)"
      let bench = try Workbench()
      let made = try await bench.json("init", "--sealed", "--replica", "phone")
      let phrase = (made["recoveryPhrase"]?.list ?? []).compactMap(\.text).joined(separator: " ")
      _ = try await bench.addHabit("Walk", "--at", "17:00")
      for name in ["watch", "tablet"] {
        try await bench.run("clone", bench.path("phone"), bench.path(name), "--replica", name)
      }
      try await Self.kill(bench, ["access", "revoke", "watch"], within: 60_000, &random)
      let revoked = try await bench.json("access", "revoke", "watch")
      #expect(revoked["epoch"]?.text?.hasPrefix("1-") == false, "\(context): \(revoked)")
      _ = try await bench.addHabit("Read", "--at", "18:00")
      for name in ["watch", "tablet"] {
        #expect(try await bench.run("sync", bench.path(name)).status == 0, "\(context)")
      }
      #expect(try await bench.digest() == bench.digest("tablet"), "\(context)")
      let (tablet, watch) = (
        try await bench.run("today", store: "tablet"), try await bench.run("today", store: "watch")
      )
      #expect(tablet.output.contains("Read"), "\(context): \(tablet)")
      #expect(!watch.output.contains("Read") && watch.output.contains("Walk"), "\(context)")
      #expect(try await bench.run("verify").status == 0, "\(context)")
      try FileManager.default.removeItem(at: bench.url("phone/keys"))
      let opened = try await bench.run("recover", input: phrase)
      #expect(opened.status == 0, "\(context): \(opened)")
      #expect(try await bench.digest() == bench.digest("tablet"), "\(context)")
    }
  }
}
