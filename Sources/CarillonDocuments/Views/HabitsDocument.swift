package import Carillon
package import CarillonModel

/// The habits, each with its state today.
package struct HabitsDocument: Sendable {
  /// The habits, by position and title.
  package let rows: [HabitToday]
  /// The date of today.
  let date: CivilDate
  /// The pauses of all habits that include today, earliest first.
  package let pausesOfAll: [Pause]

  /// Reads the habits of a store.
  package init(
    _ store: Store, includingArchived: Bool = false, includingDeleted: Bool = false
  ) async throws {
    let (habits, today, state, days) = try await store.habitsToday(
      includingArchived: includingArchived, includingDeleted: includingDeleted)
    rows = habits.map { HabitToday($0, state, today, days[$0.id]) }
    date = today
    pausesOfAll = state.pauses.values.filter { $0.isOfAll(on: today) }
      .sorted { ($0.first, $0.id) < ($1.first, $1.id) }
  }

  /// `{habits[]}`: each habit with `today`.
  package var json: JSON {
    [
      "habits": .array(rows) { row in
        row.habit.json.merging(["today": .text(row.state.rawValue)])
      }
    ]
  }
}

extension Pause {
  /// Whether the pause is for all habits and includes a date.
  package func isOfAll(on date: CivilDate) -> Bool {
    habit == nil && date >= first && last.map { date <= $0 } ?? true
  }
}
