import ArgumentParser
import Carillon

/// `carillon skip`: marks a date as not due.
struct SkipCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Mark a date of a habit as not due.",
    discussion: """
      Without --on, the date is today, in the time zone of the habit's schedules if all have the \
      same one.
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
      let written = try await store.skip(found.id, on: date)
      let of = try await day.text(of: written, in: store, call.output.time)
      let ids: JSON = [
        "habit": .text(found.id.description), "date": .text(written.date?.description),
      ]
      try call.output.confirm(written, ids.merging(warnings: warnings)) {
        written.events.contains { $0.kind == .dayMarked }
          ? "Skipped: \(found.title)\(of)." : "Already skipped: \(found.title)\(of)."
      }
    }
  }
}
