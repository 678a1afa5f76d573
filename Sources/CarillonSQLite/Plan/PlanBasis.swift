package import CarillonModel
internal import Foundation

/// What a kept plan answers for: with equal bases and an unmoved log, planning again would give
/// the same plan.
package struct PlanBasis: Hashable, Sendable {
  /// The replica that plans.
  package let replica: ReplicaID
  /// Zone, capacity, horizon and day start.
  package let settings: PlanSettings
  /// The moment of the question.
  package let now: Instant
  /// The version of the system's zone database.
  package let zoneDataVersion: String

  /// Makes a basis for a plan on this system.
  package init(replica: ReplicaID, settings: PlanSettings, now: Instant) {
    self.init(
      replica: replica, settings: settings, now: now,
      zoneDataVersion: TimeZone.timeZoneDataVersion)
  }

  /// Makes a value of its parts.
  package init(
    replica: ReplicaID, settings: PlanSettings, now: Instant, zoneDataVersion: String
  ) {
    self.replica = replica
    self.settings = settings
    self.now = now
    self.zoneDataVersion = zoneDataVersion
  }
}
