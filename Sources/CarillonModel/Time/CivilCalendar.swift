package import Foundation

/// A converter between instants and civil dates and times in one time zone.
///
/// Everywhere else, civil dates are whole numbers; this is the only place where they become
/// instants, by the zone's offsets. A time in a gap is shifted forward by using the offset before
/// the gap. An ambiguous time is converted to the earlier instant. A date that the zone skips has
/// no instant.
///
/// Dates from 1693 to 4198 are supported. Other dates have no instant, and instants outside this
/// range are clamped to it.
package struct CivilCalendar: Hashable, Sendable {
  /// The time zone.
  package let zone: TimeZone

  /// Creates the calendar of a time zone.
  package init(zone: TimeZone) {
    self.zone = zone
  }

  /// The supported instants, which end more than a year inside the supported dates.
  package static let instants =
    Instant(milliseconds: -100_000 * 86_400_000)...Instant(milliseconds: 813_000 * 86_400_000)

  private static let dates = CivilDate(rawValue: -101_000)...CivilDate(rawValue: 814_000)

  // MARK: - From instants

  /// Returns how far the zone's clocks are ahead of UTC at an instant, in seconds.
  package func offsetSeconds(at instant: Instant) -> Int { offset(at: instant.seconds) }

  private func offset(at second: Int) -> Int {
    let range = Self.instants.lowerBound.seconds...Self.instants.upperBound.seconds
    let second = min(max(second, range.lowerBound), range.upperBound)
    return zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
  }

  /// Returns the civil date and time at an instant, without seconds.
  package func dateTime(at instant: Instant) -> CivilDateTime {
    CivilDateTime(civilSeconds: civilSeconds(at: instant))
  }

  /// Returns the civil time at an instant, as civil seconds since 1970-01-01T00:00.
  func civilSeconds(at instant: Instant) -> Int {
    instant.clamped(to: Self.instants).seconds + offsetSeconds(at: instant)
  }

  /// Returns the logical date of an instant: the local date, or the day before if the local time is
  /// before the start of the day.
  package func logicalDate(at instant: Instant, dayStart: TimeOfDay) -> CivilDate {
    dateTime(at: instant).dueDate(dayStart: dayStart)
  }

  // MARK: - To instants

  /// The instant of a civil date and time, and the shift caused by a gap.
  struct Resolution: Hashable {
    let instant: Instant
    /// The shift in seconds; 0 except in a gap.
    let shiftSeconds: Int
  }

  /// Returns the instant of a civil date and time, or nil if the zone skips that date.
  ///
  /// - Complexity: O(1), about 0.2 µs.
  package func instant(of moment: CivilDateTime) -> Instant? { resolve(moment)?.instant }

  /// Returns the first instant of a date, or of the next date if the zone skips it.
  package func firstInstant(of date: CivilDate) -> Instant {
    let midnight = CivilDateTime(date: date, time: .midnight)
    return shiftedInstant(of: midnight)
      ?? Instant(milliseconds: Int64(date.rawValue) * 86_400_000).clamped(to: Self.instants)
  }

  /// Returns the instant of a civil date and time with its shift, or nil if the zone skips that
  /// date.
  ///
  /// A skipped date shows in the shift: the instant converts back to a time at least a day later.
  func resolve(_ moment: CivilDateTime) -> Resolution? {
    guard let instant = shiftedInstant(of: moment) else { return nil }
    let shift = civilSeconds(at: instant) - moment.civilSeconds
    return shift < 86_400 ? Resolution(instant: instant, shiftSeconds: shift) : nil
  }

  /// Returns the instant of a civil date and time, which is that of a later one in a gap.
  private func shiftedInstant(of moment: CivilDateTime) -> Instant? {
    guard Self.dates.contains(moment.date) else { return nil }
    let civil = moment.civilSeconds
    // No zone is a day or more from UTC, or changes its offset twice within these two days.
    let (before, after) = (offset(at: civil - 86_400), offset(at: civil + 86_400))
    let early = civil - before
    if before == after || offset(at: early) == before { return Instant(seconds: early) }
    let late = civil - after
    return Instant(seconds: offset(at: late) == after ? late : early)
  }
}

/// The date to which people assign an instant.
package enum LogicalDate {
  /// Returns the local date in a zone, or the day before if the local time is before the start of
  /// the day.
  ///
  /// Subtracting the start of the day from the instant would be wrong on days with an offset
  /// change.
  package static func of(
    _ instant: Instant, in zone: TimeZone, dayStart: TimeOfDay = .midnight
  ) -> CivilDate {
    CivilCalendar(zone: zone).logicalDate(at: instant, dayStart: dayStart)
  }
}

extension CivilDateTime {
  /// Civil seconds since 1970-01-01T00:00, as if every day had 86,400 seconds.
  var civilSeconds: Int { Int(date.rawValue) * 86_400 + Int(time.minute) * 60 }

  /// Creates the date and minute of civil seconds since 1970-01-01T00:00.
  init(civilSeconds: Int) {
    let day = civilSeconds.flooredQuotient(by: 86_400)
    date = CivilDate(rawValue: Int32(clamping: day))
    time = TimeOfDay(clampingMinute: (civilSeconds - day * 86_400) / 60)
  }

  /// Returns the date on which an occurrence is due: its nominal date, or the day before if its
  /// time is before the start of the day.
  ///
  /// Done, skip, pause, start and end all refer to this date.
  package func dueDate(dayStart: TimeOfDay) -> CivilDate {
    time < dayStart ? date.adding(days: -1) : date
  }
}

extension Instant {
  /// Whole seconds since 1970 UTC, rounded down.
  var seconds: Int { Int(milliseconds).flooredQuotient(by: 1_000) }

  /// Creates an instant from whole seconds since 1970 UTC.
  init(seconds: Int) {
    let (milliseconds, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
    self.init(milliseconds: overflow ? (seconds < 0 ? .min : .max) : milliseconds)
  }

  /// Returns this instant, or the nearest bound of a range.
  func clamped(to range: ClosedRange<Instant>) -> Instant {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
