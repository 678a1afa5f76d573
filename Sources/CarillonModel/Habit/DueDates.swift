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
    case .nominals(.dated(let dates, at: let times)):
      // A time before the start of the day counts towards the date before.
      if times.contains(where: { $0 >= dayStart }) { insert(dates, of: range, into: &found) }
      if times.contains(where: { $0 < dayStart }) {
        insert(dates, daysBefore: 1, of: range, into: &found)
      }
    case .nominals(.moments(let moments)):
      var from = range.lowerBound
      let last = range.upperBound.adding(days: 1)
      while let next = moments.expansion.first(
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

  /// Adds the dates in a range that are a number of days before one of a rule's dates.
  private func insert(
    _ dates: RuleDates, daysBefore: Int = 0, of range: ClosedRange<CivilDate>,
    into found: inout DateSet
  ) {
    let last = range.upperBound.adding(days: daysBefore)
    var next = dates.first(onOrAfter: range.lowerBound.adding(days: daysBefore), through: last)
    while let date = next, date <= last {
      let due = date.adding(days: -daysBefore)
      // Otherwise each of thousands of dates is searched by itself.
      if dates.isDaily { return found.insert(due...range.upperBound) }
      found.insert(due)
      next = dates.first(onOrAfter: date.adding(days: 1), through: last)
    }
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

extension RuleDates {
  /// Whether every date from the first on is one of the rule's dates.
  fileprivate var isDaily: Bool {
    switch self {
    case .weekly(0b111_1111), .everyDays(1, from: _): true
    case .once, .weekly, .everyDays, .recurrence: false
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
