/// What a person answered on the app's own screen, which asks before the system's prompt does.
///
/// A "no" there costs nothing, since the screen may be shown again; a "no" at the prompt is for
/// ever.
public struct Priming: Hashable, Sendable {
  /// How often the person said "no".
  public var refusalCount = 0
  /// When, the last time.
  public var lastRefusal: Instant?

  /// Nobody said anything.
  public init() {}
}

extension Device {
  /// Whether the system's prompt may be shown: once for ever, and not where the system has an
  /// answer already.
  ///
  /// Quiet permission needs no prompt, and leaves it to be shown.
  public var mayBeAsked: Bool {
    !wasAsked && [.notDetermined, .provisional].contains(permission.status)
  }

  /// From when the app's own screen may be shown again after a "no"; nil: at any time.
  ///
  /// The days between double with each "no", up to 3,650.
  public func mayBePrimed(after settings: StoreSettings) -> Instant? {
    guard let lastRefusal = priming.lastRefusal, priming.refusalCount > 0 else { return nil }
    let doublings = min(priming.refusalCount - 1, 12)
    let days = Int64(min(settings.primingDays << doublings, 3_650))
    return Instant(milliseconds: lastRefusal.milliseconds + days * 86_400_000)
  }

  /// Takes in one asking, in any order.
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
