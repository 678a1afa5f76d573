import ArgumentParser
import Carillon

/// `carillon undo`: removes a date's entries and its mark.
struct UndoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo what was recorded for a date: its entries and its mark.",
    discussion: """
      Without --on, the date is the last one for which something was recorded today: today, or the \
      date of a recent reminder. The answer names the date if it is not today.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var day: DayOption

  func run(_ call: Call) async throws {
    let date = try day.day()
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let warnings = day.warnings(of: found)
      call.output.warn(warnings)
      let written = try await store.clear(found.id, on: date)
      let of = try await day.text(of: written, in: store, call.output.time)
      let ids: JSON = [
        "habit": .text(found.id.description), "date": .text(written.date?.description),
      ]
      try call.output.confirm(written, ids.merging(warnings: warnings)) {
        written.events.contains { $0.kind != .appActive }
          ? "Undone: \(found.title)\(of)." : "Nothing to undo: \(found.title)\(of)."
      }
    }
  }
}
