import CarillonModel
import CarillonSync
import CarillonTestSupport
import Testing

/// Replicas whose IDs begin with the same 4 bytes.
struct SyncPrefixTests {
  @Test("Replicas that share a 4-byte prefix are kept apart", arguments: 1...12)
  func collision(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    var logs = (1...4).map { index in
      SyncFixture.log(
        store: SyncFixture.store,
        replica: ReplicaID(high: 0xABCD_EF01_0000_0000 + UInt64(index), low: UInt64(index)))
    }
    logs.append(fixture.log())
    for _ in 0..<12 {
      for log in logs { try fixture.write(Int(fixture.generator.next() % 40), to: log) }
      let left = Int(fixture.generator.next() % 5)
      let right = (left + 1 + Int(fixture.generator.next() % 4)) % 5
      _ = try #require(try await fixture.synchronize(logs[left], logs[right]), "seed \(seed)")
      #expect(logs[left].isEqual(to: logs[right]), "seed \(seed)")
    }
    for round in 0..<2 {
      for log in logs.dropFirst() {
        let report = try #require(try await fixture.synchronize(logs[0], log), "seed \(seed)")
        #expect(report.forks.isEmpty, "seed \(seed), round \(round)")
      }
    }
    for log in logs { #expect(log.isEqual(to: logs[0]), "seed \(seed)") }
  }
}
