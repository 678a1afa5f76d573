extension PlanFrame {
  /// Appends the plans of a schedule: one plan, or one for each repeat of a relative schedule.
  ///
  /// Appends nothing for a schedule without times, or with an unknown rule or zone.
  ///
  /// - Parameter index: The index of the schedule in its habit. An index avoids copying the
  ///   schedule.
  func append(schedule index: Int, of facts: HabitFacts, to plans: inout [SchedulePlan]) {
    eachTimetable(
      of: facts.habit.schedules[index].rule, at: facts.habit.schedules[index].times,
      in: facts.habit.schedules[index].zone, entries: facts.entryTimes
    ) { plans.append(SchedulePlan(index, of: facts, $0, frame: self)) }
  }

  /// Calls a closure with each timetable of a schedule: one timetable, or one for each repeat of a
  /// relative schedule.
  ///
  /// There is none for a schedule without times, or with an unknown rule or zone.
  ///
  /// - Parameter entries: The times of the habit's entries.
  func eachTimetable(
    of schedule: Schedule, entries: [Instant], _ take: (consuming Timetable) -> Void
  ) {
    eachTimetable(
      of: schedule.rule, at: schedule.times, in: schedule.zone, entries: entries, take)
  }

  private func eachTimetable(
    of rule: Schedule.Rule, at times: [TimeOfDay], in zone: ScheduleZone, entries: [Instant],
    _ take: (consuming Timetable) -> Void
  ) {
    switch rule {
    case .relative(let relative):
      eachTimetable(of: relative, at: times, in: zone.orZone(of: relative.base), take)
    case .interval(let interval):
      guard let range = zones.range(of: zone) else { return }
      if interval.anchor == nil {
        take(Timetable(pattern: .interval(interval), range: range, dayStart: dayStart))
      } else {
        let moments = interval.moments(after: entries)
        take(Timetable(pattern: .moments(moments), range: range, dayStart: dayStart))
      }
    case .once, .weekly, .everyDays, .recurrence, .place, .unknown:
      guard let nominals = Nominals(rule, at: times),
        let range = zones.range(of: zone.orZone(of: rule))
      else { return }
      take(Timetable(pattern: .nominals(nominals), range: range, dayStart: dayStart))
    }
  }

  private func eachTimetable(
    of relative: Schedule.Relative, at times: [TimeOfDay], in zone: ScheduleZone,
    _ take: (consuming Timetable) -> Void
  ) {
    guard let nominals = Nominals(relative.base, at: times) else { return }
    let edge = relative.edge == .end ? relative.durationMinutes * 60 : 0
    for number in 0...max(0, relative.repeatCount) {
      let shift = edge + relative.offsetSeconds + number * relative.repeatSeconds
      guard let range = zones.range(of: zone, shiftSeconds: shift) else { continue }
      take(
        Timetable(
          pattern: .nominals(nominals), range: range, dayStart: dayStart, isRelative: true,
          shiftSeconds: shift, number: number))
    }
  }
}

extension Schedule {
  /// The zone whose civil time the schedule follows: its own zone, or its recurrence's zone if the
  /// schedule follows the device.
  package var civilZone: ScheduleZone {
    if case .relative(let relative) = rule { return zone.orZone(of: relative.base) }
    return zone.orZone(of: rule)
  }
}

extension ScheduleZone {
  /// Returns this zone if it is fixed, otherwise the zone of a recurrence, if the rule has one.
  fileprivate func orZone(of rule: Schedule.Rule) -> ScheduleZone {
    guard case .floating = self, case .recurrence(let recurrence) = rule,
      let name = recurrence.zone
    else { return self }
    return .fixed(name)
  }
}
