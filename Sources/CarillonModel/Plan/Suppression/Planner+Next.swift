extension Planner {
  /// Returns what happens to the next occurrence of a habit; nil if none is ahead.
  ///
  /// Of the occurrences within the horizon, this is the first that nothing about itself suppresses,
  /// such as an entry for its date. If there is none, it is the first after the horizon if that
  /// fires, or if no other is ahead; else the first within the horizon.
  ///
  /// - Parameters:
  ///   - schedule: The schedule of the occurrence; nil for any.
  ///   - plan: The plan that this planner returns.
  /// - Complexity: O(occurrences of the habit within the horizon).
  package func nextExplanation(
    of habit: HabitID, schedule: ScheduleID? = nil, in plan: NotificationPlan
  ) -> Explanation? {
    func ahead(on date: CivilDate) -> [Explanation] {
      explain(habit, on: date, in: plan).filter { one in
        !one.isPast && (schedule == nil || one.schedule == schedule)
      }
    }
    let today = calendar.logicalDate(at: now, dayStart: settings.dayStart)
    var first: Explanation?
    for offset in -1..<settings.horizonDays {
      let found = ahead(on: today.adding(days: offset))
      if let next = found.first(where: { !$0.reason.isOfDate && $0.reason != .quietHours }) {
        return next
      }
      first = first ?? found.first
    }
    let end = today.adding(days: settings.horizonDays)
    let later = firstDueDate(of: habit, schedule, onOrAfter: end).flatMap { ahead(on: $0).first }
    return later?.reason.fires ?? false ? later : first ?? later
  }

  /// Whether an occurrence that counts from an entry fires on its due date, or fired on it.
  package func isDueAfterEntry(_ habit: HabitID, on date: CivilDate) -> Bool {
    guard let habit = state.habits[habit] else { return false }
    return habitPlan(habit, frame(around: date)).placements(dueOn: date).contains { one in
      one.2.schedule.countsFromEntries && one.1.fires
    }
  }

  /// Returns the first due date of a habit's occurrences on or after a date, or nil if its rules
  /// have none.
  private func firstDueDate(
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
