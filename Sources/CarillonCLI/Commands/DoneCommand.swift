import ArgumentParser
import Carillon

/// `carillon done`: records that a habit was done on a date.
struct DoneCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Record that a habit was done.",
    discussion: """
      Without --on, the date is that of the last reminder, if it fired within 24 hours and its \
      date is not done. Otherwise, and for a counted habit, it is today, in the time zone of the \
      habit's schedules if all have the same one. The answer names the date if it is not today.

      Examples:
        carillon done Walk
        carillon done Water --amount 0.5
        carillon done Walk --on 2026-11-22
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var day: DayOption

  @Option(
    help: ArgumentHelp(
      "The amount, 0 to 1000000000, with at most 3 decimals (default: 1).", valueName: "n"))
  var amount: Given<Amount>?

  func run(_ call: Call) async throws {
    let date = try day.day()
    let amount = try amount.value(for: "--amount")
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      var warnings = day.warnings(of: found)
      if case .date(let future) = date, future > (try await store.today()) {
        warnings.append("\(call.output.time.text(future)) is in the future")
      }
      call.output.warn(warnings)
      let written = try await store.markDone(found.id, on: date, amount: amount)
      let of = try await day.text(of: written, in: store, call.output.time)
      let ids: JSON = [
        "habit": .text(found.id.description), "date": .text(written.date?.description),
      ]
      try call.output.confirm(written, ids.merging(warnings: warnings)) {
        written.events.contains { $0.kind == .entryRecorded }
          ? "Done: \(found.title)\(amount.map { " +\($0)" } ?? "")\(of)."
          : "Already done: \(found.title)\(of)."
      }
    }
  }
}
