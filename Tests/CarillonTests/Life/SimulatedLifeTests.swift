import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Simulated lives of a phone and a watch, compared with an independent oracle.
///
/// ``LifeExcuse`` lists everything that is excused. A habit with owner `both` fires on both devices
/// intentionally, which does not count as twice.
@Suite struct SimulatedLifeTests {
  @Test(
    "In a life of phone and watch nothing fires twice, and no wanted reminder stays silent")
  func lives() async throws {
    var total = SimulatedLife.Tally()
    for seed in TestSeed.first(8) {
      try await withTemporaryDirectory { directory in
        let life = try await SimulatedLife(seed: seed, in: directory)
        do {
          try await life.live()
        } catch {
          await life.close()
          Issue.record("seed \(seed): \(error)")
          return
        }
        await life.close()
        let (tally, violations) = life.judge()
        total += tally
        for violation in violations.prefix(3) {
          Issue.record("seed \(seed), \(life.plot.zone): \(violation)")
        }
      }
    }
    if TestSeed.isCampaign { print(total) }
    // The excuses must not excuse everything.
    #expect(total.wanted > 0)
    if TestSeed.first(8).count >= 8 {
      #expect(total.fired * 10 >= total.wanted * 7, "\(total)")
      #expect(total.digests > 0, "\(total)")
      let twice = total.twice.values.reduce(0, +)
      #expect(twice * 20 <= total.fired, "\(total)")
    }
  }
}
