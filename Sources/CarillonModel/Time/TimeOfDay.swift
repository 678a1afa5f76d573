/// A civil time of day: minutes since midnight, 0...1439.
public struct TimeOfDay: Hashable, Comparable, Sendable {
  /// Minutes since midnight, 0...1439.
  public let minute: UInt16

  /// Creates a time from a minute of the day; returns nil outside 0...1439.
  public init?(minute: Int) {
    guard (0..<1440).contains(minute) else { return nil }
    self.minute = UInt16(minute)
  }

  /// Creates a time from a minute, clamped to 0...1439.
  init(clampingMinute minute: Int) {
    self.minute = UInt16(min(max(minute, 0), 1_439))
  }

  /// 00:00.
  package static let midnight = TimeOfDay(clampingMinute: 0)

  /// Compares the times.
  public static func < (left: Self, right: Self) -> Bool { left.minute < right.minute }
}

extension TimeOfDay: TextCodable {
  /// Parses `HH:MM`, 00:00 to 23:59.
  public init?(_ text: String) {
    guard let numbers = text.numbers(like: "00:00"), numbers[1] < 60 else { return nil }
    self.init(minute: numbers[0] * 60 + numbers[1])
  }

  /// The time as `HH:MM`.
  public var description: String { "\(Int(minute / 60).padded(2)):\(Int(minute % 60).padded(2))" }
}

extension TimeOfDay: ExpressibleByStringLiteral {
  /// Creates a time from a literal `HH:MM`; any other literal traps.
  public init(stringLiteral value: String) {
    guard let time = Self(value) else { preconditionFailure("not a time HH:MM: \(value)") }
    self = time
  }
}
