/// What all habits of one planning share.
final class PlanFrame {
  let now: Instant
  /// The horizon's end.
  let end: Instant
  let zones: ZoneRanges
  let dayStart: TimeOfDay
  let hours: DayWindow?
  /// The quiet hours as instants, around the dates of the planning; nil where there are none.
  private let quiet: QuietHours?
  /// Those around other dates, by the UTC day of the instant that was asked for.
  private var farQuiet: [Int: QuietHours] = [:]
  /// When quiet hours end in the horizon, ascending.
  let quietEnds: [Instant]
  let lastActive: CivilDate?
  let pauses: PauseIndex

  /// - Parameter dates: The instants around which zones are looked at.
  init(
    state: borrowing State, settings: PlanSettings, zones: ZoneRanges, now: Instant, end: Instant,
    pauses: PauseIndex
  ) {
    self.now = now
    self.end = end
    self.zones = zones
    self.pauses = pauses
    dayStart = settings.dayStart
    hours = settings.store.quietHours
    quiet = hours.map { QuietHours($0, in: zones.own.window) }
    quietEnds = quiet?.ends(after: now, before: end) ?? []
    lastActive = state.lastActive
  }
}

/// What quiet hours do to what would fire at an instant.
enum QuietEffect: Equatable {
  case none
  /// It fires without sound or light.
  case passive
  case dropped
  /// It fires at an instant, or something of its habit that stands for it.
  case deferred(Instant)
}

extension PlanFrame {
  /// The quiet hours around an instant; nil where there are none.
  private func quietHours(around instant: Instant) -> QuietHours? {
    guard let hours, let quiet else { return nil }
    if zones.own.covers(instant) { return quiet }
    let day = instant.seconds.flooredQuotient(by: 86_400)
    if let known = farQuiet[day] { return known }
    let window = ZoneWindow(
      calendar: zones.own.calendar, from: Instant(seconds: (day - 3) * 86_400),
      to: Instant(seconds: (day + 4) * 86_400))
    let found = QuietHours(hours, in: window)
    farQuiet[day] = found
    return found
  }

  /// When quiet hours begin or end next after an instant; nil where there are none.
  func nextQuietChange(after instant: Instant) -> Instant? {
    quietHours(around: instant)?.nextChange(after: instant)
  }

  /// The ranges whose reminders fire at an instant instead, when quiet hours end.
  func quietPeriods(until instant: Instant) -> [QuietHours.Period] {
    quietHours(around: instant)?.periods(until: instant) ?? []
  }

  /// What quiet hours do at an instant, by a schedule's policy.
  ///
  /// What the person snoozed is never dropped, but put off.
  func quietEffect(at instant: Instant, _ policy: QuietPolicy, isSnoozed: Bool) -> QuietEffect {
    guard let period = quietHours(around: instant)?.period(at: instant) else { return .none }
    return switch policy {
    case .silent: .passive
    case .drop where !isSnoozed: .dropped
    case .drop, .deferred: .deferred(period.until)
    }
  }
}
