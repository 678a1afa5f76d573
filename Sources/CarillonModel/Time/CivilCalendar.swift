public import Foundation

/// Civil time in one zone: which instant a date and time is, and which date and time an instant.
///
/// Civil dates are whole numbers everywhere else; this is the one place where they become
/// instants, by `Calendar.date(from:)`. A time in a gap takes the offset before the gap, so it is
/// shifted forward; a time that comes twice is the first; a date that the zone leaves out has no
/// instant at all.
///
/// Dates from 1693 to 4198 are served; others have no instant, and instants beyond are taken as
/// the nearest one inside.
public struct CivilCalendar: Hashable, Sendable {
  /// The zone.
  public let zone: TimeZone
  private let calendar: Calendar

  /// Makes the calendar of a zone.
  public init(zone: TimeZone) {
    self.zone = zone
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
  }

  /// The instants that are served, a safe year inside the dates that are.
  package static let instants =
    Instant(milliseconds: -100_000 * 86_400_000)...Instant(milliseconds: 813_000 * 86_400_000)

  private static let dates = CivilDate(rawValue: -101_000)...CivilDate(rawValue: 814_000)

  // MARK: - From instants

  /// How far the zone's clocks are ahead of UTC at an instant, in seconds.
  public func offsetSeconds(at instant: Instant) -> Int {
    let seconds = instant.clamped(to: Self.instants).seconds
    return zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }

  /// What the clock shows at an instant, without seconds.
  public func dateTime(at instant: Instant) -> CivilDateTime {
    CivilDateTime(civilSeconds: civilSeconds(at: instant))
  }

  /// What the clock shows at an instant, as civil seconds since 1970-01-01T00:00.
  func civilSeconds(at instant: Instant) -> Int {
    instant.clamped(to: Self.instants).seconds + offsetSeconds(at: instant)
  }

  /// The date to which a person counts an instant: the local date, or the day before while the
  /// local minute is less than the day's start.
  public func logicalDate(at instant: Instant, dayStart: TimeOfDay) -> CivilDate {
    dateTime(at: instant).dueDate(dayStart: dayStart)
  }

  // MARK: - To instants

  /// A civil date-time as an instant, and by how much a gap moved it.
  struct Resolution: Hashable {
    let instant: Instant
    /// 0 except in a gap.
    let shiftSeconds: Int
  }

  /// The instant of a civil date-time, or nil where the zone leaves out that date.
  ///
  /// - Complexity: O(1), about 0.2 µs.
  public func instant(of moment: CivilDateTime) -> Instant? { resolve(moment)?.instant }

  /// The first instant of a date, or of the next where the zone leaves out that date.
  public func firstInstant(of date: CivilDate) -> Instant {
    let midnight = CivilDateTime(date: date, time: .midnight)
    return calendarInstant(of: midnight)
      ?? Instant(milliseconds: Int64(date.rawValue) * 86_400_000).clamped(to: Self.instants)
  }

  /// The instant of a civil date-time and its shift, or nil where the zone leaves out that date:
  /// what the instant converts back to is then a day later or more.
  func resolve(_ moment: CivilDateTime) -> Resolution? {
    guard let instant = calendarInstant(of: moment) else { return nil }
    let shift = civilSeconds(at: instant) - moment.civilSeconds
    return shift < 86_400 ? Resolution(instant: instant, shiftSeconds: shift) : nil
  }

  private func calendarInstant(of moment: CivilDateTime) -> Instant? {
    guard Self.dates.contains(moment.date) else { return nil }
    let (year, month, day) = moment.date.components
    let minute = Int(moment.time.minute)
    let components = DateComponents(
      year: year, month: month, day: day, hour: minute / 60, minute: minute % 60)
    return calendar.date(from: components).map {
      Instant(milliseconds: Int64($0.timeIntervalSince1970.rounded()) * 1_000)
    }
  }
}

/// The date to which a person counts an instant.
public enum LogicalDate {
  /// The local date in a zone, or the day before while the local minute is less than the day's
  /// start.
  ///
  /// Never "the instant less the day's start", which is wrong on days of an offset change.
  public static func of(
    _ instant: Instant, in zone: TimeZone, dayStart: TimeOfDay = .midnight
  ) -> CivilDate {
    CivilCalendar(zone: zone).logicalDate(at: instant, dayStart: dayStart)
  }
}

extension CivilDateTime {
  /// Civil seconds since 1970-01-01T00:00, as if every day had 86,400.
  var civilSeconds: Int { Int(date.rawValue) * 86_400 + Int(time.minute) * 60 }

  /// The date and minute of civil seconds since 1970-01-01T00:00.
  init(civilSeconds: Int) {
    let day = civilSeconds.flooredQuotient(by: 86_400)
    date = CivilDate(rawValue: Int32(clamping: day))
    time = TimeOfDay(clampingMinute: (civilSeconds - day * 86_400) / 60)
  }

  /// The date that an occurrence is due on: its nominal date, or the day before when its minute is
  /// less than the day's start.
  ///
  /// Done, skip, pause, start and end all speak of this date.
  public func dueDate(dayStart: TimeOfDay) -> CivilDate {
    time < dayStart ? date.adding(days: -1) : date
  }
}

extension Instant {
  /// Whole seconds since 1970 UTC, rounded down.
  var seconds: Int { Int(milliseconds).flooredQuotient(by: 1_000) }

  /// Makes an instant of whole seconds since 1970 UTC.
  init(seconds: Int) {
    let (milliseconds, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
    rawValue = overflow ? (seconds < 0 ? .min : .max) : milliseconds
  }

  /// This instant, or the nearest bound.
  func clamped(to range: ClosedRange<Instant>) -> Instant {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
