import ArgumentParser
import Carillon
import CarillonModel

/// `carillon habit list`: lists the habits, by position and title.
struct HabitListCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the habits and their states today.",
    discussion: """
      With --json, "today" is done, skipped, paused, open if the habit is due today, or none if it \
      is not: its schedules do not include today, or its goal is reached.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Include archived and deleted habits.") var all = false

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let (habits, today, state, days) = try await store.habitsToday(
        includingArchived: all, includingDeleted: all)
      func said(_ habit: Habit) -> TodayOfHabit {
        TodayOfHabit(habit, state, today, days[habit.id] ?? .idle)
      }
      let none = habits.isEmpty ? try await store.noHabits(call.output) : nil
      lazy var json: JSON = [
        "habits": .array(habits) { habit in
          habit.json.merging(["today": .text(said(habit).rawValue)])
        }
      ]
      try call.output.answer(json) {
        if let none { return none }
        var table = Table([
          .init(title: "habit", canShrink: true), .init(title: "today"),
          .init(title: "reminders", canShrink: true), .id,
        ])
        for habit in habits {
          let reminders = habit.schedules.map { $0.summary(call.output.time) }.joined(
            separator: "; ")
          table.add([
            .init(habit.title, .bold), .init(said(habit).text(habit, state, today, days[habit.id])),
            .init(reminders.isEmpty ? "none" : reminders.truncated(to: Self.widestReminders)),
            .init(String(habit.id.description.prefix(8)), .dim),
          ])
        }
        return table.rendered(on: call.output.terminal)
          + pausesOfAll(state, today, call.output)
      }
    }
  }

  /// A rule may be thousands of characters long; `habit show` prints it in full.
  private static let widestReminders = 120

  /// Returns a line for each pause of all habits that includes today.
  private func pausesOfAll(_ state: StoreState, _ today: CivilDate, _ output: Output) -> String {
    state.pauses.values.filter { $0.isOfAll(on: today) }
      .sorted { ($0.first, $0.id) < ($1.first, $1.id) }
      .map { pause in
        "All habits are paused \(output.time.text(pauseUntil: pause.last)). "
          + "To resume: \(output.carillon) habit resume --all\n"
      }.joined()
  }
}

/// The state of a habit today.
enum TodayOfHabit: String {
  case done, skipped, paused, open
  /// Not due.
  case none

  init(_ habit: Habit, _ state: StoreState, _ today: CivilDate, _ day: Adherence.Day) {
    if state.isDone(habit, on: today) {
      self = .done
    } else if state.days[habit.id]?[today]?.mark == .skip {
      self = .skipped
    } else if habit.isDeleted || habit.isArchived {
      self = .none
    } else {
      self =
        switch day {
        case .paused: .paused
        // A habit with a maximum is done until it fails, so it is still open.
        case .open, .late, .missed, .done: .open
        case .covered, .skipped, .idle, .absent: .none
        }
    }
  }

  /// Returns the state in words; without a due date `not due`, or `goal reached`.
  func text(
    _ habit: Habit, _ state: StoreState, _ today: CivilDate, _ day: Adherence.Day?
  ) -> String {
    if habit.isDeleted { return "deleted" }
    if habit.isArchived { return "archived" }
    let amount = state.days[habit.id]?[today]?.amount ?? 0
    switch self {
    case .done: return "done"
    case .paused: return "paused"
    case .skipped: return "skipped"
    case .open, .none:
      guard let target = habit.target, habit.kind == .count, self == .open || amount > 0 else {
        return self == .open ? "open" : day == .covered ? "goal reached" : "not due"
      }
      let unit = habit.unit.map { " " + $0 } ?? ""
      guard habit.direction == .atMost else { return "\(amount)/\(target)\(unit)" }
      return "\(amount) of at most \(target)\(unit)" + (amount > target ? ", over" : "")
    }
  }
}
