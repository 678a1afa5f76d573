/// What the system should have scheduled: at most `capacity` requests, the soonest.
///
/// A pure function of state, clock and zone; planning twice gives the same plan.
public struct Plan: Hashable, Sendable {
  /// The moment for which it was planned.
  public let asOf: Instant
  /// The device's zone, by its IANA name.
  public let zone: String
  /// How many requests the system keeps.
  public let capacity: Int
  /// By (fire, id as bytes); places last.
  public let requests: [Request]
  /// Until when nothing is missing: the fire of the first request not taken, at most the end of
  /// the horizon.
  public let coverageUntil: Instant
  /// How many requests were not taken, counted up to 1,000, which then means 1,000 or more.
  public let dropped: Int
  /// Why nothing may be given to the system, though the queue is planned.
  public let blocked: Blocked?
  /// How many occurrences got their instant and id, to be planned or to find which is sooner.
  public let computedCount: Int
  /// Until when, exclusively, planning again from the same state and settings gives the same
  /// requests, coverage and dropped count.
  public let validUntil: Instant
  /// When the host should plan again though nothing happened; never before ``asOf``.
  public let nextWakeHint: Instant
  /// The schedules that cannot be planned here, by habit and schedule.
  public let problems: [PlanProblem]

  package init(
    asOf: Instant, zone: String, capacity: Int, requests: [Request], coverageUntil: Instant,
    dropped: Int, blocked: Blocked?, computedCount: Int, validUntil: Instant,
    nextWakeHint: Instant, problems: [PlanProblem]
  ) {
    self.asOf = asOf
    self.zone = zone
    self.capacity = capacity
    self.requests = requests
    self.coverageUntil = coverageUntil
    self.dropped = dropped
    self.blocked = blocked
    self.computedCount = computedCount
    self.validUntil = validUntil
    self.nextWakeHint = nextWakeHint
    self.problems = problems
  }
}

/// A request that the system holds: all that is needed to compare it with a plan.
public struct ScheduledRequest: Hashable, Sendable {
  /// The request's id.
  public let id: String
  /// Nil where the system cannot tell; then the id alone decides.
  public let fingerprint: String?

  /// Makes a value of its parts.
  public init(id: String, fingerprint: String? = nil) {
    self.id = id
    self.fingerprint = fingerprint
  }
}

/// What to change so that the system holds a plan.
///
/// Remove first, then add.
public struct PlanDifference: Hashable, Sendable {
  /// Ids of ours that are scheduled and not wanted; ascending.
  public let removals: [String]
  /// Requests that are wanted and absent, or changed (the same id replaces); soonest first.
  public let insertions: [Request]
  /// Ids of notifications that are shown here and answered: to be taken from the screen; ascending.
  public package(set) var deliveredRemovals: [String] = []
  /// How many are as they should be.
  public let unchanged: Int
  /// How many belong to others; they are never touched.
  public let foreign: Int
  /// Why nothing may be given to the system: then all of ours is removed; nil where it may.
  public let blocked: Blocked?

  package init(
    removals: [String], insertions: [Request], unchanged: Int, foreign: Int, blocked: Blocked?
  ) {
    self.removals = removals
    self.insertions = insertions
    self.unchanged = unchanged
    self.foreign = foreign
    self.blocked = blocked
  }
}
