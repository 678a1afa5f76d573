/// The requests that the system should have scheduled: at most ``capacity``.
///
/// If not all fit, snoozes, places and reminders with one date come first, then the next request of
/// every schedule, then the soonest of the rest.
///
/// A plan is a pure function of state, clock and zone. Planning twice returns the same plan.
public struct NotificationPlan: Hashable, Sendable {
  /// The moment for which the plan was made.
  package let asOf: Instant
  /// The IANA name of the device's zone.
  package let zone: String
  /// The number of requests that the system can hold.
  package let capacity: Int
  /// The requests, sorted by fire instant, then by the bytes of their IDs.
  ///
  /// Places come last.
  public private(set) var requests: [NotificationRequest]
  /// The instant until which the plan is complete: when the first request that did not fit fires,
  /// or the end of the horizon if that is earlier.
  public let coverageUntil: Instant
  /// The number of requests that did not fit, capped at 1,000.
  ///
  /// A value of 1,000 means 1,000 or more.
  public let dropped: Int
  /// The schedules of the requests that did not fit, places first, then by instant; at most 64.
  public let leftOut: [LeftOutSchedule]
  /// The reason why nothing may be submitted to the system.
  ///
  /// The requests are planned even so. Nil if nothing blocks the plan.
  public let blocked: Blocked?
  /// The number of occurrences whose instant and ID were computed, to plan them or to compare them.
  package let computedCount: Int
  /// The instant before which planning again from the same state and settings returns the same
  /// requests, coverage and dropped count.
  public let validUntil: Instant
  /// The instant at which the host should plan again even if nothing happens.
  ///
  /// Never before the moment for which the plan was made.
  public let nextWakeHint: Instant
  /// The schedules that cannot be planned on this device, sorted by habit and schedule.
  public let problems: [PlanProblem]

  package init(
    asOf: Instant, zone: String, capacity: Int, requests: [NotificationRequest],
    coverageUntil: Instant, dropped: Int, leftOut: [LeftOutSchedule], blocked: Blocked?,
    computedCount: Int, validUntil: Instant, nextWakeHint: Instant, problems: [PlanProblem]
  ) {
    self.asOf = asOf
    self.zone = zone
    self.capacity = capacity
    self.requests = requests
    self.coverageUntil = coverageUntil
    self.dropped = dropped
    self.leftOut = leftOut
    self.blocked = blocked
    self.computedCount = computedCount
    self.validUntil = validUntil
    self.nextWakeHint = nextWakeHint
    self.problems = problems
  }

  /// Returns the plan without the requests that fire at or after an instant.
  ///
  /// A request that the system repeats is in every plan, however far ahead it fires next.
  package func firing(before end: Instant) -> NotificationPlan {
    var plan = self
    plan.requests.removeAll { $0.fireAt.map { $0 >= end } ?? false }
    return plan
  }
}

/// A request that the system holds, reduced to what a comparison with a plan needs.
public struct ScheduledRequest: Hashable, Sendable {
  /// The request's ID.
  public let id: NotificationID
  /// The request's fingerprint, or nil if the system does not return it; then only the ID is
  /// compared.
  public let fingerprint: String?
  /// The instant at which the system should have delivered the request that it still holds, or nil
  /// if the request is not overdue or the system does not report it.
  package var overdueSince: Instant?

  /// Creates a value from its parts.
  public init(id: NotificationID, fingerprint: String? = nil) {
    self.id = id
    self.fingerprint = fingerprint
  }
}

extension Sequence<ScheduledRequest> {
  /// The number of different requests of other origin.
  package var otherCount: Int { Set(lazy.filter { !$0.isOurs }.map(\.id)).count }
}

/// The changes that make the system hold a plan.
///
/// Apply the removals first, then the insertions.
package struct PlanDifference: Hashable, Sendable {
  /// The IDs of Carillon's requests that are scheduled but not in the plan, ascending.
  package let removals: [RequestID]
  /// The requests of the plan that are missing or changed, soonest first.
  ///
  /// A request with an existing ID replaces it.
  package let insertions: [NotificationRequest]
  /// The IDs of answered notifications that this device still displays, ascending.
  ///
  /// Remove them from the screen.
  package var deliveredRemovals: [RequestID] = []
  /// The number of requests that are already correct.
  package let unchanged: Int
  /// The number of requests that belong to others.
  ///
  /// They are never touched.
  package let foreign: Int
  /// The reason why nothing may be submitted to the system.
  ///
  /// If set, all of Carillon's requests are removed. Nil if nothing blocks the plan.
  public let blocked: Blocked?

  package init(
    removals: [RequestID], insertions: [NotificationRequest], unchanged: Int, foreign: Int,
    blocked: Blocked?
  ) {
    self.removals = removals
    self.insertions = insertions
    self.unchanged = unchanged
    self.foreign = foreign
    self.blocked = blocked
  }
}
