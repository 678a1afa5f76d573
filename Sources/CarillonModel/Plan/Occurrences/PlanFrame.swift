/// The values that all habits share in one planning pass.
final class PlanFrame {
  let now: Instant
  /// The end of the horizon.
  let end: Instant
  /// Whether occurrences that the system can repeat become one request.
  let repeats: Bool
  let zones: ZoneRanges
  let dayStart: TimeOfDay
  let hours: DayWindow?
  /// The quiet hours as instants, around the dates of this planning pass, or nil if there are none.
  private let quiet: QuietHours?
  /// The quiet hours around other dates, keyed by the UTC day of the requested instant.
  private var farQuiet: [Int: QuietHours] = [:]
  /// The instants in the horizon at which quiet hours end, ascending.
  let quietEnds: [Instant]
  let lastActive: CivilDate?
  let pauses: PauseIndex
  /// The first civil minute after now, if schedules can be plain in this pass; see
  /// ``PlainSchedule``.
  let firstPlainMoment: CivilDateTime?

  /// Creates the shared values of one planning pass.
  init(
    state: borrowing StoreState, settings: PlanSettings, zones: ZoneRanges, now: Instant,
    end: Instant, repeats: Bool, pauses: PauseIndex
  ) {
    self.now = now
    self.end = end
    self.repeats = repeats
    self.zones = zones
    self.pauses = pauses
    dayStart = settings.dayStart
    hours = settings.store.quietHours
    quiet = hours.map { QuietHours($0, in: zones.own.window) }
    quietEnds = quiet?.ends(after: now, before: end) ?? []
    lastActive = state.lastActive
    let window = zones.own.window
    let mayBePlain =
      repeats && hours == nil && settings.store.digest == nil && window.changes.isEmpty
    let minute = (now.seconds + window.offset(at: now.seconds)).flooredQuotient(by: 60)
    firstPlainMoment = mayBePlain ? CivilDateTime(civilSeconds: 60 * (minute + 1)) : nil
  }
}

/// The effect of quiet hours on a notification that would fire at an instant.
enum QuietEffect: Equatable {
  case none
  /// The notification fires without sound or light.
  case passive
  case dropped
  /// The notification fires at this instant, or another notification of its habit fires instead.
  case deferred(Instant)
}

extension PlanFrame {
  /// Returns the date of an instant on this device, which begins at the start of the day.
  func date(at instant: Instant) -> CivilDate {
    zones.own.calendar.logicalDate(at: instant, dayStart: dayStart)
  }

  /// Returns the quiet hours around an instant, or nil if there are none.
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

  /// Returns the next instant after `instant` at which quiet hours begin or end, or nil if there
  /// are none.
  func nextQuietChange(after instant: Instant) -> Instant? {
    quietHours(around: instant)?.nextChange(after: instant)
  }

  /// Returns the periods whose notifications are deferred to an instant at which quiet hours end.
  func quietPeriods(until instant: Instant) -> [QuietHours.Period] {
    quietHours(around: instant)?.periods(until: instant) ?? []
  }

  /// Returns the effect of quiet hours at an instant under a schedule's policy.
  ///
  /// A snoozed notification is never dropped. It is deferred instead.
  func quietEffect(at instant: Instant, _ policy: QuietPolicy, isSnoozed: Bool) -> QuietEffect {
    guard let period = quietHours(around: instant)?.period(at: instant) else { return .none }
    return switch policy {
    case .fire: .none
    case .silent: .passive
    case .drop where !isSnoozed: .dropped
    case .drop, .deferred: .deferred(period.until)
    }
  }
}
