import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import Foundation

/// `carillon week`: shows a week of all habits.
struct WeekCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "week",
    abstract: "Show a week of all habits, from Monday to Sunday.",
    discussion: """
      The days so far show what was done. The days ahead show when the first reminder fires on \
      this device, or that the date is skipped or paused. A time after ~ is not planned yet: it \
      is too far ahead, does not fit, or stops if nothing is recorded. With --json, each day has \
      its state and the time of that reminder as fireAt, or as notPlannedAt.

      Examples:
        carillon week
        carillon week --on 2026-11-02
      """)

  @OptionGroup var global: GlobalOptions
  @Option(
    help: ArgumentHelp("A date of the week to show (default: today).", valueName: "date"))
  var on: Given<DateText>?

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let date = try on.value(for: "--on")
      let output = call.output
      let today = try await store.today()
      let document = try await WeekDocument(
        store, of: date?.date(.past, today: today) ?? today, output.time)
      let (rows, dates) = (document.rows, document.dates)
      let footer = output.footer(document.blocked, on: try await store.device())
      let none = rows.isEmpty ? try await store.noHabits(output) : nil
      try output.answer(document.json) {
        if let none { return none }
        return Self.table(document, output)
          + Adherence.legend(
            of: rows.flatMap { row in dates.compactMap(row.mark) },
            isUnplanned: rows.contains { dates.contains(where: $0.isUnplanned) },
            on: output.terminal)
          + footer
      }
    }
  }

  private static func table(_ document: WeekDocument, _ output: Output) -> String {
    let days = document.dates.map { date in
      let name = date.weekday.name.prefix(2)
      let mark = date == document.today ? "*" : ""
      return Table.Column(title: "\(name) \(date.components.day)\(mark)")
    }
    var table = Table(
      [.init(title: "habit", canShrink: true)] + days + [.init(title: "done")])
    for row in document.rows {
      table.add(
        [.init(row.habit.title, .bold)] + document.dates.map { .init(row.text($0, output.time)) }
          + [.init(row.week(of: document.dates[0])?.count ?? "")])
    }
    return table.rendered(on: output.terminal)
  }
}
