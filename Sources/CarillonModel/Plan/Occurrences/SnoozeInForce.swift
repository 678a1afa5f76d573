extension Planner {
  /// A snooze that is not over.
  package struct RunningSnooze {
    package let snooze: Snooze
    /// The due date of the snoozed occurrence.
    package let due: CivilDate
    /// Whether the reminder would fire at the end of the snooze.
    package let fires: Bool
  }

  /// Returns the snoozes of a habit that are not over.
  ///
  /// - Parameter date: The due date of the snoozed occurrences; nil for all.
  package func snoozes(of habit: HabitID, due date: CivilDate? = nil) -> [RunningSnooze] {
    guard let habit = state.habits[habit] else { return [] }
    let plan = habitPlan(habit, frame(from: now, to: horizonEnd))
    let running = plan.snoozes.filter { one in
      one.fireAt > now && (date == nil || one.occurrence.due == date)
    }
    return running.map { one in
      RunningSnooze(snooze: one.snooze, due: one.occurrence.due, fires: one.reason == nil)
    }
  }
}

/// A snooze that moves an occurrence which the schedule still has.
struct SnoozeInForce {
  let schedule: SchedulePlan
  let occurrence: Occurrence
  let until: Instant
  let snooze: Snooze

  /// Creates the snooze, or returns nil if it was cancelled, if the occurrence is answered by a
  /// later entry, if its date is done or skipped since, or if the schedule no longer has it.
  init?(_ snooze: Snooze, of schedules: [SchedulePlan]) {
    guard let until = snooze.until,
      let schedule = schedules.first(where: {
        $0.suppression.schedule == snooze.schedule && $0.timetable.number == snooze.number
      }),
      let occurrence = schedule.timetable.occurrence(named: snooze.nominal),
      !schedule.suppression.ends(snooze, due: occurrence.due)
    else { return nil }
    if let start = schedule.schedule.firstAnswer(to: snooze.nominal),
      schedule.facts.hasEntry(since: start)
    {
      return nil
    }
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

  /// The instant at which the occurrence fires if nothing suppresses it: the end of the snooze, or
  /// of the quiet hours that defer it.
  var fireAt: Instant {
    snooze.ignoresQuietHours ? until : schedule.fireAt(ofSnoozeUntil: until)
  }

  /// The reason why the occurrence does not fire, apart from quiet hours, or nil if it fires.
  var reason: Explanation.Reason? {
    schedule.reason(occurrence, snoozedUntil: until, fireAt: fireAt)
  }

  /// The effect of quiet hours on the snoozed occurrence.
  var quietEffect: QuietEffect {
    snooze.ignoresQuietHours ? .none : schedule.quietEffect(ofSnoozeUntil: until)
  }
}

extension SchedulePlan {
  /// Returns the effect of quiet hours on an occurrence that is snoozed until an instant.
  func quietEffect(ofSnoozeUntil until: Instant) -> QuietEffect {
    frame.quietEffect(at: until, quietPolicy, isSnoozed: true)
  }

  /// Returns the instant at which an occurrence that is snoozed until an instant fires if nothing
  /// suppresses it.
  func fireAt(ofSnoozeUntil until: Instant) -> Instant {
    if case .deferred(let end) = quietEffect(ofSnoozeUntil: until) { end } else { until }
  }

  /// Returns the reason why a snoozed occurrence does not fire, or nil if it fires.
  ///
  /// A pause also ends a snooze that moves the occurrence to one of its dates.
  ///
  /// - Parameter fireAt: The end of the snooze, or of the quiet hours that defer it.
  func reason(
    _ occurrence: Occurrence, snoozedUntil until: Instant, fireAt: Instant
  ) -> Explanation.Reason? {
    if let reason = suppression.reason(occurrence, snoozedUntil: until) { return reason }
    return isPaused(occurrence, movedTo: fireAt) ? .paused : nil
  }

  /// Whether a snooze or quiet hours move an occurrence to another date on this device, which a
  /// pause covers.
  func isPaused(_ occurrence: Occurrence, movedTo instant: Instant) -> Bool {
    guard facts.hasPauses else { return false }
    let date = frame.date(at: instant)
    return date != frame.date(at: occurrence.instant) && facts.isPaused(on: date)
  }

  /// Returns the values behind the reason why an occurrence does not fire.
  ///
  /// - Parameters:
  ///   - instant: The end of a snooze, or the occurrence's own instant.
  ///   - moved: The instant at which it would fire, after quiet hours.
  func detail(
    of reason: Explanation.Reason, due: CivilDate, at instant: Instant, movedTo moved: Instant
  ) -> Explanation.Detail {
    let isMoved = reason == .paused && !facts.isPaused(on: due)
    return suppression.detail(of: reason, due: isMoved ? frame.date(at: moved) : due, at: instant)
  }
}
