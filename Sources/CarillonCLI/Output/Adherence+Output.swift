import Carillon
import CarillonDocuments
import CarillonModel

extension Adherence {
  /// Returns a table with a line for each week and a column for each weekday.
  func calendar(weeks count: Int, _ time: LocalTime) -> Table {
    var table = Table(
      [.init(title: "week of")]
        + Weekday.allCases.map { .init(title: String($0.name.prefix(2))) }
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
