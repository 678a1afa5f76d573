import ArgumentParser
import Carillon

/// `carillon skip`: marks a date as not due.
struct SkipCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Mark a date of a habit as not due.",
    discussion: """
      Without --on, the date is today, in the time zone of the habit's schedules if all have the \
      same one.

      skip leaves out one date, and breaks no streak. habit pause stops the reminders of a range \
      of dates, or until resumed.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habits: HabitArguments
  @OptionGroup var date: DateFlag

  func run(_ call: Call) async throws {
    try await date.record(habits.habits, call, .future) { store, habit, date in
      let written = try await store.skip(habit.id, on: date)
      let isNew = written.kinds.contains(.dayMarked)
      return DatedRecord(
        written: written, text: (isNew ? "Skipped: " : "Already skipped: ") + habit.title)
    }
  }
}
