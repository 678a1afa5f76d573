/// A time of day on the wall: minutes since midnight, 0...1439.
public struct TimeOfDay: Hashable, Comparable, Sendable {
  /// Minutes since midnight, 0...1439.
  public let minute: UInt16

  /// Makes a time of a minute in 0...1439, or nil.
  public init?(minute: Int) {
    guard (0..<1440).contains(minute) else { return nil }
    self.minute = UInt16(minute)
  }

  /// The time of a minute, or the first or last of the day where the minute is outside it.
  init(clampingMinute minute: Int) {
    self.minute = UInt16(min(max(minute, 0), 1_439))
  }

  /// 00:00.
  public static let midnight = TimeOfDay(clampingMinute: 0)

  /// Compares the values.
  public static func < (left: Self, right: Self) -> Bool { left.minute < right.minute }
}

extension TimeOfDay: TextCodable {
  /// Parses `HH:MM`, 00:00 to 23:59.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [2, 2], let hour = Int(digits: parts[0]),
      let minute = Int(digits: parts[1]), hour < 24, minute < 60
    else { return nil }
    self.init(minute: hour * 60 + minute)
  }

  /// `HH:MM`.
  public var description: String { "\(Int(minute / 60).padded(2)):\(Int(minute % 60).padded(2))" }
}

extension TimeOfDay: ExpressibleByStringLiteral {
  /// A literal `HH:MM`; anything else is a programming error and traps.
  public init(stringLiteral value: String) {
    guard let time = Self(value) else { preconditionFailure("not a time HH:MM: \(value)") }
    self = time
  }
}
