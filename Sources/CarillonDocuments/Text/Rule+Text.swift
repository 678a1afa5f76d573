package import CarillonModel
import Foundation

/// Describes rules for people.
package struct RuleText {
  package let time: LocalTime

  /// Creates the descriptions, with dates of a time zone.
  package init(time: LocalTime) {
    self.time = time
  }

  /// `Mon, Fri 07:30 17:00`, `every 2 h from Fri 20 Nov 13:00`, or
  /// `daily, without times (so no reminder)`.
  package func text(_ rule: Schedule.Rule, at times: [TimeOfDay]) -> String {
    switch rule {
    case .once, .weekly, .everyDays: dated(words(rule), times)
    case .recurrence(let recurrence):
      recurrence.isDateOnly
        ? dated(recurrence.words ?? recurrence.lines, times, "at")
        : recurrence.words ?? recurrence.lines
    case .interval(let interval): text(interval)
    case .relative(let relative): text(relative, at: times)
    case .place(let region): region.text
    case .unknown: "a rule of a newer version"
    }
  }

  /// Returns a description of dates with their times.
  private func dated(_ dates: String, _ times: [TimeOfDay], _ at: String = "") -> String {
    guard !times.isEmpty else { return "\(dates), without times (so no reminder)" }
    let words = [dates, at].filter { !$0.isEmpty } + times.map(\.description)
    return words.joined(separator: " ")
  }

  /// Returns a description of the dates of a rule that is not a recurrence.
  private func words(_ rule: Schedule.Rule) -> String {
    switch rule {
    case .once(let date): "once \(date)"
    case .weekly(let days) where days.count == 7: "daily"
    case .weekly(let days): days.names
    case .everyDays(1, let anchor): "daily from \(anchor)"
    case .everyDays(let days, let anchor): "every \(days) days from \(anchor)"
    case .recurrence, .interval, .relative, .place, .unknown: ""
    }
  }

  private func text(_ interval: Schedule.Interval) -> String {
    if let anchor = interval.anchor {
      let first = anchor == .entryOrFrom ? ", first \(time.text(interval.from))" : ""
      return "\(interval.seconds.duration) after it was last done\(first)"
    }
    return "every \(interval.seconds.duration)" + (interval.window.map { " \($0)" } ?? "")
      + ", from \(time.text(interval.from))"
  }

  /// `15 min before Mon 18:00, then 2 more 5 min apart`, or
  /// `10 min after the end (45 min) of daily 18:00`.
  private func text(_ relative: Schedule.Relative, at times: [TimeOfDay]) -> String {
    let offset = relative.offsetSeconds
    let side = offset == 0 ? "at" : "\(abs(offset).duration) \(offset < 0 ? "before" : "after")"
    let isEnd = relative.edge == .end
    let edge =
      isEnd ? "\(side) the end (\((relative.durationMinutes * 60).duration)) of " : "\(side) "
    let again =
      relative.repeatCount == 0
      ? "" : ", then \(relative.repeatCount) more \(relative.repeatSeconds.duration) apart"
    return (offset == 0 && !isEnd ? "" : edge) + text(relative.base, at: times) + again
  }
}

extension Schedule.Region {
  /// `on leaving 200 m around 52.52, 13.405`.
  fileprivate var text: String {
    "on \(crossing == .entry ? "entering" : "leaving") \(radius) m around "
      + "\(latitude.degrees), \(longitude.degrees)"
  }
}

extension RequestTrigger {
  /// `weekly Mon 07:30`, `every 2 h` or `on leaving 200 m around 52.52, 13.405`.
  package var text: String {
    let shape =
      switch shape {
      case .at, .daily: shape.text
      case .weekly(let day, let time): "weekly \(day.name) \(time)"
      case .monthly(let day, let time): "monthly, day \(day) \(time)"
      case .yearly(let month, let day, let time):
        "yearly, \(day) \(LocalTime.monthName(month)) \(time)"
      case .every(let seconds): "every \(seconds.duration)"
      case .place(let region): region.text
      }
    guard case .every = self.shape else { return zone.map { "\(shape) \($0)" } ?? shape }
    return shape
  }
}

extension Weekday {
  /// `Mon`.
  package var name: String { abbreviation.capitalized }
}

extension Set<Weekday> {
  /// `Mon, Wed`, or `Mon-Fri` for three or more consecutive days.
  package var names: String {
    var ranges: [[Weekday]] = []
    for day in sorted() {
      if let last = ranges.last?.last, day.rawValue == last.rawValue + 1 {
        ranges[ranges.count - 1].append(day)
      } else {
        ranges.append([day])
      }
    }
    return ranges.flatMap { range in
      range.count < 3
        ? range.map(\.name) : ["\(range[0].name)-\(range[range.count - 1].name)"]
    }.joined(separator: ", ")
  }
}

extension Int32 {
  /// Millionths of a degree as a decimal, such as `52.52`.
  package var degrees: String {
    var fraction = Int(magnitude % 1_000_000).padded(6)
    while fraction.hasSuffix("0") { fraction.removeLast() }
    let whole = "\(self < 0 ? "-" : "")\(magnitude / 1_000_000)"
    return fraction.isEmpty ? whole : "\(whole).\(fraction)"
  }
}
