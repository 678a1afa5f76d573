package import CarillonModel
package import Foundation

/// The inputs for which a kept plan is valid.
///
/// With an equal basis and an unchanged log, planning again would result in the same plan.
package struct PlanBasis: Hashable, Sendable {
  /// The replica that plans.
  package let replica: ReplicaID
  /// The device's time zone.
  package let zone: TimeZone
  /// The number of requests that the system keeps.
  package let capacity: Int
  /// The number of civil days to plan; nil uses the store's setting.
  package let horizonDays: Int?
  /// The moment for which the plan is requested.
  package let now: Instant
  /// The version of the system's zone database.
  package let zoneDataVersion: String

  /// Creates a basis, by default with this system's zone database.
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

  /// Returns the settings of a plan for this basis and the store's settings.
  package func settings(_ store: StoreSettings) -> PlanSettings {
    PlanSettings(zone: zone, capacity: capacity, horizonDays: horizonDays, store: store)
  }
}
