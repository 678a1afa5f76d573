/// A habit's schedules in one planning, with what moves their occurrences: snoozes and quiet hours.
final class HabitPlan {
  let facts: HabitFacts
  /// One for each schedule of times, and for each repeat of a relative schedule.
  let schedules: [SchedulePlan]
  /// The snoozes in force.
  let snoozes: [SnoozeInForce]
  let frame: PlanFrame
  private var batches: [Instant: DeferralBatch] = [:]

  /// Takes the schedules of a habit, and tells them which of their occurrences are snoozed.
  init(_ facts: HabitFacts, schedules: [SchedulePlan], snoozes: [Snooze], frame: PlanFrame) {
    self.facts = facts
    self.schedules = schedules
    self.frame = frame
    self.snoozes = snoozes.compactMap { SnoozeInForce($0, of: schedules) }
    for schedule in schedules {
      schedule.complete(
        snoozed: self.snoozes.lazy.filter { $0.schedule === schedule }.map(\.occurrence))
    }
  }

  /// What snoozes put off to an instant in the horizon outside quiet hours, by (fire, id).
  private(set) lazy var moved: [Firing] = snoozes.compactMap { snooze -> Firing? in
    guard snooze.reason == nil else { return nil }
    switch snooze.quietEffect(frame) {
    case .none: return snooze.firing
    case .passive:
      var firing = snooze.firing
      firing.isPassive = true
      return firing
    case .dropped, .deferred: return nil
    }
  }.filter { $0.fireAt > frame.now && $0.fireAt < frame.end }
    .sorted { $0.precedes($1) }

  /// Whether anything of the habit may fire when quiet hours end, since they put it off.
  private(set) lazy var mayDefer: Bool = {
    guard let hours = frame.hours else { return false }
    return !snoozes.isEmpty || schedules.contains { $0.mayFire(in: hours) }
  }()

  /// What quiet hours put off to an instant, at which they end.
  func batch(at until: Instant) -> DeferralBatch {
    if let known = batches[until] { return known }
    let batch = DeferralBatch(of: self, at: until, frame)
    batches[until] = batch
    return batch
  }

  /// What fires anyway at an instant at which quiet hours end; of several the one of the least id.
  func coincident(at until: Instant) -> Firing? {
    let after = Instant(milliseconds: until.milliseconds + 1)
    let firings =
      schedules.flatMap { $0.firings(from: until, before: after) }
      + snoozes.lazy.filter { $0.reason == nil }.map(\.firing).filter { $0.fireAt == until }
    return firings.count > 1 ? firings.min { $0.id < $1.id } : firings.first
  }

  /// The occurrences for which a firing stands beside its own.
  func covered(by firing: Firing) -> [OccurrenceID] {
    guard mayDefer, !frame.quietPeriods(until: firing.fireAt).isEmpty else { return [] }
    let batch = batch(at: firing.fireAt)
    guard batch.first?.isSame(as: firing) ?? false else { return [] }
    return batch.members.filter { !$0.isSame(as: firing) }.map(\.name)
  }
}

/// What quiet hours put off to one instant, of one habit: at most one fires there.
struct DeferralBatch {
  /// Those that were put off, in the order in which they would have rung.
  let members: [Firing]
  /// The one that fires at the instant anyway.
  let coincident: Firing?

  /// The one that fires for all: what fires there anyway, else the one that was to fire last; of
  /// equals the one of the least id.
  var first: Firing? { coincident ?? last }

  /// The one that was to fire last.
  let last: Firing?

  init(of habit: HabitPlan, at until: Instant, _ frame: PlanFrame) {
    var members: [Firing] = []
    let ranges = frame.quietPeriods(until: until)
    for schedule in habit.schedules {
      for range in ranges where schedule.quietPolicy == .deferred {
        members += schedule.firings(from: range.start, before: range.end)
      }
    }
    for snooze in habit.snoozes where snooze.reason == nil {
      if snooze.quietEffect(frame) == .deferred(until) { members.append(snooze.firing) }
    }
    members.sort { $0.precedes($1) }
    self.members = members
    coincident = habit.coincident(at: until)
    let lastFireAt = members.last?.fireAt
    last = members.first { $0.fireAt == lastFireAt }
  }
}

extension SchedulePlan {
  /// Whether an occurrence may lie in quiet hours that put it off.
  fileprivate func mayFire(in hours: DayWindow) -> Bool {
    guard quietPolicy == .deferred else { return false }
    guard timetable.shiftSeconds == 0, schedule.civilZone == .floating,
      timetable.range.window.changes.isEmpty
    else { return true }
    return switch timetable.pattern {
    case .nominals(let nominals): nominals.times.contains(where: hours.contains)
    case .interval: true
    }
  }

  /// The occurrences between two instants that nothing suppresses and no snooze moves.
  fileprivate func firings(from start: Instant, before end: Instant) -> [Firing] {
    var firings: [Firing] = []
    var next = timetable.first(from: start)
    while let occurrence = next, occurrence.instant < end {
      if !isSnoozed(occurrence), suppression.reason(occurrence) == nil {
        firings.append(Firing(occurrence, of: self))
      }
      next = timetable.next(after: occurrence)
    }
    return firings
  }
}
