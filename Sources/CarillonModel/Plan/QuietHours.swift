/// The spans of quiet hours as instants, in the device's zone.
struct QuietHours {
  /// One span without reminders.
  struct Span: Hashable {
    let start: Instant
    /// The first instant after it.
    let end: Instant
    /// Where what would ring in it rings instead: the first instant at which the clock shows the
    /// end of the quiet hours, or at which the clock was set beyond it.
    let until: Instant
  }

  /// Ascending.
  let spans: [Span]

  /// The quiet hours of a zone's window.
  init(_ hours: DayWindow, in window: ZoneWindow) {
    var found: [(start: Int, end: Int)] = []
    for piece in Self.pieces(of: window) {
      for (start, end) in Self.ranges(of: hours, in: piece.seconds, offset: piece.offset) {
        if let last = found.last, last.end == start {
          found[found.count - 1].end = end
        } else {
          found.append((start, end))
        }
      }
    }
    spans = found.indices.map { index in
      let (start, end) = found[index]
      let until =
        Self.isOver(hours, at: end, in: window) ? end : found.dropFirst(index + 1).first?.end
      return Span(
        start: Instant(seconds: start), end: Instant(seconds: end),
        until: Instant(seconds: until ?? end))
    }
  }

  /// The span in which an instant lies.
  func span(at instant: Instant) -> Span? {
    firstSpan(endingAfter: instant).flatMap { $0.start <= instant ? $0 : nil }
  }

  /// When quiet hours begin or end next after an instant; nil where nothing is known of that.
  func nextChange(after instant: Instant) -> Instant? {
    firstSpan(endingAfter: instant).map { $0.start <= instant ? $0.end : $0.start }
  }

  private func firstSpan(endingAfter instant: Instant) -> Span? {
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].end <= instant { low = middle + 1 } else { high = middle }
    }
    return low < spans.count ? spans[low] : nil
  }

  /// The spans whose reminders ring at an instant instead.
  func spans(until instant: Instant) -> [Span] { spans.filter { $0.until == instant } }

  /// The instants at which quiet hours end after one and before another, ascending.
  func ends(after start: Instant, before end: Instant) -> [Instant] {
    var ends: [Instant] = []
    for span in spans where span.until > start && span.until < end && ends.last != span.until {
      ends.append(span.until)
    }
    return ends
  }

  // MARK: - Finding spans

  /// The stretches of a window between two settings of the clocks.
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
  private static func ranges(
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
