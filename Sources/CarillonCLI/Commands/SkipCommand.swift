import ArgumentParser
import Carillon

/// `carillon skip`: a date is not due.
struct SkipCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Mark a date as not due.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habit: HabitArgument
  @OptionGroup var day: DayOption

  func run(_ call: Call) async throws {
    let day = try day.day()
    try await call.withStore { store in
      let found = try await habit.find(in: store)
      let written = try await store.skip(found.id, on: day)
      try call.output.confirm(written, ["habit": .text(found.id.description)]) {
        written.events.contains { $0.type == "day.marked" }
          ? "Skipped: \(found.title)." : "\(found.title) was skipped already."
      }
    }
  }
}
