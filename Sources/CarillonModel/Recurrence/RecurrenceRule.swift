/// The parts of an RRULE.
///
/// Lists are ascending and distinct, and empty if the part is not given.
///
/// - Source: RFC 5545, section 3.3.10.
package struct RecurrenceRule: Hashable, Sendable {
  /// FREQ: the length of the rule's periods.
  package enum Frequency: String, CaseIterable, Hashable, Sendable {
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

  /// Returns the times of day, ascending: all hours combined with all minutes.
  ///
  /// If BYHOUR or BYMINUTE is not given, the hour or minute of the start is used.
  func times(startingAt start: TimeOfDay) -> [TimeOfDay] {
    let hours = hours.isEmpty ? [Int(start.minute) / 60] : hours
    let minutes = minutes.isEmpty ? [Int(start.minute) % 60] : minutes
    return hours.flatMap { hour in minutes.map { TimeOfDay(clampingMinute: hour * 60 + $0) } }
  }

  /// The maximum of COUNT.
  package static let maxCount = 100_000
  /// The maximum of INTERVAL.
  package static let maxInterval = 10_000
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
