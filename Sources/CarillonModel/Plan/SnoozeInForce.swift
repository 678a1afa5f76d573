/// A snooze that moves an occurrence: the schedule still has it, and no other comes before.
struct SnoozeInForce {
  let schedule: SchedulePlan
  let occurrence: Occurrence
  let until: Instant
  let ignoresQuietHours: Bool

  /// Nil where the snooze was taken back, the schedule no longer has that occurrence, or the next
  /// one comes first.
  init?(_ snooze: Snooze, of schedules: [SchedulePlan]) {
    let own = schedules.filter { $0.suppression.schedule == snooze.schedule }
    guard let until = snooze.until,
      let schedule = own.first(where: { $0.timetable.number == snooze.number }),
      let occurrence = schedule.timetable.occurrence(named: snooze.nominal),
      schedule.next(after: occurrence, among: own).map({ until < $0.instant }) ?? true
    else { return nil }
    self.schedule = schedule
    self.occurrence = occurrence
    self.until = until
    ignoresQuietHours = snooze.ignoresQuietHours
  }

  /// It as it fires, but for quiet hours.
  var firing: Firing {
    Firing(
      schedule: schedule, occurrence: occurrence, revision: String(until.milliseconds),
      fireAt: until,
      isSnoozed: true)
  }

  /// Why it does not fire, whatever the quiet hours.
  var reason: Reason? {
    schedule.suppression.reason(occurrence, at: until, revision: String(until.milliseconds))
  }

  /// What quiet hours do to it.
  func quietEffect(_ frame: PlanFrame) -> QuietEffect {
    ignoresQuietHours
      ? .none : frame.quietEffect(at: until, schedule.quietPolicy, isSnoozed: true)
  }
}

extension SchedulePlan {
  /// The next occurrence of the whole schedule after one of these.
  func next(after occurrence: Occurrence, among schedules: [SchedulePlan]) -> Occurrence? {
    var next = timetable.next(after: occurrence)
    for other in schedules where other !== self {
      var found = other.timetable.first(from: occurrence.instant)
      while let one = found, !occurrence.precedes(one) { found = other.timetable.next(after: one) }
      if let found, next.map({ found.precedes($0) }) ?? true { next = found }
    }
    return next
  }
}
