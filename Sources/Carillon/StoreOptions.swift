internal import CarillonSQLite
public import Foundation
public import Logging

/// The environment of a store: clock, time zone, limits and logger.
public struct StoreOptions: Sendable {
  /// Reads the wall clock.
  public var clock: @Sendable () -> Instant
  /// Returns the device's time zone.
  ///
  /// By default, it is the one that the environment variable `TZ` names, or else the system's; UTC
  /// if `TZ` names no zone of the time zone database.
  public var zone: @Sendable () -> TimeZone
  /// The number of requests that the device's system can hold; 1...10,000.
  public var capacity: Int
  /// The number of civil days that the plan looks ahead, 1...400; nil uses the store's setting.
  public var horizonDays: Int?
  /// How long to wait for another process that holds a needed resource, before a call throws
  /// `busy`.
  ///
  /// For the log, the value of the process's first handle on the store applies.
  public var busyTimeout = Duration.seconds(10)
  /// What has been done when a write returns: by default, the disk has it.
  ///
  /// The value of the process's first handle on the store applies. Other processes keep their own.
  public var durability = Durability.full
  /// How long to wait for another process that builds the projections without progress, before a
  /// call throws `busy`.
  ///
  /// The wait continues as long as the other process's file grows.
  package var builderTimeout = Duration.seconds(60)
  /// Whether a sealed store is also opened without its keys, to check, sync and back it up.
  package var mayLackKeys = false
  /// Whether a store may be created where an interrupted join left the credential of a service.
  package var continuesJoin = false
  /// The store's projection file, if it is already open.
  var projections: OpenedProjections?
  /// Receives messages about automatic repairs: of copied stores, damaged projections and dead
  /// readers.
  ///
  /// For the log, the value of the process's first handle on the store applies.
  public var logger = Logger(label: "carillon")

  /// Creates options.
  ///
  /// The defaults are the system's clock and zone, 64 requests, and the store's horizon.
  public init(
    clock: @escaping @Sendable () -> Instant = {
      Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    },
    zone: (@Sendable () -> TimeZone)? = nil,
    capacity: Int = SystemCapacity.iOS,
    horizonDays: Int? = nil
  ) {
    self.clock = clock
    self.zone = zone ?? { TimeZone.device ?? .gmt }
    self.capacity = capacity
    self.horizonDays = horizonDays
  }
}
