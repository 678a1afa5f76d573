/// The periods of quiet hours as instants, in the device's zone.
struct QuietHours {
  /// One period of quiet hours.
  struct Period: Hashable {
    let start: Instant
    /// The first instant after the period.
    let end: Instant
    /// The instant at which deferred notifications of the period fire: the first instant at which
    /// the clock shows the end of the quiet hours, or at which the clock is set forward past it.
    let until: Instant
  }

  /// The periods, ascending.
  let periods: [Period]

  /// Creates the periods inside a zone window.
  init(_ hours: DayWindow, in window: ZoneWindow) {
    var found: [(start: Int, end: Int)] = []
    for piece in Self.pieces(of: window) {
      for (start, end) in Self.periods(of: hours, in: piece.seconds, offset: piece.offset) {
        if let last = found.last, last.end == start {
          found[found.count - 1].end = end
        } else {
          found.append((start, end))
        }
      }
    }
    periods = found.indices.map { index in
      let (start, end) = found[index]
      let until =
        Self.isOver(hours, at: end, in: window) ? end : found.dropFirst(index + 1).first?.end
      return Period(
        start: Instant(seconds: start), end: Instant(seconds: end),
        until: Instant(seconds: until ?? end))
    }
  }

  /// Returns the period that contains an instant, or nil if there is none.
  func period(at instant: Instant) -> Period? {
    firstPeriod(endingAfter: instant).flatMap { $0.start <= instant ? $0 : nil }
  }

  /// Returns the next instant after `instant` at which quiet hours begin or end, or nil if no later
  /// period is known.
  func nextChange(after instant: Instant) -> Instant? {
    firstPeriod(endingAfter: instant).map { $0.start <= instant ? $0.end : $0.start }
  }

  private func firstPeriod(endingAfter instant: Instant) -> Period? {
    var (low, high) = (0, periods.count)
    while low < high {
      let middle = (low + high) / 2
      if periods[middle].end <= instant { low = middle + 1 } else { high = middle }
    }
    return low < periods.count ? periods[low] : nil
  }

  /// Returns the periods whose deferred notifications fire at an instant.
  func periods(until instant: Instant) -> [Period] { periods.filter { $0.until == instant } }

  /// Returns the instants between two others at which quiet hours end, ascending.
  func ends(after start: Instant, before end: Instant) -> [Instant] {
    var ends: [Instant] = []
    for period in periods
    where period.until > start && period.until < end && ends.last != period.until {
      ends.append(period.until)
    }
    return ends
  }

  // MARK: - Finding periods

  /// Returns the parts of a window between changes of the clocks.
  private static func pieces(of window: ZoneWindow) -> [(seconds: Range<Int>, offset: Int)] {
    var start = window.seconds.lowerBound
    var pieces: [(Range<Int>, Int)] = []
    for change in window.changes {
      pieces.append((start..<change.second, change.before))
      start = change.second
    }
    let offset = window.offset(at: window.seconds.upperBound)
    pieces.append((start..<max(start, window.seconds.upperBound), offset))
    return pieces
  }

  /// Returns the ranges in which clocks with a given offset from UTC show quiet hours.
  private static func periods(
    of hours: DayWindow, in seconds: Range<Int>, offset: Int
  ) -> [(Int, Int)] {
    let from = Int(hours.from.minute) * 60
    let length = (Int(hours.to.minute) * 60 - from + 86_400) % 86_400
    let first = (seconds.lowerBound + offset).flooredQuotient(by: 86_400) - 1
    let last = (seconds.upperBound + offset).flooredQuotient(by: 86_400)
    return (first...last).compactMap { day in
      let start = day * 86_400 + from - offset
      let range = (start..<start + length).clamped(to: seconds)
      return range.isEmpty ? nil : (range.lowerBound, range.upperBound)
    }
  }

  /// Whether quiet hours are over at the end of a period: the clocks show their end or were set
  /// forward past it.
  ///
  /// If the clocks were set back to before the start, the end is still to come.
  private static func isOver(_ hours: DayWindow, at second: Int, in window: ZoneWindow) -> Bool {
    if let change = window.changes.first(where: { $0.second == second }) {
      if change.after > change.before { return true }
    }
    let shown = CivilDateTime(civilSeconds: second + window.offset(at: second))
    return shown.time == hours.to
  }
}
