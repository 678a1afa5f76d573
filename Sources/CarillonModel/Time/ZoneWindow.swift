/// A zone with its offset changes in a span of time.
///
/// From the changes follows in whole numbers which nominal times fire after an instant and in what
/// order, so that the planner seeks without making instants. Civil seconds count from
/// 1970-01-01T00:00 on the zone's clocks.
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
  /// Ascending.
  let changes: [Change]
  /// The civil seconds that the clocks jump over, ascending.
  let gaps: [Range<Int>]

  /// Finds the changes between two instants.
  ///
  /// - Complexity: O(days), about 0.2 µs a day, and 1 µs a change.
  init(calendar: CivilCalendar, from start: Instant, to end: Instant) {
    self.calendar = calendar
    changes = Self.changes(of: calendar, from: start.seconds, to: end.seconds)
    gaps = changes.filter { $0.before < $0.after }.map {
      $0.second + $0.before..<$0.second + $0.after
    }
  }

  /// The civil seconds at which a nominal time fires: a time in a gap fires later by the gap.
  func firing(_ nominal: Int) -> Int {
    guard let gap = gaps.first(where: { $0.contains(nominal) }) else { return nominal }
    return nominal + gap.count
  }

  /// The bound that tells which nominal times fire at or after an instant: exactly those whose
  /// ``firing(_:)`` is not less.
  ///
  /// It is what the clock shows, but for the second pass of times that come twice: they have all
  /// fired in the first.
  func firingBound(at instant: Instant) -> Int {
    let shown = -(-Int(instant.milliseconds)).flooredQuotient(by: 1_000)
    let passed = changes.last { $0.second * 1_000 <= Int(instant.milliseconds) }
    let offset = calendar.offsetSeconds(at: instant)
    guard let passed, passed.after < passed.before else { return shown + offset }
    return max(shown + offset, passed.second + passed.before)
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

  /// Whether the zone leaves out a whole date in this window.
  var leavesOutDates: Bool { gaps.contains { $0.count >= 86_400 } }

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
