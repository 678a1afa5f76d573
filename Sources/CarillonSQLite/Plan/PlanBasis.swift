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

/// The occurrence that a request id stands for.
package struct RequestOccurrence: Hashable, Sendable {
  /// The request id.
  package let request: String
  /// The habit that it reminds of.
  package let habit: HabitID
  /// The slot whose rule and time it comes from.
  package let slot: SlotID
  /// The civil date and time by which the occurrence is named.
  package let nominal: CivilDateTime
  /// When it fires, or fired.
  package let fireAt: Instant
}
