import ArgumentParser
import Carillon

/// `carillon undo`: takes a date's entries and mark back.
struct UndoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take back a date's entries and its mark.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var day: DayOption

  func run(_ call: Call) async throws {
    let date = try day.day()
    let of = try day.text(call.output.time)
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let warnings = day.warnings(of: found)
      call.output.warn(warnings)
      let written = try await store.undo(found.id, on: date)
      let ids: JSON = ["habit": .text(found.id.description)]
      try call.output.confirm(written, ids.merging(warnings: warnings)) {
        written.events.contains { $0.type != "app.active" }
          ? "Undone: \(found.title)\(of)." : "\(found.title)\(of): nothing to undo."
      }
    }
  }
}
