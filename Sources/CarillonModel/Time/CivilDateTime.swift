/// A civil date and time of day, which identifies an occurrence of a schedule.
public struct CivilDateTime: Hashable, Comparable, Sendable, TextCodable {
  /// The date.
  public let date: CivilDate
  /// The time on that date.
  public let time: TimeOfDay

  /// Creates a value from its parts.
  public init(date: CivilDate, time: TimeOfDay) {
    self.date = date
    self.time = time
  }

  /// Compares the dates, then the times.
  public static func < (left: Self, right: Self) -> Bool {
    (left.date, left.time) < (right.date, right.time)
  }

  /// The date and time as `YYYY-MM-DDTHH:MM`.
  public var description: String { "\(date)T\(time)" }

  /// Parses `YYYY-MM-DDTHH:MM`.
  public init?(_ text: String) {
    guard let middle = text.utf8.firstIndex(of: UInt8(ascii: "T")),
      let date = CivilDate(String(text[..<middle])),
      let time = TimeOfDay(String(text[text.utf8.index(after: middle)...]))
    else { return nil }
    self.init(date: date, time: time)
  }
}
