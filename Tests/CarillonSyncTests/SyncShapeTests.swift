import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import Testing

/// Up to seven replicas in every network shape, some of them copies that share a ReplicaID.
struct SyncShapeTests {
  enum Shape: CaseIterable, Sendable {
    case chain, ring, star, random

    /// The pairs that sync in one round.
    func pairs(_ count: Int, using generator: inout SeededGenerator) -> [(Int, Int)] {
      switch self {
      case .chain: (1..<count).map { ($0 - 1, $0) }
      case .ring: (0..<count).map { ($0, ($0 + 1) % count) }
      case .star: (1..<count).map { (0, $0) }
      case .random:
        (1..<count).map { (Int.random(in: 0..<$0, using: &generator), $0) }
      }
    }
  }

  @Test("All replicas converge to equal logs", arguments: Shape.allCases, 3...7)
  func converges(shape: Shape, count: Int) async throws {
    let seed = UInt64(count)
    var fixture = SyncFixture(seed: seed)
    var logs = [fixture.log()]
    try fixture.write(60, to: logs[0])
    while logs.count < count {
      // Every second log is an unnoticed copy: two devices that share one ReplicaID.
      logs.append(logs.count % 2 == 1 ? fixture.copy(logs[0]) : fixture.log())
    }
    let saved = logs[0].saved
    for round in 0..<3 {
      for log in logs { try fixture.write(Int(fixture.generator.next() % 25), to: log) }
      if round == 1 {
        // Restored from a backup in place, then continued.
        logs[0].restore(saved)
        try fixture.write(3, to: logs[0])
      }
      try await synchronize(shape, logs, &fixture)
    }
    var rounds = 0
    while logs.contains(where: { !$0.isEqual(to: logs[0]) }) {
      rounds += 1
      // Events cross a shape in as many rounds as it is wide, and new ReplicaIDs add events.
      try #require(rounds <= 2 * count + 4, "\(shape), \(count) replicas")
      try await synchronize(shape, logs, &fixture)
    }
    let names = Set(logs.map { $0.saved.identity.replica })
    #expect(names.count == count, "\(shape), \(count) replicas: each ends with its own ReplicaID")
  }

  private func synchronize(
    _ shape: Shape, _ logs: [InMemoryEventLog], _ fixture: inout SyncFixture
  ) async throws {
    for (left, right) in shape.pairs(logs.count, using: &fixture.generator) {
      _ = try #require(try await fixture.synchronize(logs[left], logs[right]))
    }
  }
}
