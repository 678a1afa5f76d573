extension Planner {
  /// A snooze that is not over.
  package struct RunningSnooze {
    package let snooze: Snooze
    /// Whether the reminder would fire at the end of the snooze.
    package let fires: Bool
    /// Whether the entry alone does not end the snooze, because the schedule has no such condition.
    package let outlastsEntry: Bool
  }

  /// Returns the snoozes of a habit that are not over.
  ///
  /// - Parameter date: The due date of the snoozed occurrences; nil for all.
  package func snoozes(of habit: HabitID, due date: CivilDate? = nil) -> [RunningSnooze] {
    guard let habit = state.habits[habit] else { return [] }
    let plan = habitPlan(habit, frame(from: now, to: horizonEnd))
    let running = plan.snoozes.filter { one in
      one.until > now && (date == nil || one.occurrence.due == date)
    }
    return running.map { one in
      RunningSnooze(
        snooze: one.snooze, fires: one.reason == nil,
        outlastsEntry: !one.schedule.suppression.endsWhenDone)
    }
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
