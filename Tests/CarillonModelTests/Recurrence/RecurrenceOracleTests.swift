import Foundation
import Testing

@testable import CarillonModel

/// Holds recurrences against dateutil and zoneinfo, which share no code with them.
@Suite("Recurrences and their oracle")
struct RecurrenceOracleTests {
  @Test("The committed recurrences have the instances that dateutil gives")
  func committed() throws {
    let oracle = try RecurrenceOracle.committed()
    try check(oracle)
    #expect(oracle.recurrences.count >= 300)
  }

  /// `tools/oracle --seed N --count 3000` makes the cases of a seed again.
  @Test("Thousands of random recurrences have the instances that dateutil gives")
  func random() throws {
    let seed = UInt32.random(in: 0...(.max))
    guard let oracle = try RecurrenceOracle.made(count: 3_000, seed: seed) else { return }
    print("Recurrences and their oracle: seed \(seed)")
    try check(oracle)
  }

  private func check(_ oracle: RecurrenceOracle) throws {
    // A few zones may have other rules in another version of the database.
    let isSameVersion = oracle.tzdata == TimeZone.timeZoneDataVersion
    var foundCount = 0
    for vector in oracle.recurrences {
      let disagreement = try vector.disagreement()
      #expect(disagreement == nil, "seed \(oracle.seed)\n\(vector)")
      #expect(try vector.seekingAgrees(), "seed \(oracle.seed)\n\(vector)")
      if isSameVersion {
        #expect(try vector.instantsAgree(), "seed \(oracle.seed)\n\(vector)")
      }
      foundCount += vector.instances.count
    }
    #expect(foundCount > oracle.recurrences.count)
  }
}
