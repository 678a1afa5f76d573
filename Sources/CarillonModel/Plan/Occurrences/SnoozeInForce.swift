/// A snooze that moves an occurrence.
///
/// The schedule still has the occurrence, and the snooze ends before the next one.
struct SnoozeInForce {
  let schedule: SchedulePlan
  let occurrence: Occurrence
  let until: Instant
  let ignoresQuietHours: Bool

  /// Creates the snooze, or returns nil if it was cancelled, if the schedule no longer has the
  /// occurrence, or if the next occurrence fires first.
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

  /// The firing at the end of the snooze, before quiet hours.
  var firing: Firing {
    Firing(
      schedule: schedule, occurrence: occurrence, revision: String(until.milliseconds),
      fireAt: until,
      isSnoozed: true)
  }

  /// The reason why the occurrence does not fire, apart from quiet hours, or nil if it fires.
  var reason: Explanation.Reason? {
    schedule.suppression.reason(occurrence, at: until, revision: String(until.milliseconds))
  }

  /// Returns the effect of quiet hours on the snoozed occurrence.
  func quietEffect(_ frame: PlanFrame) -> QuietEffect {
    ignoresQuietHours
      ? .none : frame.quietEffect(at: until, schedule.quietPolicy, isSnoozed: true)
  }
}

extension SchedulePlan {
  /// Returns the next occurrence of the whole schedule after an occurrence of this part.
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
