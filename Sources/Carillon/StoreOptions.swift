public import Foundation
public import Logging

/// What a store takes from outside: clock, zone, randomness.
public struct StoreOptions: Sendable {
  /// Reads the wall clock.
  public var clock: @Sendable () -> Instant
  /// The device's time zone.
  public var zone: @Sendable () -> TimeZone
  /// How many requests the device's system keeps; 1...10,000.
  public var capacity: Int
  /// How many civil days the plan looks ahead, 1...400; nil: as the store's settings say.
  public var horizonDays: Int?
  /// How long to wait for another process that holds what is needed; then the call throws `busy`.
  ///
  /// The first handle of a process on a store decides for the log.
  public var busyTimeout = Duration.seconds(10)
  /// How long to wait for another process that builds the projections and stands still; then the
  /// call throws `busy`.
  ///
  /// While the other's file grows, it is waited for.
  public var builderTimeout = Duration.seconds(60)
  /// Is told of what the store repairs by itself: copies, damaged projections, dead readers.
  ///
  /// The first handle of a process on a store decides for the log.
  public var logger = Logger(label: "carillon")

  /// Makes options; by default the system's clock and zone, 64 requests, and the store's
  /// horizon.
  public init(
    clock: @escaping @Sendable () -> Instant = {
      Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    },
    zone: @escaping @Sendable () -> TimeZone = { .current },
    capacity: Int = SystemCapacity.iOS,
    horizonDays: Int? = nil
  ) {
    self.clock = clock
    self.zone = zone
    self.capacity = capacity
    self.horizonDays = horizonDays
  }
}
