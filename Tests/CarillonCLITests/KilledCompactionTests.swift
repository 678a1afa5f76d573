import CarillonTestSupport
import Foundation
import Testing

/// Compactions that are killed.
struct KilledCompactionTests {
  /// The moment at which a compaction is killed.
  private enum Moment: CaseIterable {
    /// At a random moment.
    case whenever
    /// While the log's file is rewritten, or right afterwards.
    case rewriting
    /// While the projections are rebuilt, or right afterwards.
    case rebuilding
  }

  @Test("A compaction that is killed at any moment loses nothing and leaves nothing behind")
  func killed() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let bench = try await Self.filled()
    let start = ContinuousClock.now
    #expect(try await bench.run("compact").status == 0)
    let whole = Int((ContinuousClock.now - start) / .microseconds(1))
    let (log, digest) = (try await bench.log(), try await bench.digest())
    for round in 0..<6 {
      let moment = Moment.allCases[round % 3]
      let child = try await bench.start(["compact"])
      try await Self.wait(for: moment, of: child, in: bench)
      try await Task.sleep(
        for: .microseconds(
          Int.random(in: 0..<(moment == .whenever ? whole : 8_000), using: &random)))
      child.killGroup()
      _ = try await child.answer()
      let verified = try await bench.run("verify")
      #expect(verified.status == 0, "seed \(seed), \(moment): \(verified)")
      #expect(try await bench.log() == log, "seed \(seed), \(moment)")
      #expect(try await bench.digest() == digest, "seed \(seed), \(moment)")
      #expect(try Self.leftovers(bench) == [], "seed \(seed), \(moment)")
    }
    #expect(try await bench.rebuiltDigest() == digest, "seed \(seed)")
  }

  /// A store of some thousand events, some of them erased.
  private static func filled() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    let kept = try await bench.addHabit("Walk", "--at", "17:00")
    let erased = try await bench.addHabit("Read", "--at", "17:00")
    try await bench.run("append", input: bench.entries(of: kept, count: 1_200))
    try await bench.run("append", input: bench.entries(of: erased, count: 400))
    try await bench.run("habit", "delete", "Read", "--erase", "--yes")
    return bench
  }

  private static func wait(for moment: Moment, of child: Child, in bench: Workbench) async throws {
    let before = try names(bench)
    while child.isRunning {
      switch moment {
      case .whenever: return
      case .rewriting: if try names(bench).contains("log/data.mdb.compacted") { return }
      case .rebuilding:
        if try names(bench).contains(where: { isProjection($0) && !before.contains($0) }) { return }
      }
      await Task.yield()
    }
  }

  /// The files that a store does not have after it was opened and closed.
  private static func leftovers(_ bench: Workbench) throws -> [String] {
    let names = try names(bench)
    let projections = names.filter(isProjection)
    return names.filter { $0.contains("compacted") } + projections.sorted().dropLast()
  }

  private static func isProjection(_ name: String) -> Bool {
    name.hasPrefix("projection") && name.hasSuffix(".sqlite")
  }

  private static func names(_ bench: Workbench) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: bench.path("phone"))
  }
}
