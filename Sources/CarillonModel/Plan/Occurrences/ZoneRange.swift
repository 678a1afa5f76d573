internal import Foundation

/// A time zone around the dates of one planning pass.
///
/// In this range civil times are converted to instants with integer arithmetic, elsewhere with the
/// calendar.
///
/// A class, so that all schedules of the zone share it.
final class ZoneRange {
  let calendar: CivilCalendar
  let window: ZoneWindow
  /// The civil date in the zone now.
  let date: CivilDate
  /// The logical date in the zone now.
  let today: CivilDate
  /// The civil seconds and the instants that the window covers.
  private let civil: Range<Int>
  private let instants: Range<Instant>

  /// Prepares a zone from two days before an instant to 16 days after another.
  ///
  /// If the zone skips a date, the next weekly repetition may be two weeks ahead.
  init(
    calendar: CivilCalendar, from start: Instant, to end: Instant, now: Instant,
    dayStart: TimeOfDay
  ) {
    self.calendar = calendar
    let day = 86_400
    window = ZoneWindow(
      calendar: calendar, from: Instant(seconds: start.seconds - 2 * day),
      to: Instant(seconds: end.seconds + 16 * day))
    let shown = calendar.dateTime(at: now)
    date = shown.date
    today = shown.dueDate(dayStart: dayStart)
    // No zone differs from UTC by a day or more.
    let (first, last) = (window.seconds.lowerBound + day, window.seconds.upperBound - day)
    civil = first..<max(first, last)
    instants = Instant(seconds: first)..<Instant(seconds: max(first, last))
  }

  /// Whether the window covers an instant.
  func covers(_ instant: Instant) -> Bool { instants.contains(instant) }

  /// Returns the instant of a nominal date and time, or nil if the zone skips that date.
  func instant(of nominal: CivilDateTime) -> Instant? {
    let seconds = nominal.civilSeconds
    guard civil.contains(seconds) else { return calendar.instant(of: nominal) }
    return window.second(of: seconds).map { Instant(seconds: $0) }
  }

  /// Returns the time that the zone's clocks show at an instant, in civil seconds.
  func civilSeconds(at instant: Instant) -> Int {
    guard covers(instant) else { return calendar.civilSeconds(at: instant) }
    return instant.seconds + window.offset(at: instant.seconds)
  }

  /// Returns the first nominal date and time that may fire at or after an instant.
  func firstNominal(at instant: Instant) -> CivilDateTime {
    let shown = CivilDateTime(civilSeconds: civilSeconds(at: instant))
    if let mixed = window.mixedDates(around: shown.date) {
      return CivilDateTime(date: mixed.lowerBound, time: .midnight)
    }
    if covers(instant) { return shown }
    // Gaps are not known outside the window, and a gap may move a time of the day before.
    return CivilDateTime(date: shown.date.adding(days: -1), time: .midnight)
  }
}

/// The zones of one planning pass, each prepared once.
final class ZoneRanges {
  /// The device's own zone.
  let own: ZoneRange
  private let start: Instant
  private let end: Instant
  private let now: Instant
  private let dayStart: TimeOfDay
  private var others: [Key: ZoneRange] = [:]
  /// The calendars by zone name, or nil for a zone that the system does not know.
  private var calendars: [String: CivilCalendar?] = [:]

  private struct Key: Hashable {
    let zone: String?
    let shiftSeconds: Int
  }

  init(
    calendar: CivilCalendar, from start: Instant, to end: Instant, now: Instant,
    dayStart: TimeOfDay
  ) {
    self.start = start
    self.end = end
    self.now = now
    self.dayStart = dayStart
    own = ZoneRange(calendar: calendar, from: start, to: end, now: now, dayStart: dayStart)
  }

  /// Returns the range of a zone around dates that lie `shiftSeconds` seconds before those of this
  /// planning pass, or nil for a zone that the system does not know.
  func range(of zone: ScheduleZone, shiftSeconds: Int = 0) -> ZoneRange? {
    var name: String?
    if case .fixed(let fixed) = zone { name = fixed } else if shiftSeconds == 0 { return own }
    let key = Key(zone: name, shiftSeconds: shiftSeconds)
    if let known = others[key] { return known }
    guard let calendar = name.map(calendar) ?? own.calendar else { return nil }
    let range = ZoneRange(
      calendar: calendar, from: start.adding(seconds: -shiftSeconds),
      to: end.adding(seconds: -shiftSeconds), now: now, dayStart: dayStart)
    others[key] = range
    return range
  }

  /// Returns the first instant after now at which a day begins in one of the zones.
  func nextDay() -> Instant {
    let ranges = [own] + others.filter { $0.key.shiftSeconds == 0 }.values
    let changes = ranges.flatMap { range in
      [.midnight, dayStart].map { range.window.nextDateChange(after: now, dayStart: $0) }
    }
    return changes.min() ?? end
  }

  private func calendar(_ name: String) -> CivilCalendar? {
    if let known = calendars[name] { return known }
    let calendar = TimeZone(identifier: name).map(CivilCalendar.init)
    calendars[name] = .some(calendar)
    return calendar
  }
}

extension Instant {
  /// Returns the instant `seconds` seconds later, clamped to the first or last representable
  /// instant.
  func adding(seconds: Int) -> Instant {
    let (product, isOver) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
    let (sum, overflow) = milliseconds.addingReportingOverflow(product)
    return Instant(milliseconds: isOver || overflow ? (seconds < 0 ? .min : .max) : sum)
  }
}
