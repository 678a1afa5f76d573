import CarillonModel
import Foundation

/// The VTIMEZONE of a zone: each change of the clocks in some years.
///
/// Carillon's own import uses the name of the zone. Other apps may need the changes.
struct CalendarZone {
  private let name: String
  private let calendar: CivilCalendar
  private let range: Range<Instant>

  private static let millisecondsPerDay: Int64 = 86_400_000
  private static let millisecondsPerMinute: Int64 = 60_000
  /// The years after the first that are written.
  private static let yearCount = 20

  /// - Parameter first: The date from which changes are needed.
  init?(_ name: String, from first: CivilDate) {
    guard let zone = TimeZone(identifier: name) else { return nil }
    self.name = name
    calendar = CivilCalendar(zone: zone)
    let start = calendar.firstInstant(of: first.adding(days: -1))
    range = start..<calendar.firstInstant(of: first.adding(days: Self.yearCount * 366))
  }

  /// Adds the component.
  func write(to lines: inout CalendarLines) {
    var changes: [[Int]: [String]] = [:]
    var order: [[Int]] = []
    let initial = calendar.offsetSeconds(at: range.lowerBound)
    var offset = initial
    var day = range.lowerBound
    while day < range.upperBound {
      let next = Instant(milliseconds: day.milliseconds + Self.millisecondsPerDay)
      let after = calendar.offsetSeconds(at: next)
      if after != offset {
        let key = [offset, after]
        if changes[key] == nil { order.append(key) }
        changes[key, default: []].append(civil(change(in: day..<next, from: offset), at: offset))
        offset = after
      }
      day = next
    }
    lines.add("BEGIN:VTIMEZONE")
    lines.add("TZID:\(name)")
    lines.add("X-LIC-LOCATION:\(name)")
    write("STANDARD", [civil(range.lowerBound, at: initial)], initial, initial, to: &lines)
    for key in order {
      write(
        key[1] > key[0] ? "DAYLIGHT" : "STANDARD", changes[key] ?? [], key[0], key[1], to: &lines)
    }
    lines.add("END:VTIMEZONE")
  }

  // MARK: - Parts

  private func write(
    _ part: String, _ onsets: [String], _ from: Int, _ to: Int, to lines: inout CalendarLines
  ) {
    guard let first = onsets.first else { return }
    lines.add("BEGIN:\(part)")
    lines.add("DTSTART:\(first)")
    lines.add("TZOFFSETFROM:\(Self.text(from))")
    lines.add("TZOFFSETTO:\(Self.text(to))")
    if onsets.count > 1 { lines.add("RDATE:\(onsets.dropFirst().joined(separator: ","))") }
    lines.add("END:\(part)")
  }

  /// Returns the first minute of a day with another offset.
  private func change(in day: Range<Instant>, from offset: Int) -> Instant {
    var (low, high) = (day.lowerBound.milliseconds, day.upperBound.milliseconds)
    while high - low > Self.millisecondsPerMinute {
      let middle = low + (high - low) / 2 / Self.millisecondsPerMinute * Self.millisecondsPerMinute
      guard middle > low else { break }
      if calendar.offsetSeconds(at: Instant(milliseconds: middle)) == offset {
        low = middle
      } else {
        high = middle
      }
    }
    return Instant(milliseconds: high)
  }

  /// Returns the civil time of an instant at a fixed offset.
  private func civil(_ instant: Instant, at offset: Int) -> String {
    let shifted = Instant(milliseconds: instant.milliseconds + Int64(offset) * 1_000)
    return CivilCalendar(zone: .gmt).dateTime(at: shifted).calendarDigits
  }

  /// Returns an offset as `+HHMM`, with seconds if it has any.
  private static func text(_ offset: Int) -> String {
    let (sign, size) = (offset < 0 ? "-" : "+", abs(offset))
    let seconds = size % 60 == 0 ? "" : (size % 60).padded(2)
    return sign + (size / 3_600).padded(2) + (size / 60 % 60).padded(2) + seconds
  }
}
