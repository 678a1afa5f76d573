/// A date of the proleptic Gregorian calendar without a time zone, stored as days since 1970-01-01.
///
/// All date arithmetic uses whole numbers; the planner converts a date to an instant once, at the
/// end.
public struct CivilDate: RawRepresentable, Hashable, Comparable, Sendable {
  /// Days since 1970-01-01; negative before that date.
  public let rawValue: Int32

  /// Creates a value from a raw value.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The dates that users may enter: 1970-01-01 to 2200-12-31.
  package static let accepted = CivilDate(rawValue: 0)...CivilDate(rawValue: 84_370)

  /// Creates a date from a year, a month 1...12 and a day; returns nil if the month has no such
  /// day.
  ///
  /// - Complexity: O(1).
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.dayCount(ofMonth: month, in: year)
    else { return nil }
    // Years that start in March have the leap day at their end; 400 years have 146,097 days.
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    rawValue = Int32(era * 146_097 + dayOfEra - 719_468)
  }

  /// The year, the month 1...12 and the day 1...31.
  public var components: (year: Int, month: Int, day: Int) {
    let days = Int(rawValue) + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// The day of the week.
  public var weekday: Weekday {
    let index = ((Int(rawValue) + 3) % 7 + 7) % 7
    return Weekday.allCases[index]
  }

  /// Returns the date a number of days later, or earlier if the number is negative; clamped to the
  /// range of the raw value.
  package func adding(days: Int) -> CivilDate {
    let (sum, overflow) = Int(rawValue).addingReportingOverflow(days)
    return CivilDate(rawValue: overflow ? (days < 0 ? .min : .max) : Int32(clamping: sum))
  }

  /// Returns the number of days from this date to another.
  package func days(to other: CivilDate) -> Int { Int(other.rawValue) - Int(rawValue) }

  /// Compares the dates.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  static func dayCount(ofMonth month: Int, in year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}

extension CivilDate: Strideable {
  /// Returns the number of days from this date to another.
  public func distance(to other: CivilDate) -> Int { days(to: other) }

  /// Returns the date a number of days later, so that ranges of dates can be iterated.
  public func advanced(by days: Int) -> CivilDate { adding(days: days) }
}

extension CivilDate: TextCodable {
  /// Parses `YYYY-MM-DD`.
  public init?(_ text: String) {
    guard let numbers = text.numbers(like: "0000-00-00") else { return nil }
    self.init(year: numbers[0], month: numbers[1], day: numbers[2])
  }

  /// The date as `YYYY-MM-DD`.
  public var description: String {
    let (year, month, day) = components
    return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
  }
}

extension CivilDate: ExpressibleByStringLiteral {
  /// Creates a date from a literal `YYYY-MM-DD`; any other literal traps.
  public init(stringLiteral value: String) {
    guard let date = Self(value) else { preconditionFailure("not a date YYYY-MM-DD: \(value)") }
    self = date
  }
}
