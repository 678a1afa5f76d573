import CarillonTestSupport
import Foundation
import Testing

@testable import CarillonModel

/// Compares recurrences with dateutil and zoneinfo, which share no code with Carillon.
@Suite("Recurrences compared with dateutil")
struct RecurrenceOracleTests {
  @Test("The committed recurrences have the same instances as in dateutil")
  func committed() throws {
    let oracle = try RecurrenceOracle.committed()
    try check(oracle)
    #expect(oracle.recurrences.count >= 300)
  }

  /// `tools/oracle --seed N --count 2000` reproduces the cases of a seed.
  @Test(
    "Thousands of random recurrences have the same instances as in dateutil",
    .enabled("python3 with dateutil is not installed here") {
      try await RecurrenceOracle.isAvailable()
    })
  func random() async throws {
    let seed = UInt32(truncatingIfNeeded: TestSeed.value)
    try check(try await RecurrenceOracle.made(count: 2_000, seed: seed))
  }

  private func check(_ oracle: RecurrenceOracle) throws {
    // In another version of the database a few zones may have different rules.
    let isSameVersion = oracle.tzdata == TimeZone.timeZoneDataVersion
    var foundCount = 0
    for vector in oracle.recurrences {
      if let disagreement = try vector.disagreement() {
        Issue.record("seed \(oracle.seed): \(disagreement)\n\(vector)")
      }
      if isSameVersion, try !vector.instantsAgree() {
        Issue.record("seed \(oracle.seed): other instants\n\(vector)")
      }
      foundCount += vector.instances.count
    }
    #expect(foundCount > oracle.recurrences.count)
  }
}
