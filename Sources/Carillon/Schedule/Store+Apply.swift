public import CarillonModel
import CarillonSQLite
import Foundation

extension Store {
  /// Makes the device's system hold the plan, and records what it was given and what it showed.
  ///
  /// The system's own list is compared with the plan, each time and whole, so that whatever
  /// happened to the list meanwhile (a restart, permission taken back and given again, a run that
  /// was cut off) is repaired. What is not wanted is removed first; then what is missing or changed
  /// is added, the soonest first and never more than the device's system keeps, others' requests
  /// included. While nothing may be shown, all of ours is removed and none is added.
  ///
  /// What the system shows, and what it still holds though it was due, is recorded before the plan
  /// is made. Afterwards it is recorded in one transaction which occurrences the system holds and
  /// when it fires them, which it no longer holds, and that the plan was submitted where it changed
  /// anything. At last what is shown though it is answered is taken away, and the badge is set.
  ///
  /// Call it at launch, in the background, after every change, and when permission changes. A
  /// second call changes and writes nothing. Any number of tasks and processes may call it at once.
  ///
  /// - Returns: What was changed; ``AppliedPlan/failures`` names what the system refused, which the
  ///   next call tries again.
  /// - Throws: `io` where the system's list cannot be read, then nothing was changed; `cancelled`
  ///   after what was done was recorded; and what ``plan(capacity:horizonDays:)`` throws.
  @discardableResult
  public func apply(to scheduler: any NotificationScheduler) async throws -> AppliedPlan {
    var applied: AppliedPlan?
    for _ in 0..<Self.maxPasses {
      let pass = try await applyOnce(to: scheduler)
      applied = pass.applied.following(applied)
      // Somebody wrote meanwhile, perhaps after giving the system another plan, or what fired
      // elsewhere would fire again: compared again, the last to finish leaves what is right.
      guard pass.isOutdated else { break }
    }
    guard let applied else { preconditionFailure("no pass was made") }
    return applied
  }

  /// More passes than writers that come in between by chance; a constant stream of events does not
  /// keep the caller for ever.
  private static let maxPasses = 4

  private struct Pass {
    var applied: AppliedPlan
    let isOutdated: Bool
  }

  private func applyOnce(to scheduler: any NotificationScheduler) async throws -> Pass {
    let asked = options.clock()
    let (scheduled, shown) = try await listed(by: scheduler)
    let told = try await recordTold(SystemAnswer(scheduled: scheduled, shown: shown, at: asked))
    let start = try await read { context in
      SubmissionStart(
        position: context.reader.position,
        submission: try context.reader.submission(of: context.replica)?.event)
    }
    var plan = try await plan()
    let foreign = Set(scheduled.lazy.filter { !$0.isOurs }.map(\.id)).count
    if foreign > 0 { plan = try await self.plan(capacity: max(0, options.capacity - foreign)) }
    let difference = plan.difference(from: scheduled)
    var applied = AppliedPlan(plan, difference)
    await change(scheduler, from: scheduled, by: difference, capacity: plan.capacity, &applied)
    let submission = Submission(plan: plan, applied: applied, scheduled: scheduled, start: start)
    let (given, isOutdated) = try await record(submission)
    applied.written = Written(events: told.events + given.events)
    try await clearAnswered(scheduler, shown, &applied)
    try Task.checkCancellation()
    return Pass(applied: applied, isOutdated: isOutdated)
  }

  private func listed(
    by scheduler: any NotificationScheduler
  ) async throws -> ([ScheduledRequest], [DeliveredNotification]) {
    do {
      return (try await scheduler.scheduled(), try await scheduler.delivered())
    } catch {
      throw StoreError(
        code: .io, message: "the system's list cannot be read: \(error)",
        hint: "nothing was changed; apply the plan again", cause: error)
    }
  }

  /// Removes first, then adds, and notes what became of each.
  private func change(
    _ scheduler: any NotificationScheduler, from scheduled: [ScheduledRequest],
    by difference: PlanDifference, capacity: Int, _ applied: inout AppliedPlan
  ) async {
    var held = Set(scheduled.lazy.filter(\.isOurs).map(\.id))
    if !difference.removals.isEmpty {
      do {
        try await scheduler.remove(difference.removals)
        applied.removals = difference.removals
        held.subtract(difference.removals)
      } catch {
        applied.failures += difference.removals.map { .init(id: $0, message: "\(error)") }
      }
    }
    for request in difference.insertions where !Task.isCancelled {
      guard held.contains(request.id) || held.count < capacity else {
        applied.failures.append(.init(id: request.id, message: "the system's list is full"))
        continue
      }
      do {
        try await scheduler.add(request)
        held.insert(request.id)
        applied.insertions.append(request)
      } catch {
        applied.failures.append(.init(id: request.id, message: "\(error)"))
      }
    }
  }

  /// Records what the system showed and what it did not, before anything is planned: the plan
  /// depends on it.
  private func recordTold(_ answer: SystemAnswer) async throws -> Written {
    try await write(isActivity: false) { context in
      Decision(payloads: try self.payloads(of: answer, context), needsState: true)
    }
  }

  /// Records a submission, also where the caller's task was cancelled meanwhile: it was done.
  private func record(_ submission: Submission) async throws -> (Written, isOutdated: Bool) {
    let isOutdated = Locked(false)
    let task = Task {
      try await write(isActivity: false) { context in
        let (payloads, ringsAgain) = try self.payloads(of: submission, context)
        isOutdated.set(ringsAgain || context.reader.position != submission.start.position)
        return Decision(payloads: payloads, needsState: true)
      }
    }
    return (try await task.value, isOutdated.value)
  }

  /// Takes away what is shown though it is answered, and sets the badge.
  private func clearAnswered(
    _ scheduler: any NotificationScheduler, _ shown: [DeliveredNotification],
    _ applied: inout AppliedPlan
  ) async throws {
    let screen = try await screen()
    let answered = Set(screen.removals).intersection(shown.map(\.id)).sorted()
    applied.badge = screen.badge
    do {
      if !answered.isEmpty { try await scheduler.removeDelivered(answered) }
      applied.deliveredRemovals = answered
      try await scheduler.setBadge(applied.badge)
    } catch {
      applied.failures.append(.init(id: nil, message: "\(error)"))
    }
  }
}
