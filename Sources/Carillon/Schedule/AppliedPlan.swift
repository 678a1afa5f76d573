public import CarillonModel

/// What ``Store/apply(to:)`` changed in the device's system, and what it left.
public struct AppliedPlan: Hashable, Sendable {
  /// Something that the system refused; the next run tries it again.
  public struct Failure: Hashable, Sendable {
    /// The request that it concerns; nil for the badge and for what is shown.
    public let id: String?
    /// What the system said.
    public let message: String
  }

  /// Ids of ours that were taken from the system's list; ascending.
  public internal(set) var removals: [String] = []
  /// Requests that the system took, the soonest first.
  public internal(set) var insertions: [Request] = []
  /// What the system refused.
  public internal(set) var failures: [Failure] = []
  /// How many were as they should be.
  public internal(set) var unchanged = 0
  /// How many belong to others; they were not touched, and each takes one place.
  public internal(set) var foreign = 0
  /// Why nothing may be given to the system: then all of ours was removed; nil where it may.
  public internal(set) var blocked: Blocked?
  /// Ids of notifications that were shown though they are answered, and were taken away; ascending.
  public internal(set) var deliveredRemovals: [String] = []
  /// The number that the app's icon carries now.
  public internal(set) var badge = 0
  /// Until when the system misses nothing of what was planned.
  public internal(set) var coverageUntil: Instant
  /// When to apply again though nothing happened.
  public internal(set) var nextWakeHint: Instant
  /// What was recorded; empty where nothing had to change.
  public internal(set) var written = Written.nothing

  /// Whether the system holds the plan now.
  public var isComplete: Bool { failures.isEmpty }

  init(_ plan: Plan, _ difference: PlanDifference) {
    unchanged = difference.unchanged
    foreign = difference.foreign
    blocked = difference.blocked
    coverageUntil = plan.coverageUntil
    nextWakeHint = plan.nextWakeHint
  }

  /// This pass, with what earlier passes of the same call did.
  func following(_ earlier: AppliedPlan?) -> AppliedPlan {
    guard let earlier else { return self }
    var all = self
    all.removals = Set(earlier.removals + removals).sorted()
    let again = Set(insertions.map(\.id))
    all.insertions = earlier.insertions.filter { !again.contains($0.id) } + insertions
    all.deliveredRemovals = Set(earlier.deliveredRemovals + deliveredRemovals).sorted()
    all.written = Written(events: earlier.written.events + written.events)
    return all
  }
}
