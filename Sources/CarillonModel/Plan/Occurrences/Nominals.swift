/// The nominal dates and times of a rule, in ascending order.
///
/// They are searched, never listed.
enum Nominals {
  /// Every date at each of the times.
  ///
  /// The times are ascending and not empty.
  case dated(RuleDates, at: [TimeOfDay])
  /// The instances of a recurrence that defines its own times.
  case moments(RecurrenceDates)

  /// Creates the nominal dates and times of a rule, or returns nil if the rule has no times, has no
  /// dates, or is unknown.
  init?(_ rule: Schedule.Rule, at times: [TimeOfDay]) {
    if case .recurrence(let recurrence) = rule, !recurrence.isDateOnly {
      self = .moments(RecurrenceDates(recurrence))
    } else if let dates = RuleDates(rule), !times.isEmpty {
      self = .dated(dates, at: times)
    } else {
      return nil
    }
  }

  /// Returns the first nominal time at or after a date and time.
  ///
  /// - Parameter last: The last date of interest, beyond which a recurrence is not searched; nil
  ///   for all.
  func first(onOrAfter moment: CivilDateTime, through last: CivilDate? = nil) -> CivilDateTime? {
    switch self {
    case .dated(let dates, let times):
      guard let date = dates.first(onOrAfter: moment.date, through: last) else { return nil }
      if date > moment.date { return CivilDateTime(date: date, time: times[0]) }
      for time in times where time >= moment.time { return CivilDateTime(date: date, time: time) }
      return dates.first(onOrAfter: date.adding(days: 1), through: last).map {
        CivilDateTime(date: $0, time: times[0])
      }
    case .moments(let dates):
      return dates.expansion.first(onOrAfter: moment, through: last)
    }
  }

  /// Returns the first nominal time after a date and time.
  func first(after moment: CivilDateTime, through last: CivilDate? = nil) -> CivilDateTime? {
    first(onOrAfter: moment.following, through: last)
  }

  /// Whether a date and time is one of the rule's nominal times.
  func contains(_ moment: CivilDateTime) -> Bool {
    first(onOrAfter: moment, through: moment.date) == moment
  }

  /// The first possible date, or nil if there is no lower bound.
  var start: CivilDate? {
    switch self {
    case .dated(let dates, _): dates.start
    case .moments(let dates): dates.recurrence.firstDate
    }
  }

  /// The times of day that occur.
  var times: [TimeOfDay] {
    switch self {
    case .dated(_, let times): times
    case .moments(let dates): dates.recurrence.times
    }
  }

  /// Whether a date may have more times than a schedule lists.
  var isDense: Bool {
    if case .moments(let dates) = self { dates.isDense } else { false }
  }

  /// The shape in which the system can repeat each of the times, with the number of requests per
  /// time, or nil if the system supports no such shape.
  var shape: (shape: RepeatShape, requestCount: Int)? {
    switch self {
    case .dated(let dates, _): dates.shape
    case .moments(let dates): dates.shape
    }
  }
}

/// A recurrence with its prepared expansion and what follows from it.
///
/// A class, so that rules without a recurrence do not carry the storage.
final class RecurrenceDates {
  let recurrence: Recurrence
  let expansion: RecurrenceExpansion
  /// The shape in which the system can repeat the recurrence, or nil if there is none, or if it
  /// needs more than seven requests for one time.
  let shape: (shape: RepeatShape, requestCount: Int)?

  init(_ recurrence: Recurrence) {
    self.recurrence = recurrence
    expansion = RecurrenceExpansion(of: recurrence)
    shape = Self.shape(of: recurrence)
  }

  /// Whether a rule counts hours or minutes, so that a date may have many instances.
  var isDense: Bool { recurrence.rules.contains { $0.minutesOfPeriod != nil } }

  private static func shape(
    of recurrence: Recurrence
  ) -> (shape: RepeatShape, requestCount: Int)? {
    guard let rule = recurrence.onlyRule, let shape = recurrence.repeatShape else { return nil }
    let count =
      switch shape {
      case .daily: 1
      case .weekly: max(1, rule.days.count)
      case .monthly: max(1, rule.monthDays.count)
      case .yearly: max(1, rule.months.count) * max(1, rule.monthDays.count)
      }
    return count <= Weekday.allCases.count ? (shape, count) : nil
  }
}

extension CivilDateTime {
  /// The following minute.
  fileprivate var following: CivilDateTime {
    if let time = TimeOfDay(minute: Int(time.minute) + 1) {
      return CivilDateTime(date: date, time: time)
    }
    return CivilDateTime(date: date.adding(days: 1), time: .midnight)
  }
}
