import ArgumentParser
import Carillon
import CarillonModel
import Foundation

/// `carillon week`: shows the current week of all habits.
struct WeekCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "week",
    abstract: "Show the current week of all habits, from Monday to Sunday.",
    discussion: """
      The days so far show what was done. The days ahead show when the first reminder fires. With \
      --json, each day has its state and the time of that reminder.
      """)

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let habits = try await store.habits()
      let today = try await store.today()
      let monday = today.adding(days: 1 - Int(today.weekday.rawValue))
      let sunday = monday.adding(days: 6)
      let firings = try await store.firings(on: today...sunday)
      var rows: [Row] = []
      for habit in habits {
        rows.append(
          Row(
            habit: habit, adherence: try await store.adherence(of: habit.id),
            firings: firings[habit.id] ?? [:]))
      }
      let dates = Array(monday...sunday)
      let json: JSON = [
        "from": .text(monday.description), "to": .text(sunday.description),
        "habits": .array(rows) { $0.json(dates, call.output.time) },
      ]
      try call.output.answer(json) {
        guard !rows.isEmpty else {
          return "No habits yet. Add one: \(call.output.carillon) habit add Walk --at 17:00\n"
        }
        return Self.table(rows, dates, today: today, call.output)
          + Adherence.legend(of: rows.flatMap { row in dates.map { row.adherence[$0] } })
      }
    }
  }

  private static func table(
    _ rows: [Row], _ dates: [CivilDate], today: CivilDate, _ output: Output
  ) -> String {
    let days = dates.map { date in
      let name = date.weekday.abbreviation.capitalized.prefix(2)
      return Table.Column(title: "\(name) \(date.components.day)\(date == today ? "*" : "")")
    }
    var table = Table(
      [.init(title: "habit", canShrink: true)] + days + [.init(title: "done")])
    for row in rows {
      let week = row.adherence.weeks(1)[0]
      table.add(
        [.init(row.habit.title, .bold)] + dates.map { .init(row.text($0, output.time)) }
          + [.init("\(week.done) of \(week.due)")])
    }
    return table.rendered(on: output.terminal)
  }
}

/// A habit's line.
private struct Row {
  let habit: Habit
  let adherence: Adherence
  /// The first reminder of each date from today.
  let firings: [CivilDate: Instant]

  /// A mark for a date that was done, missed or left out; for one that is open or ahead, the time
  /// of its reminder.
  func text(_ date: CivilDate, _ time: LocalTime) -> String {
    if let instant = firings[date], isAhead(date) || adherence[date] == .open {
      return time.clock(instant)
    }
    return isAhead(date) || date < adherence.first ? "" : adherence[date].symbol
  }

  func json(_ dates: [CivilDate], _ time: LocalTime) -> JSON {
    let week = adherence.weeks(1)[0]
    return [
      "habit": .text(habit.id.description), "title": .text(habit.title),
      "done": .integer(week.done), "due": .integer(week.due),
      "days": .array(dates) { date in
        [
          "date": .text(date.description),
          "state": .text(
            isAhead(date) || date < adherence.first ? nil : adherence[date].rawValue),
          "fireAt": .text(firings[date].map(time.rfc3339)),
        ]
      },
    ]
  }

  private func isAhead(_ date: CivilDate) -> Bool { date > adherence.today }
}
