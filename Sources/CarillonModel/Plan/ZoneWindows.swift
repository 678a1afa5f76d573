internal import Foundation

/// The zones of one planning, each looked at once.
struct ZoneWindows {
  /// The device's own zone.
  let own: ZoneSpan
  private let now: Instant
  private let end: Instant
  private let dayStart: TimeOfDay
  /// By name; nil for a zone that this system does not know.
  private var fixed: [String: ZoneSpan?] = [:]

  init(calendar: CivilCalendar, from now: Instant, to end: Instant, dayStart: TimeOfDay) {
    self.now = now
    self.end = end
    self.dayStart = dayStart
    own = ZoneSpan(index: 0, calendar: calendar, from: now, to: end, dayStart: dayStart)
  }

  /// The span of a slot's zone, or nil for a zone that this system does not know.
  mutating func span(of zone: SlotZone) -> ZoneSpan? {
    guard case .fixed(let name) = zone else { return own }
    if let known = fixed[name] { return known }
    let span = TimeZone(identifier: name).map { zone in
      ZoneSpan(
        index: fixed.count + 1, calendar: CivilCalendar(zone: zone), from: now, to: end,
        dayStart: dayStart)
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
}
