/// The occurrences of a schedule in the order of their instants, found by seeking.
///
/// A relative schedule has one timetable for each repeat. Suppression is not applied here.
///
/// Not copyable, because merging accesses it many times and each copy would retain its parts.
struct Timetable: ~Copyable {
  /// The source of the occurrences.
  enum Pattern: ~Copyable {
    case nominals(Nominals)
    case interval(Schedule.Interval)
    /// Single instants, ascending and at least a minute apart.
    case moments([Instant])
  }

  let pattern: Pattern
  let range: ZoneRange
  let dayStart: TimeOfDay
  /// Whether the occurrences precede or follow those of another rule.
  var isRelative = false
  /// The number of seconds from the nominal time to the instant.
  var shiftSeconds = 0
  /// The number of the repeat.
  var number = 0

  /// Whether occurrences are named by the date and minute of UTC.
  var isNamedInUTC: Bool {
    switch pattern {
    case .interval: true
    case .moments: true
    case .nominals: false
    }
  }

  /// Whether there may be many occurrences a day: an interval, or a rule of hours or minutes.
  var isDense: Bool {
    switch pattern {
    case .interval: true
    case .nominals(let nominals): !isRelative && nominals.isDense
    case .moments: false
    }
  }

  /// Returns the first occurrence at or after an instant.
  ///
  /// For an interval with a window, returns nil if there is none within 400 days.
  func first(from instant: Instant) -> Occurrence? {
    switch pattern {
    case .interval(let interval):
      return occurrence(of: interval, from: instant)
    case .moments(let moments):
      guard let next = moments.first(where: { $0 >= instant }) else { return nil }
      return occurrence(at: next)
    case .nominals(let nominals):
      let base = instant.adding(seconds: -shiftSeconds)
      return search(nominals, from: range.firstNominal(at: base)) { $0.instant >= instant }
    }
  }

  /// Returns the next occurrence after another one.
  func next(after last: Occurrence) -> Occurrence? {
    switch pattern {
    case .interval(let interval):
      return occurrence(of: interval, from: Instant(milliseconds: last.instant.milliseconds + 1))
    case .moments(let moments):
      guard let next = moments.first(where: { $0 > last.instant }) else { return nil }
      return occurrence(at: next)
    case .nominals(let nominals):
      let dates = range.window.mixedDates(around: last.identity.date)
      let first = dates.map { CivilDateTime(date: $0.lowerBound, time: .midnight) }
      return search(nominals, from: first ?? last.identity) { last.precedes($0) }
    }
  }

  /// Returns the occurrence with an identity, or nil if there is none.
  func occurrence(named identity: CivilDateTime) -> Occurrence? {
    switch pattern {
    case .interval(let interval):
      let found = occurrence(of: interval, from: Instant(seconds: identity.civilSeconds))
      return found?.identity == identity ? found : nil
    case .moments(let moments):
      for moment in moments where CivilDateTime(civilSeconds: moment.seconds) == identity {
        return occurrence(at: moment)
      }
      return nil
    case .nominals(let nominals):
      return nominals.contains(identity) ? occurrence(at: identity) : nil
    }
  }

  /// Returns all occurrences that are due on a date, sorted by identity.
  func occurrences(dueOn date: CivilDate) -> [Occurrence] {
    guard date <= Self.lastDate else { return [] }
    switch pattern {
    case .nominals(let nominals):
      var found: [Occurrence] = []
      let last = date.adding(days: 1)
      var next = nominals.first(
        onOrAfter: CivilDateTime(date: date, time: .midnight), through: last)
      while let nominal = next, nominal.date <= last {
        if nominal.dueDate(dayStart: dayStart) == date, let one = occurrence(at: nominal) {
          found.append(one)
        }
        next = nominals.first(after: nominal, through: last)
      }
      return found
    default:
      var found: [Occurrence] = []
      var next = first(from: range.calendar.firstInstant(of: date.adding(days: -1)))
      while let one = next, one.due <= date {
        if one.due == date { found.append(one) }
        next = self.next(after: one)
      }
      return found
    }
  }

  // MARK: - Nominal times

  /// The last date that is searched.
  ///
  /// The calendar has no instants after it.
  private static let lastDate = CivilDate(rawValue: 814_000)

  /// Returns the first accepted occurrence in the order of instants, starting from a nominal time.
  private func search(
    _ nominals: Nominals, from start: CivilDateTime, where accepts: (Occurrence) -> Bool
  ) -> Occurrence? {
    var next = nominals.first(onOrAfter: start)
    while let nominal = next, nominal.date <= Self.lastDate {
      if let dates = range.window.mixedDates(around: nominal.date) {
        if let found = earliest(nominals, in: dates, where: accepts) { return found }
        next = nominals.first(
          onOrAfter: CivilDateTime(date: dates.upperBound.adding(days: 1), time: .midnight))
      } else {
        if let found = occurrence(at: nominal), accepts(found) { return found }
        next = nominals.first(after: nominal)
      }
    }
    return nil
  }

  /// Returns the first accepted occurrence in the order of instants, on dates whose times may fire
  /// out of their nominal order.
  private func earliest(
    _ nominals: Nominals, in dates: ClosedRange<CivilDate>, where accepts: (Occurrence) -> Bool
  ) -> Occurrence? {
    var earliest: Occurrence?
    var next = nominals.first(onOrAfter: CivilDateTime(date: dates.lowerBound, time: .midnight))
    while let nominal = next, nominal.date <= dates.upperBound {
      if let found = occurrence(at: nominal), accepts(found),
        earliest.map({ found.precedes($0) }) ?? true
      {
        earliest = found
      }
      next = nominals.first(after: nominal)
    }
    return earliest
  }

  /// Returns the occurrence of a nominal time, or nil on a date that the zone skips.
  func occurrence(at nominal: CivilDateTime) -> Occurrence? {
    range.instant(of: nominal).map {
      Occurrence(
        identity: nominal, number: number, instant: $0.adding(seconds: shiftSeconds),
        due: nominal.dueDate(dayStart: dayStart))
    }
  }

  // MARK: - Intervals

  private func occurrence(at instant: Instant) -> Occurrence {
    let local = CivilDateTime(civilSeconds: range.civilSeconds(at: instant))
    return Occurrence(
      identity: CivilDateTime(civilSeconds: instant.seconds), number: number, instant: instant,
      due: local.dueDate(dayStart: dayStart))
  }

  private func occurrence(of interval: Schedule.Interval, from instant: Instant) -> Occurrence? {
    let step = Int64(interval.seconds) * 1_000
    guard step > 0 else { return nil }
    let last = min(instant.adding(seconds: 400 * 86_400), CivilCalendar.instants.upperBound)
    var next = Self.first(of: interval, step, from: instant)
    while next <= last {
      let shown = range.civilSeconds(at: next)
      let local = CivilDateTime(civilSeconds: shown)
      guard let window = interval.window, !window.contains(local.time) else {
        return occurrence(at: next)
      }
      let wait = (Int(window.from.minute) - Int(local.time.minute) + 1_440) % 1_440 * 60
      // The clocks may change before the window opens.
      let change = range.window.changes.first { $0.second > next.seconds }?.second ?? .max
      let opening = min(next.seconds - shown.flooredDivision(by: 60).remainder + wait, change)
      next = Self.first(
        of: interval, step, from: max(Instant(seconds: opening), next.adding(seconds: 1)))
    }
    return nil
  }

  private static func first(of interval: Schedule.Interval, _ step: Int64, from instant: Instant)
    -> Instant
  {
    guard instant > interval.from else { return interval.from }
    let (elapsed, isOver) =
      instant.milliseconds.subtractingReportingOverflow(interval.from.milliseconds)
    let rest = isOver ? 0 : elapsed % step
    let (next, overflow) =
      instant.milliseconds.addingReportingOverflow(rest == 0 ? 0 : step - rest)
    return Instant(milliseconds: isOver || overflow ? .max : next)
  }
}
