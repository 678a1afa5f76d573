import Carillon

/// The notifications that the desktop's command refused, and when each is tried again.
///
/// The wait before the next try doubles with each refusal of a notification.
struct RefusedNotifications {
  private struct Wait {
    let milliseconds: Int64
    let end: Instant
  }

  private var waits: [NotificationID: Wait] = [:]
  /// The reason of the last refusal; nil if a notification was shown since.
  private var lastReason: String?

  /// The wait after the first refusal, in milliseconds.
  private static let firstWait: Int64 = 15_000
  /// The longest wait.
  private static let longestWait: Int64 = 15 * 60_000

  /// The earliest end of a wait, or nil if no notification waits.
  var nextTry: Instant? { waits.values.map(\.end).min() }

  /// Whether a notification is not to be tried yet.
  ///
  /// False if the clock was set back since, so that the wait never exceeds its length.
  func isWaiting(_ id: NotificationID, at now: Instant) -> Bool {
    guard let wait = waits[id] else { return false }
    return now < wait.end && wait.end.milliseconds - now.milliseconds <= wait.milliseconds
  }

  /// Records that a notification was refused, and starts its next wait.
  ///
  /// - Returns: Whether the reason is another one than that of the last refusal.
  mutating func refuse(_ id: NotificationID, for reason: String, at now: Instant) -> Bool {
    let wait = waits[id].map { min(2 * $0.milliseconds, Self.longestWait) } ?? Self.firstWait
    waits[id] = Wait(
      milliseconds: wait, end: Instant(milliseconds: now.milliseconds + wait))
    defer { lastReason = reason }
    return reason != lastReason
  }

  /// Records that a notification was shown.
  mutating func accept(_ id: NotificationID) {
    waits[id] = nil
    lastReason = nil
  }

  /// Forgets the notifications that are no longer due.
  mutating func keep(_ due: some Sequence<NotificationID>) {
    let due = Set(due)
    waits = waits.filter { due.contains($0.key) }
  }
}
