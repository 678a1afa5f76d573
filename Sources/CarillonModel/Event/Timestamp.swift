/// A reading of the hybrid logical clock: 48 bits of milliseconds since 1970 UTC, then a counter
/// of 16 bits.
///
/// Timestamps order events; durations of time come from the payloads' own times.
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

  /// Whether no clock that a writer accepts reads so late: 2^45 ms (the year 3084) and above.
  ///
  /// Such an event has its place in the total order, moves no other writer's clock, and says
  /// nothing: no later write could win against it.
  package var isBeyondClocks: Bool { milliseconds >= Self.clockLimit }

  /// The milliseconds at which a wall clock is refused.
  private static let clockLimit: Int64 = 1 << 45

  /// True when the top bit is set, which no writer writes and no receiver accepts.
  public var isExhausted: Bool { rawValue >> 63 == 1 }

  /// Compares the values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The greatest timestamp that a writer's clock follows: those beyond clocks do not count, so
  /// that nobody's timestamp ends writing.
  package static func greatest(of timestamps: some Sequence<Timestamp>) -> Timestamp? {
    timestamps.lazy.filter { !$0.isBeyondClocks }.max()
  }

  /// The same of one more timestamp and the greatest so far.
  package static func greatest(_ timestamp: Timestamp, _ known: Timestamp?) -> Timestamp? {
    timestamp.isBeyondClocks ? known : max(timestamp, known ?? timestamp)
  }

  /// The timestamp of a new event: the wall clock's, or one more than the event before it on its
  /// branch or than the greatest that counts, whichever is latest.
  ///
  /// It has no top bit: a writer whose branch ends beyond clocks takes a new `ReplicaID`.
  ///
  /// - Throws: `clockExhausted` for a clock before 1970 or at 2^45 ms (the year 3084) and above.
  ///   Nothing may then be written.
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
