import CarillonModel
import CarillonSync
import CarillonTesting
import Testing

/// Up to seven replicas, some of them copies that write under one name, in every shape.
struct SyncShapeTests {
  enum Shape: CaseIterable, Sendable {
    case chain, firing, star, random

    /// Who syncs with whom, in one round.
    func pairs(_ count: Int, using generator: inout SeededGenerator) -> [(Int, Int)] {
      switch self {
      case .chain: (1..<count).map { ($0 - 1, $0) }
      case .firing: (0..<count).map { ($0, ($0 + 1) % count) }
      case .star: (1..<count).map { (0, $0) }
      case .random:
        (1..<count).map { (Int.random(in: 0..<$0, using: &generator), $0) }
      }
    }
  }

  @Test("All come to equal vectors", arguments: Shape.allCases, 3...7)
  func converges(shape: Shape, count: Int) async throws {
    let seed = UInt64(count)
    var fixture = SyncFixture(seed: seed)
    var logs = [fixture.log()]
    try fixture.write(60, to: logs[0])
    while logs.count < count {
      // Every second one is a copy, unnoticed: two devices that both are `phone`.
      logs.append(logs.count % 2 == 1 ? fixture.copy(logs[0]) : fixture.log())
    }
    let saved = logs[0].saved
    for round in 0..<3 {
      for log in logs { try fixture.write(Int(fixture.generator.next() % 25), to: log) }
      if round == 1 {
        // Set back in place, and written on.
        logs[0].restore(saved)
        try fixture.write(3, to: logs[0])
      }
      try await synchronize(shape, logs, &fixture)
    }
    var rounds = 0
    while logs.contains(where: { !$0.isEqual(to: logs[0]) }) {
      rounds += 1
      // News cross a shape in as many rounds as it is wide, and names that are taken are news.
      try #require(rounds <= 2 * count + 4, "\(shape), \(count) replicas")
      try await synchronize(shape, logs, &fixture)
    }
    let names = Set(logs.map { $0.identity().replica })
    #expect(names.count == count, "\(shape), \(count) replicas: each has its own name in the end")
  }

  private func synchronize(
    _ shape: Shape, _ logs: [CopyableLog], _ fixture: inout SyncFixture
  ) async throws {
    for (left, right) in shape.pairs(logs.count, using: &fixture.generator) {
      _ = try #require(try await fixture.synchronize(logs[left], logs[right]))
    }
  }
}
