import Carillon
import CarillonModel
import Foundation

extension Adherence {
  /// `{goal, strength, streak, longestStreak, first, weeks[{from,to,done,due}], months[...]}`: the
  /// goal over several days, also if it is a quota, the strength from 0 to 1, the last 8 weeks and
  /// 12 months.
  var json: JSON {
    func periods(_ periods: [Period]) -> JSON {
      .array(periods) { period in
        [
          "from": .text(period.dates.lowerBound.description),
          "to": .text(period.dates.upperBound.description), "done": .integer(period.done),
          "due": .integer(period.due),
        ]
      }
    }
    return [
      "goal": .text(goal?.description), "strength": .number(strength),
      "streak": .integer(streak?.length ?? 0),
      "longestStreak": .integer(longest?.length ?? 0),
      "first": .text(first.description), "weeks": periods(weeks(8)), "months": periods(months(12)),
    ]
  }

  /// The strength, such as `64 %`.
  ///
  /// A habit with a maximum has its full strength from the start, which its first dates confirm.
  func strengthText(of habit: Habit) -> String {
    let percent = "\(Int((strength * 100).rounded())) %"
    let isConfirmed = days.contains(.done) || days.contains(.missed)
    return habit.isMaximum && !isConfirmed ? "\(percent) to begin with" : percent
  }

  /// The current and the longest streak, such as `5 days since Mon 2 Nov, longest 12 days to ...`.
  func streakText(_ time: LocalTime) -> String {
    guard let longest else { return "none yet" }
    let current = streak.map { "\(Self.days($0.length)) since \(time.text($0.dates.lowerBound))" }
    guard longest != streak else { return "\(current ?? ""), the longest so far" }
    return "\(current ?? "none now"), longest \(Self.days(longest.length))"
      + " to \(time.text(longest.dates.upperBound))"
  }

  /// The last 3 months, newest first, such as `Nov 11 of 14, Oct 20 of 31, Sep 8 of 10`.
  var monthsText: String {
    months(3).reversed().filter { $0.dates.upperBound >= first }.map { month in
      "\(LocalTime.monthName(of: month.dates.lowerBound)) \(month.text)"
    }.joined(separator: ", ")
  }

  /// Returns a table with a line for each week and a column for each weekday.
  func calendar(weeks count: Int, _ time: LocalTime) -> Table {
    var table = Table(
      [.init(title: "week of")]
        + Weekday.allCases.map { .init(title: String($0.abbreviation.capitalized.prefix(2))) }
        + [.init(title: "done")])
    for week in weeks(count) where week.dates.upperBound >= first {
      let monday = week.dates.lowerBound
      let marks = (0..<7).map { monday.adding(days: $0) }.map { date in
        date > today || date < first ? " " : self[date].symbol
      }
      table.add(
        [.init(time.text(monday), .dim)] + marks.map { .init($0) }
          + [.init(week.text)])
    }
    return table
  }

  /// Returns the meanings of the marks that the last weeks contain.
  func legend(weeks count: Int, on terminal: Terminal) -> String {
    Self.legend(
      of: weeks(count).flatMap(\.dates).filter { $0 >= first }.map { self[$0] }, on: terminal)
  }

  /// The meanings of marks.
  ///
  /// - Parameter isUnplanned: Whether there are also times after `~`.
  static func legend(
    of days: [Day], isUnplanned: Bool = false, on terminal: Terminal
  ) -> String {
    let shown = Set(days)
    let meanings = Day.allCases.filter { shown.contains($0) && $0 != .absent }
      .map { "\($0.symbol) \($0.meaning)" }
    return terminal.legend(meanings + (isUnplanned ? ["~ not planned yet"] : []))
  }

  private static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }
}

extension Adherence {
  /// Returns a warning if an edit of the habit changed what the dates before today say, or nil.
  ///
  /// - Parameter before: The adherence before the edit.
  func warning(after before: Adherence, of habit: Habit, _ time: LocalTime) -> String? {
    let start = min(first, before.first)
    let changed = (0..<max(0, start.days(to: today))).map { start.adding(days: $0) }
      .filter { self[$0] != before[$0] }
    let strengths = [before, self].map { $0.strengthText(of: habit) }
    var parts: [String] = []
    if let date = changed.first {
      let dates = changed.count.counted("earlier date")
      parts.append(
        "\(dates) now \(changed.count == 1 ? "counts" : "count") differently, from "
          + "\(time.text(date)) on")
    }
    if streak?.length != before.streak?.length {
      let lengths = [before, self].map { Self.days($0.streak?.length ?? 0) }
      parts.append("the streak was \(lengths[0]) and is \(lengths[1])")
    }
    if strengths[0] != strengths[1] {
      parts.append("the strength was \(strengths[0]) and is \(strengths[1])")
    }
    guard !parts.isEmpty else { return nil }
    return "this also changes the past of \(habit.title.printable): "
      + parts.joined(separator: "; ")
  }
}

extension Adherence.Period {
  /// `2 of 3`, or a dash if nothing was due yet.
  var count: String { due == 0 ? "—" : "\(done) of \(due)" }

  /// `2 of 3`, with `so far` while a goal of the whole period can still be reached.
  var text: String { count + (isUndecided ? " so far" : "") }
}

extension Adherence.Day {
  /// The character for calendars.
  var symbol: String {
    switch self {
    case .done: "●"
    case .covered: "◐"
    case .late: "◔"
    case .missed: "✗"
    case .open: "○"
    case .skipped: "–"
    case .paused: "="
    case .idle: "·"
    case .absent: " "
    }
  }

  fileprivate var meaning: String {
    switch self {
    case .done: "done"
    case .covered: "goal reached"
    case .late: "done late"
    case .missed: "missed"
    case .open: "still open"
    case .skipped: "skipped"
    case .paused: "paused"
    case .idle: "does not count"
    case .absent: "no such date"
    }
  }
}
