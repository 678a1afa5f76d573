import CarillonModel
import CarillonSQLite
import Foundation

/// What was known before a system was asked what it holds.
struct SubmissionStart: Sendable {
  let position: Position
  /// The event of this device's submission before.
  let submission: EventID?
}

/// What a system says it holds and shows.
struct SystemAnswer: Sendable {
  let scheduled: [ScheduledRequest]
  let shown: [DeliveredNotification]
  /// When it was asked.
  let at: Instant
}

/// What one pass gave to the system, and what it found there.
struct Submission: Sendable {
  let plan: Plan
  let applied: AppliedPlan
  let scheduled: [ScheduledRequest]
  let start: SubmissionStart

  /// What the system shall hold.
  var wanted: [Request] { plan.blocked == nil ? plan.requests : [] }

  /// The ids of ours that it holds now.
  var held: Set<String> {
    Set(scheduled.lazy.filter(\.isOurs).map(\.id)).subtracting(applied.removals)
      .union(applied.insertions.lazy.map(\.id))
  }

  /// The requests that it holds as they are wanted.
  var taken: [Request] {
    let (held, failed) = (held, Set(applied.failures.compactMap(\.id)))
    return wanted.filter { held.contains($0.id) && !failed.contains($0.id) }
  }

  /// The event that tells of it; nil where nothing was changed and nothing new failed.
  func payload(after last: PlanSubmitted?) -> PlanSubmitted? {
    let failed = applied.failures.lazy.compactMap(\.id)
    let isTaken = Set(taken.lazy.map(\.id))
    // Where the system lacks one that it refused, nothing is covered beyond.
    let missing = wanted.first { !isTaken.contains($0.id) }.flatMap { $0.fireAt }
    let coverage = min(plan.coverageUntil, missing ?? plan.coverageUntil)
    let submitted = PlanSubmitted(
      added: applied.insertions.count, removed: applied.removals.count, failed: failed.count,
      idsDigest: Self.digest(wanted.map(\.id)),
      coverageUntil: plan.blocked == nil ? coverage : nil,
      dropped: plan.dropped, capacity: plan.capacity)
    if submitted.added > 0 || submitted.removed > 0 { return submitted }
    guard submitted.failed > 0 else { return nil }
    let isKnown =
      last?.failed == submitted.failed && last?.idsDigest == submitted.idsDigest
      && last?.coverageUntil == submitted.coverageUntil
    return isKnown ? nil : submitted
  }

  /// SHA-256 of the ids, ascending, joined by line feeds.
  private static func digest(_ ids: [String]) -> [UInt8] {
    let ordered = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var digest = ContentDigest()
    Array(ordered.joined(separator: "\n").utf8).withUnsafeBytes { digest.update($0) }
    return digest.finalize()
  }
}
