import Foundation

/// The seeds of random lives and histories: few in the suite, any number in a campaign.
///
/// `tools/live` sets them. A failure prints its seed, and `tools/live --seed S` replays it. The
/// seed determines everything except the IDs of replicas and events, which have no influence here.
enum LifeSeeds {
  /// Returns `count` seeds, or those of the campaign.
  static func first(_ count: Int) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["CARILLON_LIVE_SEED"].flatMap(UInt64.init) ?? 1
    let asked = environment["CARILLON_LIVE_SEEDS"].flatMap(Int.init)
    return (0..<(asked ?? count)).map { first &+ UInt64($0) }
  }

  /// Whether a campaign is running, which prints its counts.
  static var isCampaign: Bool { ProcessInfo.processInfo.environment["CARILLON_LIVE_SEEDS"] != nil }
}
