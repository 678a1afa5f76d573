public import CarillonModel
internal import Synchronization

/// A clock that changes only when a test sets or advances it.
public final class ManualClock: Sendable {
  private let instant: Mutex<Instant>

  /// Creates a clock that shows an instant.
  public init(_ start: Instant) {
    instant = Mutex(start)
  }

  /// Creates a clock that shows an instant in RFC 3339, such as `2026-11-23T08:00:00Z`; traps if
  /// the text is not RFC 3339.
  public convenience init(_ text: String) {
    self.init(Self.parse(text))
  }

  /// The instant that the clock shows.
  public var now: Instant { instant.withLock { $0 } }

  /// Advances the clock, or sets it back if the seconds are negative.
  public func advance(seconds: Int64) {
    instant.withLock { $0 = Instant(milliseconds: $0.milliseconds + seconds * 1000) }
  }

  /// Sets the clock to an instant in RFC 3339; traps if the text is not RFC 3339.
  public func set(_ text: String) {
    let new = Self.parse(text)
    instant.withLock { $0 = new }
  }

  private static func parse(_ text: String) -> Instant {
    guard let instant = Instant(rfc3339: text) else {
      preconditionFailure("not RFC 3339: \(text)")
    }
    return instant
  }
}
