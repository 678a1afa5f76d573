import ArgumentParser
import Carillon

/// `carillon undo`: takes back a date's last entry, or all of them.
struct UndoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo what was recorded last for a date.",
    discussion: """
      Takes back one entry, or the mark of a skipped date. With --all, it takes back everything \
      that was recorded for the date, except its note.

      Without --on, the date is the last one for which something was recorded today: today, or the \
      date of a recent reminder. The answer names the date if it is not today.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habits: HabitArguments
  @OptionGroup var date: DateFlag
  @Flag(help: "Take back all entries and the mark of the date.") var all = false

  func run(_ call: Call) async throws {
    try await date.record(habits.habits, call) { store, habit, date in
      let written =
        all
        ? try await store.clear(habit.id, on: date) : try await store.undo(habit.id, on: date)
      guard !written.kinds.subtracting([.appActive]).isEmpty else {
        return DatedRecord(written: written, text: "Nothing to undo: \(habit.title)")
      }
      guard habit.kind == .count, !all, let day = written.date else {
        return DatedRecord(written: written, text: "Undone: \(habit.title)")
      }
      let amount = try await habit.amountText(on: day, in: store)
      return DatedRecord(written: written, text: "Undone; \(amount)")
    }
  }
}
