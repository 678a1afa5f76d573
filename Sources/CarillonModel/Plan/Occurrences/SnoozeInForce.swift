extension Planner {
  /// Returns the snoozes that are not over, of occurrences that are due on a date, and that the
  /// date being done does not end.
  package func snoozes(of habit: HabitID, outlasting date: CivilDate) -> [Snooze] {
    guard let habit = state.habits[habit] else { return [] }
    let plan = habitPlan(habit, frame(from: now, to: horizonEnd))
    return plan.snoozes.filter { snooze in
      snooze.occurrence.due == date && snooze.until > now
        && !snooze.schedule.suppression.endsWhenDone
    }.map(\.snooze)
  }
}

/// A snooze that moves an occurrence which the schedule still has.
struct SnoozeInForce {
  let schedule: SchedulePlan
  let occurrence: Occurrence
  let until: Instant
  let snooze: Snooze

  /// Creates the snooze, or returns nil if it was cancelled, or if the schedule no longer has the
  /// occurrence.
  init?(_ snooze: Snooze, of schedules: [SchedulePlan]) {
    guard let until = snooze.until,
      let schedule = schedules.first(where: {
        $0.suppression.schedule == snooze.schedule && $0.timetable.number == snooze.number
      }),
      let occurrence = schedule.timetable.occurrence(named: snooze.nominal)
    else { return nil }
    self.schedule = schedule
    self.occurrence = occurrence
    self.until = until
    self.snooze = snooze
  }

  /// The firing at the end of the snooze, before quiet hours.
  var firing: Firing {
    Firing(
      schedule: schedule, occurrence: occurrence, revision: .snoozed(until: until), fireAt: until,
      isSnoozed: true)
  }

  /// The reason why the occurrence does not fire, apart from quiet hours, or nil if it fires.
  var reason: Explanation.Reason? {
    schedule.suppression.reason(occurrence, snoozedUntil: until)
  }

  /// Returns the effect of quiet hours on the snoozed occurrence.
  func quietEffect(_ frame: PlanFrame) -> QuietEffect {
    snooze.ignoresQuietHours
      ? .none : frame.quietEffect(at: until, schedule.quietPolicy, isSnoozed: true)
  }
}
