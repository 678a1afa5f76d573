import CarillonModel
import CarillonSQLite
import Foundation

/// The store's state before a system was asked for its requests.
struct SubmissionStart: Sendable {
  let position: LogPosition
  /// The event of this device's previous submission.
  let submission: EventID?
}

/// A system's answer: its pending requests and its delivered notifications.
struct SystemAnswer: Sendable {
  let scheduled: [ScheduledRequest]
  let delivered: [DeliveredNotification]
  /// When the system was asked.
  let at: Instant
}

/// One pass of applying the plan: what the system held and what was given to it.
struct Submission: Sendable {
  let plan: NotificationPlan
  let applied: AppliedPlan
  let scheduled: [ScheduledRequest]
  let start: SubmissionStart

  /// The requests that the system should hold.
  var wanted: [NotificationRequest] { plan.blocked == nil ? plan.requests : [] }

  /// The IDs of the store's requests that the system now holds.
  var held: Set<RequestID> {
    Set(scheduled.lazy.compactMap(\.id.request)).subtracting(applied.removals)
      .union(applied.insertions.lazy.map(\.id))
  }

  /// The wanted requests that the system now holds unchanged.
  var accepted: [NotificationRequest] {
    let (held, failed) = (held, Set(applied.failures.compactMap(\.id)))
    return wanted.filter { held.contains($0.id) && !failed.contains($0.id) }
  }

  /// Returns the event that records the submission; nil if nothing changed, the coverage of the
  /// last one has not ended, and there is no new failure.
  func payload(after last: PlanSubmitted?) -> PlanSubmitted? {
    let failed = applied.failures.lazy.compactMap(\.id)
    let isAccepted = Set(accepted.lazy.map(\.id))
    // If the system lacks a wanted request, the coverage ends there.
    let missing = wanted.first { !isAccepted.contains($0.id) }.flatMap { $0.fireAt }
    let coverage = min(plan.coverageUntil, missing ?? plan.coverageUntil)
    let submitted = PlanSubmitted(
      added: applied.insertions.count, removed: applied.removals.count, failed: failed.count,
      idsDigest: Self.digest(wanted.map(\.id)),
      coverageUntil: plan.blocked == nil ? coverage : nil,
      dropped: plan.dropped, capacity: plan.capacity)
    if submitted.added > 0 || submitted.removed > 0 { return submitted }
    if let last, let end = last.coverageUntil, end <= plan.asOf, end != submitted.coverageUntil {
      return submitted
    }
    guard submitted.failed > 0 else { return nil }
    let isKnown =
      last?.failed == submitted.failed && last?.idsDigest == submitted.idsDigest
      && last?.coverageUntil == submitted.coverageUntil
    return isKnown ? nil : submitted
  }

  /// Returns the SHA-256 of the IDs, ascending, joined by line feeds.
  static func digest(_ ids: [RequestID]) -> [UInt8] {
    var digest = ContentDigest()
    Array(ids.sorted().map(\.description).joined(separator: "\n").utf8).withUnsafeBytes {
      digest.update($0)
    }
    return digest.finalize()
  }
}

extension Store {
  /// Whether this device submitted a plan's requests last, and its system accepted them.
  package func isSubmitted(_ plan: NotificationPlan) async throws(StoreError) -> Bool {
    let wanted = plan.blocked == nil ? plan.requests.map(\.id) : []
    return try await read { context in
      guard let last = try context.reader.submission(of: context.replica)?.plan else {
        return wanted.isEmpty
      }
      return last.failed == 0 && last.idsDigest == Submission.digest(wanted)
    }
  }
}
