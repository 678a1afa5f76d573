/// The parts of an RRULE; lists are ascending and distinct, and empty where a part is not given.
///
/// - Source: RFC 5545, section 3.3.10.
public struct RecurrenceRule: Hashable, Sendable {
  /// FREQ: the period that the rule speaks about.
  public enum Frequency: String, CaseIterable, Hashable, Sendable {
    /// A day.
    case daily = "DAILY"
    /// A week, from WKST on.
    case weekly = "WEEKLY"
    /// A month.
    case monthly = "MONTHLY"
    /// A year.
    case yearly = "YEARLY"
  }

  /// COUNT or UNTIL.
  public enum End: Hashable, Sendable {
    /// None of them.
    case never
    /// After so many instances, 1...100,000; exceptions count, additions do not.
    case count(Int)
    /// After the whole of this date.
    case untilDate(CivilDate)
    /// After this minute, inclusive, on the clock of the start.
    case until(CivilDateTime)
    /// After what the clock of the start's zone shows at this minute of UTC, inclusive.
    case untilUTC(CivilDateTime)
  }

  /// One entry of BYDAY.
  public struct Day: Hashable, Comparable, Sendable {
    /// 1...53 from the front of the month or year, negative from its end; 0 for every one.
    public let ordinal: Int
    /// The weekday.
    public let weekday: Weekday

    /// Compares the values.
    public static func < (left: Self, right: Self) -> Bool {
      (left.ordinal, left.weekday) < (right.ordinal, right.weekday)
    }
  }

  /// FREQ.
  public let frequency: Frequency
  /// INTERVAL: every n-th period, 1...10,000.
  public let interval: Int
  /// COUNT or UNTIL.
  public let end: End
  /// BYMONTH: 1...12.
  public let months: [Int]
  /// BYMONTHDAY: 1...31, or -31...-1 from the month's end.
  public let monthDays: [Int]
  /// BYDAY; entries with and without ordinal are united.
  public let days: [Day]
  /// BYHOUR: 0...23.
  public let hours: [Int]
  /// BYMINUTE: 0...59.
  public let minutes: [Int]
  /// BYSETPOS: 1...366, or -366...-1, among the instances of a period.
  public let setPositions: [Int]
  /// WKST: the day on which weeks begin.
  public let weekStart: Weekday

  /// The times of day, ascending: hours with minutes, from the start's where none are named.
  func times(startingAt start: TimeOfDay) -> [TimeOfDay] {
    let hours = hours.isEmpty ? [Int(start.minute) / 60] : hours
    let minutes = minutes.isEmpty ? [Int(start.minute) % 60] : minutes
    return hours.flatMap { hour in minutes.map { TimeOfDay(clampingMinute: hour * 60 + $0) } }
  }

  /// The most that COUNT may be.
  public static let maxCount = 100_000
  /// The most that INTERVAL may be.
  public static let maxInterval = 10_000
}

extension Weekday {
  private static let recurrenceNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  /// The two letters of RFC 5545.
  var recurrenceName: String { Self.recurrenceNames[Int(rawValue) - 1] }

  /// The weekday of two upper-case letters of RFC 5545.
  init?(recurrenceName: some StringProtocol) {
    guard let index = Self.recurrenceNames.firstIndex(where: { $0 == recurrenceName }) else {
      return nil
    }
    self = Self.allCases[index]
  }
}
