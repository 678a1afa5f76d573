/// The parts of an RRULE.
///
/// Lists are ascending and distinct, and empty if the part is not given.
///
/// - Source: RFC 5545, section 3.3.10.
package struct RecurrenceRule: Hashable, Sendable {
  /// FREQ: the length of the rule's periods.
  package enum Frequency: String, CaseIterable, Hashable, Sendable {
    /// A period of one minute.
    case minutely = "MINUTELY"
    /// A period of one hour.
    case hourly = "HOURLY"
    /// A period of one day.
    case daily = "DAILY"
    /// A period of one week, starting at WKST.
    case weekly = "WEEKLY"
    /// A period of one month.
    case monthly = "MONTHLY"
    /// A period of one year.
    case yearly = "YEARLY"
  }

  /// The end of a rule: COUNT or UNTIL.
  package enum End: Hashable, Sendable {
    /// The rule has neither COUNT nor UNTIL.
    case never
    /// The rule ends after this number of instances, 1...100,000.
    ///
    /// Exceptions count, additions do not.
    case count(Int)
    /// The rule ends after this date, inclusive.
    case untilDate(CivilDate)
    /// The rule ends after this minute, inclusive, in the civil time of the start.
    case until(CivilDateTime)
    /// The rule ends after this minute of UTC, inclusive, converted to civil time in the start's
    /// zone.
    case untilUTC(CivilDateTime)
  }

  /// One entry of BYDAY.
  package struct Day: Hashable, Comparable, Sendable {
    /// The ordinal: 1...53 from the beginning of the month or year, negative from its end; 0 means
    /// every such weekday.
    package let ordinal: Int
    /// The weekday.
    package let weekday: Weekday

    /// Compares the ordinals, then the weekdays.
    package static func < (left: Self, right: Self) -> Bool {
      (left.ordinal, left.weekday) < (right.ordinal, right.weekday)
    }
  }

  /// FREQ.
  package let frequency: Frequency
  /// INTERVAL: the number of periods from one used period to the next, 1...10,000.
  package let interval: Int
  /// COUNT or UNTIL.
  package let end: End
  /// BYMONTH: 1...12.
  package let months: [Int]
  /// BYWEEKNO: 1...53, or -53...-1 from the end of the year that the week belongs to.
  package let weekNumbers: [Int]
  /// BYYEARDAY: 1...366, or -366...-1 from the year's end.
  package let yearDays: [Int]
  /// BYMONTHDAY: 1...31, or -31...-1 from the month's end.
  package let monthDays: [Int]
  /// BYDAY: weekdays, with or without ordinals; an instance matches any of them.
  package let days: [Day]
  /// BYHOUR: 0...23.
  package let hours: [Int]
  /// BYMINUTE: 0...59.
  package let minutes: [Int]
  /// BYSETPOS: positions among the instances of a period, 1...366 or -366...-1.
  package let setPositions: [Int]
  /// WKST: the first day of the week.
  package let weekStart: Weekday

  /// The minutes of a period of HOURLY and MINUTELY; nil for longer periods.
  package var minutesOfPeriod: Int? {
    switch frequency {
    case .minutely: 1
    case .hourly: 60
    case .daily, .weekly, .monthly, .yearly: nil
    }
  }

  /// Whether the list of a date's times depends on the date, because an interval of hours or
  /// minutes does not divide a day.
  var hasVaryingTimes: Bool { minutesOfPeriod.map { 1_440 % ($0 * interval) != 0 } ?? false }

  /// Returns the times of day that instances can have, ascending: all hours combined with all
  /// minutes.
  ///
  /// If BYHOUR or BYMINUTE is not given, the hour or minute of the start is used; HOURLY uses every
  /// hour that its interval reaches, and MINUTELY every minute.
  package func times(startingAt start: TimeOfDay) -> [TimeOfDay] {
    let (hour, minute) = (Int(start.minute) / 60, Int(start.minute) % 60)
    switch frequency {
    case .minutely:
      // Each period has one minute, so only the first and the last position exist.
      guard setPositions.isEmpty || !places(among: 1).isEmpty else { return [] }
      let step = interval.commonDivisor(with: 1_440)
      return (0..<1_440).filter { each in
        (each - Int(start.minute)).isMultiple(of: step)
          && (hours.isEmpty || hours.contains(each / 60))
          && (minutes.isEmpty || minutes.contains(each % 60))
      }.map { TimeOfDay(clampingMinute: $0) }
    case .hourly:
      let reached = (0..<24).filter { each in
        (each - hour).isMultiple(of: interval.commonDivisor(with: 24))
          && (hours.isEmpty || hours.contains(each))
      }
      let all = minutes.isEmpty ? [minute] : minutes
      let chosen = setPositions.isEmpty ? all : places(among: all.count).map { all[$0] }
      return Self.times(reached, chosen)
    case .daily, .weekly, .monthly, .yearly:
      return Self.times(hours.isEmpty ? [hour] : hours, minutes.isEmpty ? [minute] : minutes)
    }
  }

  private static func times(_ hours: [Int], _ minutes: [Int]) -> [TimeOfDay] {
    hours.flatMap { hour in minutes.map { TimeOfDay(clampingMinute: hour * 60 + $0) } }
  }

  /// Returns the indices that BYSETPOS selects from `count` instances, ascending and distinct.
  func places(among count: Int) -> [Int] {
    var places: [Int] = []
    for position in setPositions {
      let place = position > 0 ? position - 1 : count + position
      if (0..<count).contains(place), !places.contains(place) { places.append(place) }
    }
    return places.sorted()
  }

  /// The maximum of COUNT.
  package static let maxCount = 100_000
  /// The maximum of INTERVAL.
  package static let maxInterval = 10_000
}

extension Int {
  /// Returns the greatest common divisor of two positive numbers.
  fileprivate func commonDivisor(with other: Int) -> Int {
    var (left, right) = (self, other)
    while right != 0 { (left, right) = (right, left % right) }
    return left
  }
}

extension Weekday {
  private static let recurrenceNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  /// The weekday's two letters in RFC 5545.
  var recurrenceName: String { Self.recurrenceNames[Int(rawValue) - 1] }

  /// Creates the weekday with two upper-case letters of RFC 5545; returns nil for other texts.
  init?(recurrenceName: some StringProtocol) {
    guard let index = Self.recurrenceNames.firstIndex(where: { $0 == recurrenceName }) else {
      return nil
    }
    self = Self.allCases[index]
  }
}
