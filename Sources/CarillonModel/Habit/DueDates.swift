/// The dates on which a schedule makes its habit due, whether or not it has notifications.
struct DueDates {
  private enum Source {
    /// The due dates of nominal dates and times.
    case nominals(Nominals)
    /// The dates on which an interval has an occurrence, in a calendar.
    case interval(Schedule.Interval, CivilCalendar)
    /// A place, and an interval that counts from entries, have no due dates.
    case never
    /// Every date, for a rule that this build does not know.
    case always
  }

  private let source: Source
  private let dayStart: TimeOfDay
  /// The calendar of the schedule's zone; nil if the schedule has no times.
  private let clock: CivilCalendar?

  /// - Parameters:
  ///   - dayStart: The time at which a day begins. An earlier time counts towards the previous day.
  ///   - calendar: The device's calendar.
  init(of schedule: Schedule, dayStart: TimeOfDay, calendar: CivilCalendar) {
    self.dayStart = dayStart
    // A schedule without times is due on the rule's own dates.
    let times = schedule.times.isEmpty ? [dayStart] : schedule.times
    clock =
      schedule.times.isEmpty && !schedule.rule.hasOwnTimes
      ? nil : schedule.zone.calendar(onDevice: calendar) ?? calendar
    source =
      switch schedule.rule {
      case .interval(let interval) where interval.anchor != nil: .never
      case .interval(let interval):
        .interval(interval, schedule.zone.calendar(onDevice: calendar) ?? calendar)
      case .place: .never
      case .relative(let relative):
        Nominals(relative.base, at: times).map(Source.nominals) ?? .always
      case .once, .weekly, .everyDays, .recurrence, .unknown:
        Nominals(schedule.rule, at: times).map(Source.nominals) ?? .always
      }
  }

  /// Returns the due dates in a range.
  ///
  /// - Complexity: O(found). For an interval or an unknown rule O(range).
  func dates(in range: ClosedRange<CivilDate>) -> DateSet {
    var found = DateSet(in: range)
    switch source {
    case .never: break
    case .always: found.insert(range)
    case .interval(let interval, let calendar):
      for date in range where occurs(interval, on: date, calendar) { found.insert(date) }
    case .nominals(let nominals):
      var from = range.lowerBound
      let last = range.upperBound.adding(days: 1)
      while let next = nominals.first(
        onOrAfter: CivilDateTime(date: from, time: dayStart), through: last)
      {
        let due = next.dueDate(dayStart: dayStart)
        guard due <= range.upperBound else { break }
        found.insert(due)
        from = due.adding(days: 1)
      }
    }
    return found
  }

  /// Returns the due date of the schedule's day at an instant, if all of its times had passed then.
  ///
  /// Nil for a schedule without times, and for an interval or a place.
  func dateOver(at instant: Instant) -> CivilDate? {
    guard let clock, case .nominals(let nominals) = source else { return nil }
    let date = clock.logicalDate(at: instant, dayStart: dayStart)
    let last = date.adding(days: 1)
    var next = nominals.first(onOrAfter: CivilDateTime(date: date, time: dayStart), through: last)
    var isDue = false
    while let nominal = next, nominal.dueDate(dayStart: dayStart) == date {
      if let moment = clock.instant(of: nominal), moment >= instant { return nil }
      isDue = true
      next = nominals.first(after: nominal, through: last)
    }
    return isDue ? date : nil
  }

  /// Whether an interval has an occurrence inside its window on the logical day of a date.
  private func occurs(
    _ interval: Schedule.Interval, on date: CivilDate, _ calendar: CivilCalendar
  ) -> Bool {
    func instant(_ date: CivilDate, _ time: TimeOfDay) -> Instant {
      calendar.instant(of: CivilDateTime(date: date, time: time)) ?? calendar.firstInstant(of: date)
    }
    let next = date.adding(days: 1)
    let (start, end) = (instant(date, dayStart), instant(next, dayStart))
    guard let window = interval.window else { return interval.occurs(from: start, before: end) }
    return [date.adding(days: -1), date, next].contains { day in
      let opening = instant(day, window.from)
      let closing = instant(window.from < window.to ? day : day.adding(days: 1), window.to)
      return interval.occurs(from: max(start, opening), before: min(end, closing))
    }
  }
}

extension Schedule.Interval {
  /// Whether the interval has an occurrence between two instants, the first included.
  fileprivate func occurs(from start: Instant, before end: Instant) -> Bool {
    let (start, step) = (max(start, from), Int64(seconds) * 1_000)
    guard step > 0, start < end else { return false }
    let rest = (start.milliseconds - from.milliseconds) % step
    return start.milliseconds + (rest == 0 ? 0 : step - rest) < end.milliseconds
  }
}
