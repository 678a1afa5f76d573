import ArgumentParser
import Carillon
import CarillonModel

/// `carillon undo`: takes back a date's last entry, or all of them.
struct UndoCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo what was recorded last for a date.",
    discussion: """
      Takes back one entry, or the mark of a skipped date. With --all, it takes back everything \
      that was recorded for the date, except its note.

      Without --on, it takes back what was recorded last today, for whichever date. A weekday \
      is the latest one or the next one: the one for which something was recorded last. The answer \
      names the date if it is not today.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var habits: HabitArguments
  @OptionGroup var date: DateFlag
  @Flag(help: "Take back all entries and the mark of the date.") var all = false

  func run(_ call: Call) async throws {
    try await Self.answer(call, habits: habits.habits, date, all: all)
  }

  /// Takes back what was recorded last for a date of each habit, or all of it, and prints what.
  static func answer(
    _ call: Call, habits: [String], _ date: DateFlag = .none, all: Bool = false
  ) async throws {
    let on = date.on
    try await date.record(habits, call) { store, habit, date in
      let date = try await Self.date(on, date, of: habit, in: store)
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

  /// Returns the given date, or the next one with the same words, such as `fri`, if something was
  /// recorded for that one later.
  private static func date(
    _ on: Given<DateText>?, _ given: HabitDate, of habit: Habit, in store: Store
  ) async throws -> HabitDate {
    guard case .date(let last) = given,
      let next = try on.value(for: "--on")?.date(.future, today: await store.today()),
      next != last, let ahead = try await store.lastRecord(of: habit.id, on: next)
    else { return given }
    let before = try await store.lastRecord(of: habit.id, on: last)
    return before.map { $0 < ahead } ?? true ? .date(next) : given
  }
}
