/// The periods of quiet hours as instants, in the device's zone.
struct QuietHours {
  /// One period without reminders.
  struct Period: Hashable {
    let start: Instant
    /// The first instant after it.
    let end: Instant
    /// Where what would fire in it fires instead: the first instant at which the clock shows the
    /// end of the quiet hours, or at which the clock was set beyond it.
    let until: Instant
  }

  /// Ascending.
  let periods: [Period]

  /// The quiet hours of a zone's window.
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

  /// The period in which an instant lies.
  func period(at instant: Instant) -> Period? {
    firstPeriod(endingAfter: instant).flatMap { $0.start <= instant ? $0 : nil }
  }

  /// When quiet hours begin or end next after an instant; nil where nothing is known of that.
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

  /// The periods whose reminders fire at an instant instead.
  func periods(until instant: Instant) -> [Period] { periods.filter { $0.until == instant } }

  /// The instants at which quiet hours end after one and before another, ascending.
  func ends(after start: Instant, before end: Instant) -> [Instant] {
    var ends: [Instant] = []
    for period in periods
    where period.until > start && period.until < end && ends.last != period.until {
      ends.append(period.until)
    }
    return ends
  }

  // MARK: - Finding periods

  /// The periods of a window between two settings of the clocks.
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

  /// Where the clocks, so far ahead, show quiet hours.
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

  /// Whether quiet hours end where the clocks no longer show them: they show the end, or were set
  /// forward over it; where they were set back before the beginning, the end is still to come.
  private static func isOver(_ hours: DayWindow, at second: Int, in window: ZoneWindow) -> Bool {
    if let change = window.changes.first(where: { $0.second == second }) {
      if change.after > change.before { return true }
    }
    let shown = CivilDateTime(civilSeconds: second + window.offset(at: second))
    return shown.time == hours.to
  }
}
