/// The dates of a rule as whole numbers, to be searched without hashing.
enum RuleDates {
  case once(CivilDate)
  /// One bit a weekday, Monday's the lowest.
  case weekly(UInt8)
  case everyDays(Int, from: CivilDate)
  /// The instances of a recurrence of whole dates.
  case recurrence(RecurrenceDates)

  /// The dates of a rule, or nil where it has none of its own or is not known here.
  init?(_ rule: Rule) {
    switch rule {
    case .once(let date): self = .once(date)
    case .weekly(let weekdays):
      self = .weekly(weekdays.reduce(0) { $0 | 1 << ($1.rawValue - 1) })
    case .everyDays(let days, let anchor): self = .everyDays(days, from: anchor)
    case .recurrence(let recurrence) where recurrence.isDateOnly:
      self = .recurrence(RecurrenceDates(recurrence))
    case .recurrence, .interval, .relative, .place, .unknown: return nil
    }
  }

  /// The first of the dates at or after a date, or nil where there is none.
  ///
  /// - Complexity: O(1); nothing is walked.
  func first(onOrAfter date: CivilDate) -> CivilDate? {
    switch self {
    case .once(let only):
      return only >= date ? only : nil
    case .weekly(let weekdays):
      // Two weeks, so that seven days from any day on stand in a row.
      let days = (UInt16(weekdays) << 7 | UInt16(weekdays)) >> (date.weekday.rawValue - 1)
      return days == 0 ? nil : date.adding(days: days.trailingZeroBitCount)
    case .everyDays(let days, let anchor):
      guard days > 0 else { return nil }
      guard date > anchor else { return anchor }
      let overshoot = anchor.days(to: date) % days
      let found = Int(date.rawValue) + (overshoot == 0 ? 0 : days - overshoot)
      return Int32(exactly: found).map(CivilDate.init(rawValue:))
    case .recurrence(let dates):
      return dates.expansion.first(onOrAfter: date)
    }
  }

  /// Whether a date is one of them.
  func contains(_ date: CivilDate) -> Bool { first(onOrAfter: date) == date }

  /// The date before which there are none.
  var start: CivilDate? {
    switch self {
    case .once(let date), .everyDays(_, from: let date): date
    case .recurrence(let dates): dates.recurrence.firstDate
    case .weekly: nil
    }
  }

  /// How the system itself may repeat a time of these dates, and with how many requests; nil where
  /// it knows no such shape.
  ///
  /// All seven weekdays are one daily repetition, and so is every first day.
  var shape: (shape: RepeatShape, requestCount: Int)? {
    switch self {
    case .weekly(let weekdays):
      let count = weekdays.nonzeroBitCount
      return count == 0 ? nil : count == Weekday.allCases.count ? (.daily, 1) : (.weekly, count)
    case .everyDays(1, from: _): return (.daily, 1)
    case .recurrence(let dates): return dates.shape
    case .once, .everyDays: return nil
    }
  }
}
