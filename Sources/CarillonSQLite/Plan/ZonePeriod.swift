package import CarillonModel
internal import Foundation

/// A period that this device spent in one time zone, as observed when it planned.
package struct ZonePeriod: Hashable, Sendable {
  /// The instant at which the device was first observed there.
  package let since: Instant
  /// The instant at which the device was last observed there.
  package let seen: Instant
  /// The zone's name in the IANA database.
  package let zone: String

  /// Creates a value from its parts.
  package init(since: Instant, seen: Instant, zone: String) {
    self.since = since
    self.seen = seen
    self.zone = zone
  }
}

/// The zone history that is kept in a projection file.
struct ZoneHistoryRows {
  let connection: Connection

  /// The time for which a period is kept after it ended, in milliseconds.
  ///
  /// It is longer than the time for which fired requests can be looked up.
  static let lifetime: Int64 = 16 * 86_400_000

  /// Returns all kept periods of a replica in ascending order.
  func read(of replica: ReplicaID) throws -> [ZonePeriod] {
    let rows = try connection.query(
      "SELECT since, seen, zone FROM zone_history WHERE replica = ?1 ORDER BY since", replica)
    var periods: [ZonePeriod] = []
    while try rows.step() {
      periods.append(
        ZonePeriod(since: rows.instant(0), seen: rows.instant(1), zone: try rows.text(2)))
    }
    return periods
  }

  /// Records that a device is in its zone, and removes periods that ended long ago.
  func note(_ basis: PlanBasis) throws {
    try forget(after: basis.now, of: basis.replica)
    let last = try connection.query(
      "SELECT since, seen, zone FROM zone_history WHERE replica = ?1 ORDER BY since DESC LIMIT 1",
      basis.replica)
    var since = basis.now
    if try last.step() {
      // Another process recorded it a moment ago.
      guard last.instant(1) < basis.now else { return }
      if try last.text(2) == basis.zone.identifier { since = last.instant(0) }
    }
    try connection.execute(
      Table.zoneHistory.insertion, basis.replica, since, basis.now, basis.zone.identifier)
    let (oldest, isUnder) = basis.now.milliseconds.subtractingReportingOverflow(Self.lifetime)
    try connection.execute("DELETE FROM zone_history WHERE seen < ?1", isUnder ? Int64.min : oldest)
  }

  /// Reverts what was recorded while the clock was ahead of a moment.
  private func forget(after now: Instant, of replica: ReplicaID) throws {
    for change in [
      "DELETE FROM zone_history WHERE replica = ?1 AND since > ?2",
      "UPDATE zone_history SET seen = ?2 WHERE replica = ?1 AND seen > ?2",
    ] {
      try connection.execute(change, replica, now.lastKnown)
    }
  }
}
