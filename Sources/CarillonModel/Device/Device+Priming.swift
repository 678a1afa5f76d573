public import Foundation

/// The person's answers on the app's own screen, which asks before the system's prompt does.
///
/// A "no" on that screen has no lasting effect, because the app can show it again. A "no" at the
/// system's prompt is permanent.
package struct Priming: Hashable, Sendable {
  /// The number of times that the person answered "no".
  package var refusalCount = 0
  /// The instant of the last "no".
  package var lastRefusal: Instant?

  /// Creates a value without any answers.
  package init() {}
}

extension Device {
  /// Whether the system's prompt may be shown.
  ///
  /// The system shows it only once, and not if it already has an answer.
  ///
  /// Provisional permission needs no prompt, so the prompt remains available.
  public var mayBeAsked: Bool {
    !wasAsked && [.notDetermined, .provisional].contains(permission.status)
  }

  /// Returns the instant from which the app's own screen may be shown again after a "no", or nil if
  /// it may be shown at any time.
  ///
  /// The waiting time doubles with each "no", up to 3,650 days. It ends at the time of day of the
  /// last "no", also if the clocks change in between.
  ///
  /// - Parameters:
  ///   - settings: The store's settings, with the number of days to wait.
  ///   - zone: The zone whose days count.
  public func mayBePrimed(after settings: StoreSettings, in zone: TimeZone) -> Instant? {
    guard let lastRefusal = priming.lastRefusal, priming.refusalCount > 0 else { return nil }
    let doublings = min(priming.refusalCount - 1, 12)
    let days = Int64(min(settings.primingDays << doublings, 3_650))
    let end = Instant(milliseconds: lastRefusal.milliseconds + days * 86_400_000)
    let calendar = CivilCalendar(zone: zone)
    let change = calendar.offsetSeconds(at: end) - calendar.offsetSeconds(at: lastRefusal)
    return end.adding(seconds: -change)
  }

  /// Records one answer.
  ///
  /// Answers may arrive in any order.
  package mutating func note(_ asked: PermissionAsked, at moment: Instant) {
    switch (asked.step, asked.outcome) {
    case (.prompted, _): wasAsked = true
    case (.primed, .no):
      priming.refusalCount += 1
      priming.lastRefusal = max(priming.lastRefusal ?? moment, moment)
    case (.primed, _): break
    }
  }
}
