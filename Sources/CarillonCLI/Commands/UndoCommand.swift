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
      try day.warn(of: found, call.output)
      let written = try await store.undo(found.id, on: date)
      try call.output.confirm(written, ["habit": .text(found.id.description)]) {
        written.events.contains { $0.type != "app.active" }
          ? "Undone: \(found.title)\(of)." : "\(found.title)\(of): nothing to undo."
      }
    }
  }
}
