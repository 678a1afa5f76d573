/// The dates of a rule as whole numbers, to be searched without hashing.
enum RuleDates {
  case once(CivilDate)
  /// One bit a weekday, Monday's the lowest.
  case weekly(UInt8)
  case everyDays(Int, from: CivilDate)

  /// The dates of a rule, or nil where this build does not know what the rule means.
  init?(_ rule: Rule) {
    switch rule {
    case .once(let date): self = .once(date)
    case .weekly(let weekdays):
      self = .weekly(weekdays.reduce(0) { $0 | 1 << ($1.rawValue - 1) })
    case .everyDays(let days, let anchor): self = .everyDays(days, from: anchor)
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
    }
  }

  /// Whether a date is one of them.
  func contains(_ date: CivilDate) -> Bool { first(onOrAfter: date) == date }

  /// The date before which there are none.
  var start: CivilDate? {
    switch self {
    case .once(let date), .everyDays(_, from: let date): date
    case .weekly: nil
    }
  }

  /// After how many days the system's own repetition comes round, or nil where it knows no such
  /// shape.
  ///
  /// All seven weekdays are one daily repetition, and so is every first day.
  var repeatPeriodDays: Int? {
    switch self {
    case .weekly(let weekdays): weekdays.nonzeroBitCount == Weekday.allCases.count ? 1 : 7
    case .everyDays(1, from: _): 1
    case .once, .everyDays: nil
    }
  }

  /// The repeating request that an occurrence belongs to, where the dates have such a shape.
  func repeatTrigger(of nominal: CivilDateTime) -> RepeatTrigger? {
    repeatPeriodDays.map {
      $0 == 1 ? .daily(nominal.time) : .weekly(nominal.date.weekday, nominal.time)
    }
  }
}
