internal import Foundation

/// The zones of one planning, each looked at once.
struct ZoneWindows {
  /// The device's own zone.
  let own: SlotPlan.Span
  private let now: Instant
  private let end: Instant
  private let dayStart: TimeOfDay
  /// By name; nil for a zone that this system does not know.
  private var fixed: [String: SlotPlan.Span?] = [:]

  /// How many days beyond the horizon are looked at: the next weekly repetition may be two weeks
  /// ahead, where the zone leaves out a date.
  static let daysAhead = 16

  init(calendar: CivilCalendar, from now: Instant, to end: Instant, dayStart: TimeOfDay) {
    self.now = now
    self.end = end
    self.dayStart = dayStart
    own = Self.span(of: calendar, from: now, to: end, dayStart: dayStart)
  }

  /// The span of a slot's zone, or nil for a zone that this system does not know.
  mutating func span(of zone: SlotZone) -> SlotPlan.Span? {
    guard case .fixed(let name) = zone else { return own }
    if let known = fixed[name] { return known }
    let span = TimeZone(identifier: name).map {
      Self.span(of: CivilCalendar(zone: $0), from: now, to: end, dayStart: dayStart)
    }
    fixed[name] = .some(span)
    return span
  }

  /// The first instant after now at which a day begins in one of the zones.
  var nextDay: Instant {
    let spans = [own] + fixed.values.compactMap(\.self)
    let starts = Set([.midnight, dayStart])
    let changes = spans.flatMap { span in
      starts.map { span.window.nextDateChange(after: now, dayStart: $0) }
    }
    return changes.min() ?? end
  }

  private static func span(
    of calendar: CivilCalendar, from now: Instant, to end: Instant, dayStart: TimeOfDay
  ) -> SlotPlan.Span {
    let day: Int64 = 86_400_000
    let window = ZoneWindow(
      calendar: calendar, from: Instant(milliseconds: now.milliseconds - 2 * day),
      to: Instant(milliseconds: end.milliseconds + Int64(daysAhead) * day))
    return SlotPlan.Span(
      window: window,
      first: window.firingBound(at: Instant(milliseconds: now.milliseconds + 1)),
      end: window.firingBound(at: end), date: calendar.dateTime(at: now).date,
      today: calendar.logicalDate(at: now, dayStart: dayStart))
  }
}
