extension Rule {
  /// The first of the rule's dates at or after a date, or nil where there is none.
  ///
  /// - Complexity: O(1); nothing is walked.
  func firstDate(onOrAfter date: CivilDate) -> CivilDate? {
    switch self {
    case .once(let only):
      return only >= date ? only : nil
    case .weekly(let weekdays):
      return (0..<7).lazy.map { date.adding(days: $0) }.first { weekdays.contains($0.weekday) }
    case .everyDays(let days, let anchor):
      guard days > 0 else { return nil }
      guard date > anchor else { return anchor }
      let overshoot = anchor.days(to: date) % days
      let found = Int(date.rawValue) + (overshoot == 0 ? 0 : days - overshoot)
      return Int32(exactly: found).map(CivilDate.init(rawValue:))
    case .unknown:
      return nil
    }
  }

  /// Whether a date is one of the rule's.
  func contains(_ date: CivilDate) -> Bool {
    if case .weekly(let weekdays) = self { return weekdays.contains(date.weekday) }
    return firstDate(onOrAfter: date) == date
  }

  /// Whether this build knows what the rule means.
  var isKnown: Bool {
    if case .unknown = self { false } else { true }
  }

  /// The date before which the rule has none.
  var firstDate: CivilDate? {
    switch self {
    case .once(let date), .everyDays(_, from: let date): date
    case .weekly, .unknown: nil
    }
  }

  /// After how many days the system's own repetition comes round, or nil where it knows no such
  /// shape.
  ///
  /// All seven weekdays are one daily repetition, and so is every first day.
  var repeatPeriodDays: Int? {
    switch self {
    case .weekly(let weekdays): weekdays.count == Weekday.allCases.count ? 1 : 7
    case .everyDays(1, from: _): 1
    case .once, .everyDays, .unknown: nil
    }
  }

  /// The repeating request that an occurrence belongs to, where the rule has such a shape.
  func repeatTrigger(of nominal: CivilDateTime) -> RepeatTrigger? {
    repeatPeriodDays.map {
      $0 == 1 ? .daily(nominal.time) : .weekly(nominal.date.weekday, nominal.time)
    }
  }
}
