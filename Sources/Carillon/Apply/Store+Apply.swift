public import CarillonModel
import CarillonSQLite
import Foundation

extension Store {
  /// Brings the device's system in line with the plan, and records what it holds and delivered.
  ///
  /// Each call compares the whole list of the system with the plan. This repairs anything that
  /// happened to the list, such as a restart, permission that was revoked and granted again, or an
  /// interrupted run. Unwanted requests are removed first. Missing and changed requests are then
  /// added, the soonest first, up to the system's capacity, in which requests of other origin also
  /// count. While notifications are blocked, all requests of the store are removed and none is
  /// added.
  ///
  /// Delivered notifications, and requests that are overdue but still pending, are recorded before
  /// the plan is computed. Afterwards one transaction records which occurrences the system holds,
  /// when they fire, which ones it no longer holds, and that the plan was submitted if anything
  /// changed. Finally, answered notifications are removed from the screen, and the badge is set.
  ///
  /// Call this at launch, in the background, after every change, and when permission changes. A
  /// repeated call changes and writes nothing. Any number of tasks and processes may call it at
  /// once.
  ///
  /// - Returns: What changed. ``AppliedPlan/failures`` lists what the system refused; the next call
  ///   tries again.
  /// - Throws: `io` if the system's list cannot be read, in which case nothing was changed;
  ///   `cancelled` after recording what was done; and the errors of
  ///   ``plan(capacity:horizonDays:)``.
  @discardableResult
  public func apply(to scheduler: any NotificationScheduler) async throws(StoreError) -> AppliedPlan
  {
    var applied: AppliedPlan?
    for _ in 0..<Self.maxPasses {
      let pass = try await StoreError.translating { try await applyOnce(to: scheduler) }
      applied = pass.applied.following(applied)
      // Another writer may have submitted a different plan meanwhile, or a reminder that fired
      // elsewhere would fire again here. Comparing again ensures that the last writer to finish
      // leaves the right list.
      guard pass.isOutdated else { break }
    }
    guard let applied else { preconditionFailure("no pass was made") }
    return applied
  }

  /// Upper bound on passes under concurrent writes, so that a constant stream of events does not
  /// keep the caller waiting forever.
  private static let maxPasses = 4

  private struct Pass {
    var applied: AppliedPlan
    let isOutdated: Bool
  }

  private func applyOnce(to scheduler: any NotificationScheduler) async throws -> Pass {
    let asked = options.clock()
    let (scheduled, delivered) = try await listed(by: scheduler)
    let reported = try await recordReported(
      SystemAnswer(scheduled: scheduled, delivered: delivered, at: asked))
    let start = try await read { context in
      SubmissionStart(
        position: context.reader.position,
        submission: try context.reader.submission(of: context.replica)?.event)
    }
    let plan = try await plan(beside: scheduled)
    let difference = plan.difference(from: scheduled)
    var applied = AppliedPlan(plan, difference)
    await change(scheduler, from: scheduled, by: difference, capacity: plan.capacity, &applied)
    let submission = Submission(plan: plan, applied: applied, scheduled: scheduled, start: start)
    let (given, isOutdated) = try await record(submission)
    try await projections.note(
      held: submission.held.filter { $0.kind == .repeating }, now: options.clock())
    applied.written = Written(events: reported.events + given.events)
    try await clearAnswered(scheduler, delivered, &applied)
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
        code: .io, message: "cannot read the system's list: \(error)",
        hint: "nothing was changed; apply the plan again", cause: error)
    }
  }

  /// Removes requests, then adds requests, and records the outcome of each in `applied`.
  private func change(
    _ scheduler: any NotificationScheduler, from scheduled: [ScheduledRequest],
    by difference: PlanDifference, capacity: Int, _ applied: inout AppliedPlan
  ) async {
    var held = Set(scheduled.lazy.compactMap(\.id.request))
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

  /// Records the system's answer before planning, since the plan depends on it.
  private func recordReported(_ answer: SystemAnswer) async throws -> Written {
    try await write(isActivity: false) { context in
      Decision(payloads: try self.payloads(of: answer, context), needsState: true)
    }
  }

  /// Records a submission, even if the caller's task was cancelled meanwhile, because the system
  /// has already changed.
  private func record(_ submission: Submission) async throws -> (Written, isOutdated: Bool) {
    let isOutdated = Locked(false)
    let task = Task {
      try await write(isActivity: false) { context in
        let (payloads, firesAgain) = try self.payloads(of: submission, context)
        isOutdated.set(firesAgain || context.reader.position != submission.start.position)
        return Decision(payloads: payloads, needsState: true)
      }
    }
    return (try await task.value, isOutdated.value)
  }

  /// Removes answered notifications from the screen, and sets the badge.
  private func clearAnswered(
    _ scheduler: any NotificationScheduler, _ delivered: [DeliveredNotification],
    _ applied: inout AppliedPlan
  ) async throws {
    let screen = try await screen()
    let answered = Set(screen.removals).intersection(delivered.compactMap(\.id.request)).sorted()
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
