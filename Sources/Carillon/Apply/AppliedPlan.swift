public import CarillonModel

/// The result of ``Store/apply(to:)``: what changed in the device's system, and what did not.
public struct AppliedPlan: Hashable, Sendable {
  /// Something that the system refused; the next run tries it again.
  public struct Failure: Hashable, Sendable {
    /// The ID of the request; nil for the badge and for delivered notifications.
    public let id: RequestID?
    /// The system's message.
    public let message: String
  }

  /// The IDs of requests that were removed from the system; ascending.
  public internal(set) var removals: [RequestID] = []
  /// The requests that the system accepted, the soonest first.
  public internal(set) var insertions: [NotificationRequest] = []
  /// What the system refused.
  public internal(set) var failures: [Failure] = []
  /// The number of requests that were already correct.
  package internal(set) var unchanged = 0
  /// The number of requests of other origin.
  ///
  /// They are left alone, and each takes one place.
  package internal(set) var foreign = 0
  /// Why no request may be given to the system; all requests of the store were then removed.
  ///
  /// Nil if requests are allowed.
  public internal(set) var blocked: Blocked?
  /// The IDs of delivered notifications that were removed because they are answered; ascending.
  package internal(set) var deliveredRemovals: [RequestID] = []
  /// The number now on the app's icon.
  package internal(set) var badge = 0
  /// The instant up to which the system holds every planned request.
  public internal(set) var coverageUntil: Instant
  /// When to apply the plan again even if nothing happens.
  public internal(set) var nextWakeHint: Instant
  /// What was recorded; empty if nothing had to change.
  public internal(set) var written = Written.nothing

  /// Whether the system now holds the whole plan.
  public var isComplete: Bool { failures.isEmpty }

  init(_ plan: NotificationPlan, _ difference: PlanDifference) {
    unchanged = difference.unchanged
    foreign = difference.foreign
    blocked = difference.blocked
    coverageUntil = plan.coverageUntil
    nextWakeHint = plan.nextWakeHint
  }

  /// Combines this pass with earlier passes of the same call.
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
