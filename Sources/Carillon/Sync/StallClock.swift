import CarillonModel
internal import CarillonSync

/// Detects a stalled peer: one that moves no bytes, too few bytes, or never completes a message.
///
/// The clock matters only while something is expected of the peer. All limits follow from the stall
/// interval, by default 30 s: at least 1,024 bytes in 10 intervals (5 minutes), and a whole message
/// within 60 intervals (30 minutes).
struct StallClock: Sendable {
  /// What the peer is expected to do.
  enum Duty: String, Sendable {
    case send, read
  }

  typealias Time = ContinuousClock.Instant

  private let duty: Duty
  private let stallInterval: Duration
  private var start: Time
  private var lastByte: Time
  /// The start of the period in which ``byteCount`` is counted.
  private var counted: Time
  private var byteCount = 0

  private static let leastByteCount = 1_024
  private static let intervalsToCount = 10
  private static let intervalsOfMessage = 60

  init(_ duty: Duty, stallInterval: Duration, at now: Time = .now) {
    self.duty = duty
    self.stallInterval = stallInterval
    (start, lastByte, counted) = (now, now, now)
  }

  /// Restarts the clock, when something is newly expected or a message is complete.
  mutating func restart(at now: Time = .now) {
    self = StallClock(duty, stallInterval: stallInterval, at: now)
  }

  /// Records that bytes were moved.
  mutating func note(_ count: Int, at now: Time = .now) {
    lastByte = now
    byteCount += count
    if byteCount >= Self.leastByteCount { (counted, byteCount) = (now, 0) }
  }

  /// When the peer counts as stalled if nothing more happens.
  var deadline: Time {
    min(
      lastByte + stallInterval, counted + stallInterval * Self.intervalsToCount,
      start + stallInterval * Self.intervalsOfMessage)
  }

  /// Returns why the peer counts as stalled; nil before the deadline.
  func stall(at now: Time) -> SyncError? {
    guard now >= deadline else { return nil }
    let message =
      if now >= lastByte + stallInterval {
        "the peer \(duty == .send ? "was silent" : "read nothing") for \(text(1))"
      } else if now >= counted + stallInterval * Self.intervalsToCount {
        "the peer \(duty == .send ? "sent" : "read") only \(byteCount) bytes in "
          + "\(text(Self.intervalsToCount)); at least \(Self.leastByteCount) are expected"
      } else {
        "the peer did not \(duty.rawValue) a whole message within "
          + text(Self.intervalsOfMessage)
      }
    return SyncError(code: .unreachable, message: message)
  }

  private func text(_ intervals: Int) -> String { Self.text(stallInterval * intervals) }

  private static func text(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    return seconds.rounded() == seconds ? "\(Int(seconds)) seconds" : "\(seconds) seconds"
  }
}
