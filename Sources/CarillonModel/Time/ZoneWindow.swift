/// A zone with its offset changes in a range of time.
///
/// From the changes follows in whole numbers when each nominal time fires, so that the planner need
/// not ask the calendar. Civil seconds count from 1970-01-01T00:00 on the zone's clocks.
struct ZoneWindow {
  /// A moment at which the zone's clocks are set.
  struct Change: Hashable {
    /// Seconds since 1970 UTC; the first second of the new offset.
    let second: Int
    /// Seconds ahead of UTC, until then and from then on.
    let before: Int
    let after: Int
  }

  let calendar: CivilCalendar
  /// The seconds since 1970 UTC that were looked at.
  let seconds: ClosedRange<Int>
  /// Ascending.
  let changes: [Change]
  /// The civil seconds that the clocks jump over, ascending.
  let gaps: [Range<Int>]
  /// Seconds ahead of UTC before the first change.
  private let firstOffset: Int

  /// Finds the changes between two instants.
  ///
  /// - Complexity: O(days), about 0.2 µs a day, and 1 µs a change.
  init(calendar: CivilCalendar, from start: Instant, to end: Instant) {
    self.calendar = calendar
    seconds = start.seconds...max(start, end).seconds
    firstOffset = calendar.offsetSeconds(at: start)
    changes = Self.changes(of: calendar, from: start.seconds, to: end.seconds)
    gaps = changes.filter { $0.before < $0.after }.map {
      $0.second + $0.before..<$0.second + $0.after
    }
  }

  /// The second since 1970 UTC of civil seconds: in a gap by the offset before it, of a time that
  /// comes twice the first; nil on a date that the zone leaves out.
  ///
  /// What lies outside the window is taken by the offset at its nearer end.
  ///
  /// - Complexity: O(changes).
  func second(of civil: Int) -> Int? {
    for change in changes where civil < change.second + max(change.before, change.after) {
      let isInGap = civil >= change.second + change.before
      return isInGap && change.after - change.before >= 86_400 ? nil : civil - change.before
    }
    return civil - (changes.last?.after ?? firstOffset)
  }

  /// Seconds ahead of UTC at a second since 1970 UTC.
  func offset(at second: Int) -> Int {
    changes.last { $0.second <= second }?.after ?? changes.first?.before ?? firstOffset
  }

  /// The dates around a gap whose nominal times may fire in another order than they stand, or nil
  /// for a plain date.
  func mixedDates(around date: CivilDate) -> ClosedRange<CivilDate>? {
    for gap in gaps {
      let first = CivilDateTime(civilSeconds: gap.lowerBound).date
      let last = CivilDateTime(civilSeconds: gap.upperBound + gap.count - 1).date
      if (first...last).contains(date) { return first...last }
    }
    return nil
  }

  /// The first instant after another at which the logical date is not the same.
  func nextDateChange(after now: Instant, dayStart: TimeOfDay) -> Instant {
    let current = calendar.logicalDate(at: now, dayStart: dayStart)
    let boundary = CivilDateTime(date: current.adding(days: 1), time: dayStart).civilSeconds
    var offset = calendar.offsetSeconds(at: now)
    for change in changes where change.second > now.seconds {
      if boundary - offset < change.second { break }
      offset = change.after
      let shown = CivilDateTime(civilSeconds: change.second + offset)
      if shown.dueDate(dayStart: dayStart) != current { return Instant(seconds: change.second) }
    }
    return Instant(seconds: boundary - offset)
  }

  // MARK: - Finding changes

  /// Looks at the offset four times a day, since no zone has changed twice within six hours.
  private static func changes(
    of calendar: CivilCalendar, from start: Int, to end: Int
  ) -> [Change] {
    var found: [Change] = []
    var earlier = Probe(second: start, calendar: calendar)
    while earlier.second < end {
      let later = Probe(second: min(earlier.second + 21_600, end), calendar: calendar)
      narrow(earlier, later, calendar, &found)
      earlier = later
    }
    return found
  }

  private struct Probe {
    let second: Int
    let offset: Int

    init(second: Int, calendar: CivilCalendar) {
      self.second = second
      offset = calendar.offsetSeconds(at: Instant(seconds: second))
    }
  }

  private static func narrow(
    _ earlier: Probe, _ later: Probe, _ calendar: CivilCalendar, _ found: inout [Change]
  ) {
    guard earlier.offset != later.offset else { return }
    guard later.second - earlier.second > 1 else {
      found.append(
        Change(second: later.second, before: earlier.offset, after: later.offset))
      return
    }
    let middle = Probe(
      second: earlier.second + (later.second - earlier.second) / 2, calendar: calendar)
    narrow(earlier, middle, calendar, &found)
    narrow(middle, later, calendar, &found)
  }
}
