extension Explainer {
  /// Returns what happens to the next occurrence of a habit; nil if none is ahead.
  ///
  /// Of the occurrences within the horizon, this is the first that nothing about itself suppresses,
  /// such as an entry for its date. If there is none, it is the first after the horizon if that
  /// fires, or if no other is ahead; else the first within the horizon.
  ///
  /// - Parameter schedule: The schedule of the occurrence; nil for any.
  /// - Complexity: O(occurrences of the habit within the horizon).
  package func nextExplanation(of habit: HabitID, schedule: ScheduleID? = nil) -> Explanation? {
    func ahead(on date: CivilDate) -> [Explanation] {
      explain(habit, on: date).filter { one in
        !one.isPast && (schedule == nil || one.schedule == schedule)
      }
    }
    let today = planner.today
    var (next, first): (Explanation?, Explanation?)
    for offset in -1..<planner.settings.horizonDays {
      let date = today.adding(days: offset)
      // A snooze can move a reminder past those of later dates.
      if let next, next.fireAt.map({ $0 < planner.calendar.firstInstant(of: date) }) ?? true {
        return next
      }
      let found = ahead(on: date)
      let coming = found.first { !$0.reason.isOfDate && $0.reason != .quietHours }
      next = [next, coming].compactMap(\.self).min(by: Explanation.isSooner)
      first = first ?? found.first
    }
    if let next { return next }
    let end = today.adding(days: planner.settings.horizonDays)
    let later = planner.firstDueDate(of: habit, schedule, onOrAfter: end).flatMap {
      ahead(on: $0).first
    }
    return later?.reason.fires ?? false ? later : first ?? later
  }
}

extension Explanation {
  /// Whether one reminder fires before another; one at a place comes after all that have a time.
  package static func isSooner(_ one: Explanation, _ other: Explanation) -> Bool {
    (one.fireAt?.milliseconds ?? .max) < (other.fireAt?.milliseconds ?? .max)
  }
}

extension Planner {
  /// The current logical date in the device's zone.
  var today: CivilDate { calendar.logicalDate(at: now, dayStart: settings.dayStart) }

  /// Returns a frame with all occurrences that are due on some dates.
  func frame(around dates: ClosedRange<CivilDate>) -> PlanFrame {
    let known = CivilDate(rawValue: -100_000)...CivilDate(rawValue: 813_000)
    let around = dates.clamped(to: known)
    return frame(
      from: calendar.firstInstant(of: around.lowerBound).adding(seconds: -259_200),
      to: calendar.firstInstant(of: around.upperBound).adding(seconds: 345_600))
  }

  /// Returns when the next occurrence of a habit that is due on a date fires, or nil if none does.
  package func nextFiring(of habit: HabitID, dueOn date: CivilDate) -> Instant? {
    guard let habit = state.habits[habit] else { return nil }
    return habitPlan(habit, frame(around: date...date)).placements(dueOn: date).lazy
      .map(\.placement).filter { $0.reason == nil && $0.fireAt > now }.map(\.fireAt).min()
  }

  /// Whether an occurrence that counts from an entry fires on its due date, or fired on it.
  package func isDueAfterEntry(_ habit: HabitID, on date: CivilDate) -> Bool {
    guard let habit = state.habits[habit] else { return false }
    return habitPlan(habit, frame(around: date...date)).placements(dueOn: date).contains { one in
      one.schedule.schedule.countsFromEntries && one.placement.fires
    }
  }

  /// Returns the first due date of a habit's occurrences on or after a date, or nil if its rules
  /// have none.
  fileprivate func firstDueDate(
    of id: HabitID, _ schedule: ScheduleID?, onOrAfter date: CivilDate
  ) -> CivilDate? {
    guard let habit = state.habits[id] else { return nil }
    let first = max(date, habit.start ?? date)
    return habit.schedules.lazy.filter { schedule == nil || $0.id == schedule }
      .compactMap { firstDueDate(of: $0, in: id, onOrAfter: first) }.min()
  }

  private func firstDueDate(
    of schedule: Schedule, in habit: HabitID, onOrAfter date: CivilDate
  ) -> CivilDate? {
    let start = CivilDateTime(date: date, time: settings.dayStart)
    let rule: Schedule.Rule
    switch schedule.rule {
    case .interval(let interval):
      let zone = schedule.zone.calendar(onDevice: calendar) ?? calendar
      return interval.first(
        onOrAfter: zone.instant(of: start) ?? zone.firstInstant(of: date),
        entries: state.entryTimes[habit] ?? []
      ).map { zone.logicalDate(at: $0, dayStart: settings.dayStart) }
    case .relative(let relative): rule = relative.base
    case .once, .weekly, .everyDays, .recurrence, .place, .unknown: rule = schedule.rule
    }
    return Nominals(rule, at: schedule.times)?.first(onOrAfter: start)?
      .dueDate(dayStart: settings.dayStart)
  }
}

extension Schedule.Interval {
  /// Returns the first occurrence at or after an instant, whatever the window; nil if the interval
  /// counts from entries and none leads there.
  fileprivate func first(onOrAfter start: Instant, entries: [Instant]) -> Instant? {
    if anchor != nil { return moments(after: entries).first { $0 >= start } }
    let step = Int64(seconds) * 1_000
    guard step > 0 else { return nil }
    let passed = max(0, start.milliseconds - from.milliseconds)
    return Instant(milliseconds: from.milliseconds + (passed + step - 1) / step * step)
  }
}
