/// A point in time: milliseconds since 1970 UTC, as read from a wall clock.
public struct Instant: RawRepresentable, Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z; negative before that.
  public let rawValue: Int64

  /// Creates a value from a raw value.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Creates an instant from milliseconds since 1970 UTC.
  public init(milliseconds: Int64) {
    rawValue = milliseconds
  }

  /// Milliseconds since 1970 UTC.
  public var milliseconds: Int64 { rawValue }

  /// Compares the instants.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
