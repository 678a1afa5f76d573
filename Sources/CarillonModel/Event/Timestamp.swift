/// A hybrid logical clock reading: 48 bits of milliseconds since 1970 UTC, and a 16-bit counter.
///
/// Timestamps order events; times for people are part of the payloads.
public struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
  /// The 64 bits of the timestamp.
  public let rawValue: UInt64

  /// Creates a value from a raw value.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates the timestamp of a millisecond, with counter 0.
  package init(milliseconds: Int64) {
    rawValue = UInt64(milliseconds) << 16
  }

  /// Milliseconds since 1970 UTC.
  @inlinable
  public var milliseconds: Int64 { Int64(rawValue >> 16) }

  /// Whether the timestamp is at or after 2^45 ms (the year 3084), which no writer's clock accepts.
  ///
  /// Such an event keeps its place in the total order, but does not move any other writer's clock,
  /// and its content is ignored: no later write could win against it.
  package var isBeyondClocks: Bool { milliseconds >= Self.clockLimit }

  /// The milliseconds from which a wall clock is rejected.
  package static let clockLimit: Int64 = 1 << 45

  /// Whether the top bit is set, which no writer writes and no receiver accepts.
  package var isExhausted: Bool { rawValue >> 63 == 1 }

  /// Compares the raw values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Returns the greatest of a timestamp and the greatest so far that moves a writer's clock.
  ///
  /// A timestamp at or after 2^45 ms is ignored, so that no event can prevent further writing.
  package static func greatest(_ timestamp: Timestamp, _ known: Timestamp?) -> Timestamp? {
    timestamp.isBeyondClocks ? known : max(timestamp, known ?? timestamp)
  }

  /// Returns the timestamp of a new event.
  ///
  /// It is the latest of the wall clock, one more than the previous event on the branch, and one
  /// more than the greatest known timestamp. Its top bit is never set: a writer whose branch ends
  /// at or after 2^45 ms takes a new `ReplicaID`.
  ///
  /// - Throws: `clockExhausted` for a wall clock before 1970 or at or after 2^45 ms (the year
  ///   3084). Nothing may then be written.
  package static func next(
    wallClock: Instant, after greatest: Timestamp?, behind previous: Timestamp? = nil
  ) throws(ModelError) -> Timestamp {
    guard (0..<clockLimit).contains(wallClock.milliseconds) else {
      throw .clockExhausted(wallClock)
    }
    let now = UInt64(wallClock.milliseconds) << 16
    let latest = max(greatest?.rawValue ?? 0, previous?.rawValue ?? 0)
    return Timestamp(rawValue: max(now, latest + 1))
  }
}
