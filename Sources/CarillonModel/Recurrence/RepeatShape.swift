/// The way the system can repeat the instances of a recurrence by itself.
enum RepeatShape: Hashable {
  /// The system repeats every day.
  case daily
  /// The system repeats on each weekday of the rule.
  case weekly
  /// The system repeats on each day of the month of the rule; every month has these days.
  case monthly
  /// The system repeats on each date of the rule; every year has these dates.
  case yearly

  /// Returns the repeating trigger that an instance belongs to.
  func trigger(of nominal: CivilDateTime) -> RequestTrigger.Shape {
    let (_, month, day) = nominal.date.components
    return switch self {
    case .daily: .daily(nominal.time)
    case .weekly: .weekly(nominal.date.weekday, nominal.time)
    case .monthly: .monthly(day: day, nominal.time)
    case .yearly: .yearly(month: month, day: day, nominal.time)
    }
  }
}

extension Recurrence {
  /// The shape in which the system can repeat this from its first instance on; nil if it cannot.
  ///
  /// It cannot if there is an end, an exception, an addition, an interval or a position, or if some
  /// month or year lacks one of the dates.
  var repeatShape: RepeatShape? {
    guard let rule = onlyRule, rule.end == .never, rule.setPositions.isEmpty,
      rule.weekNumbers.isEmpty, rule.yearDays.isEmpty
    else { return nil }
    guard rule.interval == 1 || rule.minutesOfPeriod != nil else { return nil }
    switch rule.frequency {
    case .minutely, .hourly:
      // No more requests than for a schedule with the most times.
      let count = rule.hasVaryingTimes ? 0 : times.count
      return (1...Schedule.maxTimes).contains(count) ? rule.weeklyShape : nil
    case .daily, .weekly: return rule.weeklyShape
    case .monthly, .yearly: return rule.monthlyShape(startingOn: start.date)
    }
  }
}

extension RecurrenceRule {
  private static let commonYear = 2_001

  fileprivate var weeklyShape: RepeatShape? {
    guard months.isEmpty, monthDays.isEmpty else { return nil }
    let isEveryDay =
      days.count == Weekday.allCases.count || (days.isEmpty && frequency != .weekly)
    return isEveryDay ? .daily : .weekly
  }

  fileprivate func monthlyShape(startingOn start: CivilDate) -> RepeatShape? {
    guard days.isEmpty else { return nil }
    let isOfEveryMonth = months.isEmpty && (frequency == .monthly || !monthDays.isEmpty)
    let monthDays = monthDays.isEmpty ? [start.components.day] : monthDays
    if isOfEveryMonth {
      return monthDays.allSatisfy((1...28).contains) ? .monthly : nil
    }
    let months = months.isEmpty ? [start.components.month] : months
    let areInEveryYear = months.allSatisfy { month in
      monthDays.allSatisfy { day in
        (1...CivilDate.dayCount(ofMonth: month, in: Self.commonYear)).contains(day)
      }
    }
    return areInEveryYear ? .yearly : nil
  }
}
