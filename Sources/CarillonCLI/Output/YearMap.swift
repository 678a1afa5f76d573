import Carillon
import CarillonDocuments
import Foundation

/// A habit's last year: a column for each week and a line for each weekday.
struct YearMap {
  /// The number of weeks of a year, the first and the last one in part.
  private static let weeks = 53
  /// The columns of the weekdays' names.
  private static let indent = 4

  let adherence: Adherence

  /// Returns the map, with as many weeks as fit the terminal.
  func rendered(on terminal: Terminal) -> String {
    let weeks = min(Self.weeks, max(1, (terminal.width ?? .max) - Self.indent))
    let mondays = (0..<weeks).map { monday.adding(days: 7 * ($0 - weeks + 1)) }
    let lines = Weekday.allCases.enumerated().map { index, weekday in
      let name = weekday.name.prefix(2)
      let marks = mondays.map { mark(on: $0.adding(days: index)) }
      return "\(name)  \(String(marks))"
    }
    return ([months(mondays)] + lines).map { $0.trimmedEnd + "\n" }.joined()
      + terminal.legend(["█ done", "▒ late or goal reached", "░ not done", "· does not count"])
  }

  private var monday: CivilDate {
    adherence.today.adding(days: 1 - Int(adherence.today.weekday.rawValue))
  }

  private func mark(on date: CivilDate) -> Character {
    guard date >= adherence.first, date <= adherence.today else { return " " }
    return switch adherence[date] {
    case .done: "█"
    case .covered, .late: "▒"
    case .missed, .open: "░"
    case .skipped, .paused, .idle: "·"
    case .absent: " "
    }
  }

  /// Returns a line with the months' names over the weeks in which they begin.
  private func months(_ mondays: [CivilDate]) -> String {
    var line = String(repeating: " ", count: Self.indent)
    for (index, monday) in mondays.enumerated() {
      let sunday = monday.adding(days: 6)
      let column = Self.indent + index
      guard sunday.components.day <= 7, line.count <= column,
        index + 3 <= mondays.count
      else { continue }
      line += String(repeating: " ", count: column - line.count)
      line += LocalTime.monthName(of: sunday)
    }
    return line
  }
}

extension String {
  /// The text without blanks at its end.
  fileprivate var trimmedEnd: Substring {
    self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)]
  }
}
