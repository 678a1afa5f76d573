/// A point in time: milliseconds since 1970 UTC, as a wall clock reads it.
public struct Instant: RawRepresentable, Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z; negative before.
  public let rawValue: Int64

  /// Takes the value as it is.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Makes an instant of milliseconds since 1970 UTC.
  public init(milliseconds: Int64) {
    rawValue = milliseconds
  }

  /// Milliseconds since 1970 UTC.
  public var milliseconds: Int64 { rawValue }

  /// Compares the values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
