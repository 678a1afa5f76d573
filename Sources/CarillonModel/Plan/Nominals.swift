/// The nominal date-times of a rule of dates, ascending, to be searched and never listed.
enum Nominals {
  /// Every date at each of the times, which ascend and of which there are some.
  case dated(RuleDates, at: [TimeOfDay])
  /// The instances of a recurrence that brings its own times.
  case moments(RecurrenceDates)

  /// The date-times of a rule; nil where it has none, names no dates, or is not known here.
  init?(_ rule: Rule, at times: [TimeOfDay]) {
    if case .recurrence(let recurrence) = rule, !recurrence.isDateOnly {
      self = .moments(RecurrenceDates(recurrence))
    } else if let dates = RuleDates(rule), !times.isEmpty {
      self = .dated(dates, at: times)
    } else {
      return nil
    }
  }

  /// The first at or after a date-time.
  func first(onOrAfter moment: CivilDateTime) -> CivilDateTime? {
    switch self {
    case .dated(let dates, let times):
      guard let date = dates.first(onOrAfter: moment.date) else { return nil }
      if date > moment.date { return CivilDateTime(date: date, time: times[0]) }
      for time in times where time >= moment.time { return CivilDateTime(date: date, time: time) }
      return dates.first(onOrAfter: date.adding(days: 1)).map {
        CivilDateTime(date: $0, time: times[0])
      }
    case .moments(let dates):
      return dates.expansion.first(onOrAfter: moment)
    }
  }

  /// The first after a date-time.
  func first(after moment: CivilDateTime) -> CivilDateTime? { first(onOrAfter: moment.following) }

  /// Whether a date-time is one of them.
  func contains(_ moment: CivilDateTime) -> Bool { first(onOrAfter: moment) == moment }

  /// The date before which there are none.
  var start: CivilDate? {
    switch self {
    case .dated(let dates, _): dates.start
    case .moments(let dates): dates.recurrence.firstDate
    }
  }

  /// The times that they have.
  var times: [TimeOfDay] {
    switch self {
    case .dated(_, let times): times
    case .moments(let dates): dates.recurrence.times
    }
  }

  /// How the system itself may repeat each of the times, and with how many requests; nil where it
  /// knows no such shape.
  var shape: (shape: RepeatShape, requestCount: Int)? {
    switch self {
    case .dated(let dates, _): dates.shape
    case .moments(let dates): dates.shape
    }
  }
}

/// A recurrence with what seeking in it needs.
///
/// A class, so that rules without one need not carry it.
final class RecurrenceDates {
  let recurrence: Recurrence
  let expansion: RecurrenceExpansion

  init(_ recurrence: Recurrence) {
    self.recurrence = recurrence
    expansion = RecurrenceExpansion(of: recurrence)
  }

  /// How the system itself may repeat it; nil also where that takes more than seven requests.
  var shape: (shape: RepeatShape, requestCount: Int)? {
    guard let rule = recurrence.rule, let shape = recurrence.repeatShape else { return nil }
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
  /// The next minute.
  fileprivate var following: CivilDateTime {
    if let time = TimeOfDay(minute: Int(time.minute) + 1) {
      return CivilDateTime(date: date, time: time)
    }
    return CivilDateTime(date: date.adding(days: 1), time: .midnight)
  }
}
