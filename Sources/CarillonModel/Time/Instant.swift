/// A point in time: milliseconds since 1970 UTC, as read from a wall clock.
public struct Instant: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z; negative before that.
  public let milliseconds: Int64

  /// Creates an instant from milliseconds since 1970 UTC.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Compares the instants.
  public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}
