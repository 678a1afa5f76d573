internal import Foundation

/// Waits for another process or thread in short sleeps, up to a time limit.
///
/// It is used because the system calls that wait for a lock have no time limit.
struct Patience {
  let limit: Duration
  private let deadline: SuspendingClock.Instant
  /// The length of the next sleep, in microseconds.
  private var pause: UInt32 = 50

  private static let maxPause: UInt32 = 2_000

  init(_ limit: Duration) {
    self.limit = limit
    deadline = .now + limit
  }

  /// Sleeps, a little longer each time.
  ///
  /// - Returns: False, without sleeping, if the limit has passed.
  mutating func wait() -> Bool {
    guard .now < deadline else { return false }
    usleep(pause)
    pause = min(2 * pause, Self.maxPause)
    return true
  }
}
