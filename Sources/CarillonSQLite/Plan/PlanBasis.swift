package import CarillonModel
package import Foundation

/// What a kept plan answers for: with equal bases and an unmoved log, planning again would give
/// the same plan.
package struct PlanBasis: Hashable, Sendable {
  /// The replica that plans.
  package let replica: ReplicaID
  /// The device's zone.
  package let zone: TimeZone
  /// How many requests the system keeps.
  package let capacity: Int
  /// How many civil days are planned; nil: as the store's settings say.
  package let horizonDays: Int?
  /// The moment of the question.
  package let now: Instant
  /// The version of the system's zone database.
  package let zoneDataVersion: String

  /// Makes a basis, by default for a plan on this system.
  package init(
    replica: ReplicaID, zone: TimeZone, capacity: Int, horizonDays: Int?, now: Instant,
    zoneDataVersion: String = TimeZone.timeZoneDataVersion
  ) {
    self.replica = replica
    self.zone = zone
    self.capacity = capacity
    self.horizonDays = horizonDays
    self.now = now
    self.zoneDataVersion = zoneDataVersion
  }

  /// The settings of a plan for it, with those of the store.
  package func settings(_ store: StoreSettings) -> PlanSettings {
    PlanSettings(zone: zone, capacity: capacity, horizonDays: horizonDays, store: store)
  }
}
