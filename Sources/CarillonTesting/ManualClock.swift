public import CarillonModel
internal import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: Sendable {
  private let instant: Mutex<Instant>

  /// Stands at an instant.
  public init(_ start: Instant) {
    instant = Mutex(start)
  }

  /// Stands at an instant in RFC 3339, such as `2026-11-23T08:00:00Z`; traps on any other text.
  public convenience init(_ text: String) {
    self.init(Self.parse(text))
  }

  /// What it shows.
  public var now: Instant { instant.withLock { $0 } }

  /// Moves it on, or back where the seconds are negative.
  public func advance(seconds: Int64) {
    instant.withLock { $0 = Instant(milliseconds: $0.milliseconds + seconds * 1000) }
  }

  /// Sets it to an instant in RFC 3339; traps on any other text.
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
