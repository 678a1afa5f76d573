/// The parts of an RRULE.
///
/// Lists are ascending and distinct, and empty if the part is not given.
///
/// - Source: RFC 5545, section 3.3.10.
public struct RecurrenceRule: Hashable, Sendable {
  /// FREQ: the length of the rule's periods.
  public enum Frequency: String, CaseIterable, Hashable, Sendable {
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
  public enum End: Hashable, Sendable {
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
  public struct Day: Hashable, Comparable, Sendable {
    /// The ordinal: 1...53 from the beginning of the month or year, negative from its end; 0 means
    /// every such weekday.
    public let ordinal: Int
    /// The weekday.
    public let weekday: Weekday

    /// Compares the ordinals, then the weekdays.
    public static func < (left: Self, right: Self) -> Bool {
      (left.ordinal, left.weekday) < (right.ordinal, right.weekday)
    }
  }

  /// FREQ.
  public let frequency: Frequency
  /// INTERVAL: the number of periods from one used period to the next, 1...10,000.
  public let interval: Int
  /// COUNT or UNTIL.
  public let end: End
  /// BYMONTH: 1...12.
  public let months: [Int]
  /// BYMONTHDAY: 1...31, or -31...-1 from the month's end.
  public let monthDays: [Int]
  /// BYDAY: weekdays, with or without ordinals; an instance matches any of them.
  public let days: [Day]
  /// BYHOUR: 0...23.
  public let hours: [Int]
  /// BYMINUTE: 0...59.
  public let minutes: [Int]
  /// BYSETPOS: positions among the instances of a period, 1...366 or -366...-1.
  public let setPositions: [Int]
  /// WKST: the first day of the week.
  public let weekStart: Weekday

  /// Returns the times of day, ascending: all hours combined with all minutes.
  ///
  /// If BYHOUR or BYMINUTE is not given, the hour or minute of the start is used.
  func times(startingAt start: TimeOfDay) -> [TimeOfDay] {
    let hours = hours.isEmpty ? [Int(start.minute) / 60] : hours
    let minutes = minutes.isEmpty ? [Int(start.minute) % 60] : minutes
    return hours.flatMap { hour in minutes.map { TimeOfDay(clampingMinute: hour * 60 + $0) } }
  }

  /// The maximum of COUNT.
  public static let maxCount = 100_000
  /// The maximum of INTERVAL.
  public static let maxInterval = 10_000
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
