internal import Foundation

/// The seed of the tests that act at random.
package enum TestSeed {
  /// The value of `CARILLON_SEED`, else 1: without it, each run of the suite is the same.
  ///
  /// `tools/test --seed` sets it.
  package static let value: UInt64 =
    ProcessInfo.processInfo.environment["CARILLON_SEED"].flatMap(UInt64.init) ?? 1
}
