import ArgumentParser
import Carillon

/// `carillon habit list`: the habits, by position and title.
struct HabitListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the habits.")

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Archived and deleted ones too.") var all = false

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let habits = try await store.habits(includingArchived: all, includingDeleted: all)
      let today = try await store.today()
      let state = try await store.state(span: today...today)
      let json: JSON = [
        "habits": .array(habits) { habit in
          habit.json.merging(["today": .text(state.said(of: habit, on: today))])
        }
      ]
      try call.output.answer(json) {
        guard !habits.isEmpty else {
          return "No habits yet. Add one: carillon habit add Walk --at 17:00\n"
        }
        var table = Table([
          .init(title: "habit", canShrink: true), .init(title: "today"),
          .init(title: "reminders", canShrink: true), .init(title: "id"),
        ])
        for habit in habits {
          let reminders = habit.slots.map { $0.summary(call.output.time) }.joined(separator: "; ")
          table.add([
            .init(habit.title, .bold), .init(mark(habit, state, today)),
            .init(reminders.isEmpty ? "none" : reminders),
            .init(String(habit.id.description.prefix(8)), .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
      }
    }
  }

  private func mark(_ habit: Habit, _ state: State, _ today: CivilDate) -> String {
    if habit.isDeleted { return "deleted" }
    if habit.isArchived { return "archived" }
    if state.isDone(habit, on: today) { return "done" }
    if state.pauses.values.contains(where: { $0.covers(today, of: habit.id) }) { return "paused" }
    let day = state.days[habit.id]?[today]
    if let target = habit.target, habit.kind == .count {
      return "\((day?.amount ?? 0).decimal)/\(target.decimal)\(habit.unit.map { " " + $0 } ?? "")"
    }
    return day?.mark == .skip ? "skipped" : ""
  }
}

extension State {
  /// `done`, `skipped` or `open`, for tools.
  fileprivate func said(of habit: Habit, on date: CivilDate) -> String {
    if isDone(habit, on: date) { return "done" }
    return days[habit.id]?[date]?.mark == .skip ? "skipped" : "open"
  }
}
