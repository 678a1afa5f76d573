import ArgumentParser
import Carillon
import CarillonModel

/// `carillon today`: lists the habits with their states today and their next reminders.
struct TodayCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "today",
    abstract: "Show what is due and done today, and when each reminder fires next.",
    discussion: """
      If no command is given and there is a store, this one runs. A habit without a next \
      reminder says why. With --json, "today" is as in habit list, "next" has the time, or the \
      reason and its words, and a counted habit has its amount and target in \
      thousandths.
      """)

  @OptionGroup var global: GlobalOptions

  /// Whether the arguments name no command, only global options, and a store is given or found.
  static func isMeant(by given: [String]) -> Bool {
    guard let global = GlobalValues(alone: given[...]) else { return false }
    return (try? StorePlace(given: global.store).existing()) != nil
  }

  func run(_ call: Call) async throws {
    try await call.withStore { store in
      let (habits, today, state, days) = try await store.habitsToday()
      let plan = try await store.plan()
      let reminders = try await Reminders(plan, of: habits, store, call.output)
      let rows = habits.map { habit in
        let said = TodayOfHabit(habit, state, today, days[habit.id] ?? .idle)
        return Row(
          habit: habit, today: said, text: said.text(habit, state, today, days[habit.id]),
          amount: state.days[habit.id]?[today]?.amount ?? .zero,
          next: reminders.next(of: habit))
      }
      let none = rows.isEmpty ? try await store.noHabits(call.output) : nil
      lazy var json: JSON = [
        "date": .text(today.description), "habits": .array(rows) { $0.json(call.output.time) },
        "blocked": .text(plan.blocked?.rawValue),
      ]
      try call.output.answer(json) {
        if let none { return none }
        return call.output.time.text(today) + "\n" + Self.table(rows, today, call.output)
          + plan.leftOut.soon(call.output.time).paragraph(call.output, capacity: plan.capacity)
          + (plan.blocked.map { call.output.footer($0) } ?? "")
      }
    }
  }

  private static func table(_ rows: [Row], _ today: CivilDate, _ output: Output) -> String {
    var table = Table([
      .init(title: "habit", canShrink: true), .init(title: "today"),
      .init(title: "next reminder", wraps: true),
    ])
    for row in rows {
      let isOpen = row.today == .open
      table.add([
        .init(row.habit.title, isOpen ? .bold : .plain), .init(row.text, isOpen ? .plain : .dim),
        .init(row.next.text(output.time, today: today, isBlockTold: true)),
      ])
    }
    return table.rendered(on: output.terminal)
  }
}

/// A habit's line.
private struct Row {
  let habit: Habit
  let today: TodayOfHabit
  let text: String
  /// What was recorded today.
  let amount: Amount
  let next: NextReminder

  func json(_ time: LocalTime) -> JSON {
    let row: JSON = [
      "habit": .text(habit.id.description), "title": .text(habit.title),
      "today": .text(today.rawValue), "next": next.json(time),
    ]
    guard habit.kind == .count else { return row }
    return row.merging([
      "amount": .integer(amount.thousandths),
      "target": habit.target.map { .integer($0.thousandths) } ?? .null, "unit": .text(habit.unit),
    ])
  }
}
