/// The dates of a rule as integers, which are searched without hashing.
enum RuleDates {
  case once(CivilDate)
  /// One bit per weekday.
  ///
  /// Monday is the lowest.
  case weekly(UInt8)
  case everyDays(Int, from: CivilDate)
  /// The instances of a recurrence of whole dates.
  case recurrence(RecurrenceDates)

  /// Creates the dates of a rule, or returns nil if it has no dates of its own or is unknown.
  init?(_ rule: Schedule.Rule) {
    switch rule {
    case .once(let date): self = .once(date)
    case .weekly(let weekdays):
      var bits: UInt8 = 0
      for day in weekdays { bits |= 1 << (day.rawValue - 1) }
      self = .weekly(bits)
    case .everyDays(let days, let anchor): self = .everyDays(days, from: anchor)
    case .recurrence(let recurrence) where recurrence.isDateOnly:
      self = .recurrence(RecurrenceDates(recurrence))
    case .recurrence, .interval, .relative, .place, .unknown: return nil
    }
  }

  /// Returns the first of the dates at or after a date, or nil if there is none.
  ///
  /// - Parameter last: The last date of interest, beyond which a recurrence is not searched; nil
  ///   for all.
  /// - Complexity: O(1), except for a recurrence with COUNT and no steady rhythm.
  func first(onOrAfter date: CivilDate, through last: CivilDate? = nil) -> CivilDate? {
    switch self {
    case .once(let only):
      return only >= date ? only : nil
    case .weekly(let weekdays):
      // Two copies of the week, so that the seven bits from any weekday on are adjacent.
      let days = (UInt16(weekdays) << 7 | UInt16(weekdays)) >> (date.weekday.rawValue - 1)
      return days == 0 ? nil : date.adding(days: days.trailingZeroBitCount)
    case .everyDays(let days, let anchor):
      guard days > 0 else { return nil }
      guard date > anchor else { return anchor }
      let overshoot = anchor.days(to: date) % days
      let found = Int(date.rawValue) + (overshoot == 0 ? 0 : days - overshoot)
      return Int32(exactly: found).map(CivilDate.init(rawValue:))
    case .recurrence(let dates):
      return dates.expansion.first(onOrAfter: date, through: last)
    }
  }

  /// Whether a date is one of the rule's dates.
  func contains(_ date: CivilDate) -> Bool { first(onOrAfter: date, through: date) == date }

  /// The first possible date, or nil if there is no lower bound.
  var start: CivilDate? {
    switch self {
    case .once(let date), .everyDays(_, from: let date): date
    case .recurrence(let dates): dates.recurrence.firstDate
    case .weekly: nil
    }
  }

  /// The shape in which the system can repeat a time on these dates, with the number of requests,
  /// or nil if the system supports no such shape.
  ///
  /// All seven weekdays form one daily repetition, and so does an interval of one day.
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
