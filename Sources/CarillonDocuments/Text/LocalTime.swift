package import CarillonModel
package import Foundation

/// Formats instants and dates for people in one time zone.
///
/// Civil dates are computed from the zone's offset with integers, so that a short answer need not
/// load Foundation's calendar.
package struct LocalTime: Sendable {
  package let zone: TimeZone
  /// The current time: its year is left out of dates, and distances are measured from it.
  package let now: Instant

  /// Creates the formats of a zone.
  package init(zone: TimeZone, now: Instant) {
    (self.zone, self.now) = (zone, now)
  }

  /// `Mon 23 Nov 17:00`, with the year if it is not the current one.
  package func text(_ instant: Instant) -> String {
    let (date, milliseconds) = parts(instant)
    return "\(text(date)) \(Self.clock(milliseconds / 60_000))"
  }

  /// `Mon 23 Nov`, with the year if it is not the current one.
  package func text(_ date: CivilDate) -> String {
    let (year, month, day) = date.components
    let weekday = date.weekday.name
    let text = "\(weekday) \(day) \(Self.months[month - 1])"
    return year == parts(now).date.components.year ? text : "\(text) \(year)"
  }

  /// `17:00` today, `Mon 23 Nov 17:00` on other dates.
  package func shortText(_ instant: Instant) -> String {
    date(of: instant) == date(of: now) ? clock(instant) : text(instant)
  }

  /// `17:00`.
  package func clock(_ instant: Instant) -> String {
    Self.clock(parts(instant).milliseconds / 60_000)
  }

  /// `17:00` on a date, and on another one the date too.
  package func text(_ instant: Instant, besides date: CivilDate) -> String {
    self.date(of: instant) == date ? clock(instant) : text(instant)
  }

  /// The civil date at an instant.
  package func date(of instant: Instant) -> CivilDate { parts(instant).date }

  /// The civil date and minute at an instant.
  package func civil(_ instant: Instant) -> CivilDateTime? {
    let (date, milliseconds) = parts(instant)
    return TimeOfDay(minute: milliseconds / 60_000).map { CivilDateTime(date: date, time: $0) }
  }

  /// Whether the clock shows a time before the start of the day at an instant.
  package func isBefore(_ dayStart: TimeOfDay, _ instant: Instant) -> Bool {
    parts(instant).milliseconds < Int(dayStart.minute) * 60_000
  }

  /// Returns the instant in RFC 3339 with the zone's offset.
  package func rfc3339(_ instant: Instant) -> String {
    instant.rfc3339(offsetSeconds: offset(at: instant))
  }

  /// Returns the month's name, such as `Nov`.
  package static func monthName(of date: CivilDate) -> String { monthName(date.components.month) }

  /// Returns the name of a month from 1 to 12: `Nov` for 11.
  package static func monthName(_ month: Int) -> String { months[month - 1] }

  /// `in 25 min`, `in 2h 13m`, from 3 hours on `in 5 h`; an empty text if it is a day or more
  /// away, or past.
  package func distance(to instant: Instant) -> String {
    let minutes = (instant.milliseconds - now.milliseconds + 59_999) / 60_000
    return switch minutes {
    case 1..<60: "in \(minutes) min"
    case 60..<180 where minutes % 60 > 0: "in \(minutes / 60)h \(minutes % 60)m"
    case 60..<1440: "in \(minutes / 60) h"
    default: ""
    }
  }

  /// The zone's offset in seconds east of UTC.
  private func offset(at instant: Instant) -> Int {
    let seconds = Double(instant.milliseconds) / 1000
    return zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
  }

  private func parts(_ instant: Instant) -> (date: CivilDate, milliseconds: Int) {
    instant.civil(offsetSeconds: offset(at: instant))
  }

  /// `until the end of Sun 29 Nov`, or `until resumed` without a last date.
  package func text(pauseUntil last: CivilDate?) -> String {
    last.map { "until the end of \(text($0))" } ?? "until resumed"
  }

  /// `until Mon 23 Nov 23:05`, and when the reminder fires if quiet hours defer it.
  package func text(snoozedUntil until: Instant, fireAt: Instant) -> String {
    let later =
      fireAt == until ? "" : ", in quiet hours: it fires when they end, \(text(fireAt))"
    return "until \(text(until))\(later)"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func clock(_ minute: Int) -> String {
    "\((minute / 60).padded(2)):\((minute % 60).padded(2))"
  }
}
