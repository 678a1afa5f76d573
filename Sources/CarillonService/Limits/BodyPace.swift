#if Service
import HTTPTypes

/// How fast a body must arrive, so that a client that sends a byte at a time does not hold its
/// place for ever.
///
/// Nothing is asked of the first seconds: a device may be far away. One that sends nothing at all
/// is disconnected as idle.
struct BodyPace {
  /// The time before the pace counts.
  static let patience = Duration.seconds(30)
  /// The least bytes a second from then on, since the beginning of the body.
  static let bytesPerSecond = 1_000

  private let start: ContinuousClock.Instant

  init(from start: ContinuousClock.Instant = .now) {
    self.start = start
  }

  /// Requires that a number of bytes has arrived in time.
  ///
  /// - Throws: ``Problem`` `tooSlow`.
  func require(_ byteCount: Int, at now: ContinuousClock.Instant = .now) throws(Problem) {
    let elapsed = start.duration(to: now)
    guard elapsed > Self.patience, elapsed > .seconds(byteCount / Self.bytesPerSecond) else {
      return
    }
    throw Problem(
      .requestTimeout, code: "tooSlow",
      detail: "the body has fewer than \(Self.bytesPerSecond) bytes a second",
      hint: "send the request again, with all of its body")
  }
}
#endif
