internal import Foundation

/// The seeds of the tests that act at random: few in the suite, any number in a campaign.
///
/// `tools/test --seed` sets the first seed, and `tools/live` also their number. A failure prints
/// its seed, with which it can be replayed.
package enum TestSeed {
  /// The value of `CARILLON_SEED`, else 1: without it, each run of the suite is the same.
  package static let value = number("CARILLON_SEED") ?? 1

  /// Whether a campaign is running, which prints its counts.
  package static var isCampaign: Bool { number("CARILLON_SEEDS") != nil }

  /// Returns `count` consecutive seeds; in a campaign, as many as `CARILLON_SEEDS` says.
  package static func first(_ count: UInt64) -> Range<UInt64> {
    value..<value + (number("CARILLON_SEEDS") ?? count)
  }

  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
  }
}
