/// A reading of the hybrid logical clock: 48 bits of milliseconds since 1970 UTC, then a counter
/// of 16 bits.
///
/// Timestamps order events; spans of time come from the payloads' own times.
public struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
  /// The value itself.
  public let rawValue: UInt64

  /// Takes the value as it is.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The timestamp of a millisecond, with counter 0.
  package init(milliseconds: Int64) {
    rawValue = UInt64(milliseconds) << 16
  }

  /// Milliseconds since 1970 UTC.
  public var milliseconds: Int64 { Int64(rawValue >> 16) }

  /// True when the top bit is set, which no writer writes and no receiver accepts.
  public var isExhausted: Bool { rawValue >> 63 == 1 }

  /// Compares the values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The timestamp of a new event: the wall clock's, or one more than the greatest in the log
  /// where the clock is at or behind that.
  ///
  /// - Throws: `clockExhausted` for a clock before 1970 or at 2^45 ms (year 3084) and above, and
  ///   where the result would have its top bit set. Nothing may then be written.
  package static func next(
    wallClock: Instant, after greatest: Timestamp?
  ) throws(ModelError) -> Timestamp {
    guard (0..<(1 << 45)).contains(wallClock.milliseconds) else {
      throw .clockExhausted(wallClock)
    }
    let now = UInt64(wallClock.milliseconds) << 16
    let next = Timestamp(rawValue: max(now, (greatest?.rawValue).map { $0 &+ 1 } ?? 0))
    guard !next.isExhausted else { throw .timestampsExhausted }
    return next
  }
}
