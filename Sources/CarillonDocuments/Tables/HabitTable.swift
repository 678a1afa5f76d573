package import Carillon

/// All habits, including archived and deleted ones, one per line.
package struct HabitTable {
  private let time: LocalTime

  private static let titles = [
    "habit", "title", "kind", "unit", "target", "direction", "goal", "group", "question", "notes",
    "start", "end", "owner", "order", "reminders", "archived", "deleted",
  ]

  /// Creates the table, with times in a zone.
  package init(time: LocalTime) {
    self.time = time
  }

  /// Calls a function with one line after the other.
  package func write(
    _ store: Store, _ append: (String) async throws -> Void
  ) async throws {
    try await append(CSVLine(titles: Self.titles).rendered)
    for habit in try await store.habits(includingArchived: true, includingDeleted: true) {
      try await append(line(habit).rendered)
    }
  }

  private func line(_ habit: Habit) -> CSVLine {
    var line = CSVLine()
    line.add(habit.id.description)
    line.add(text: habit.title)
    line.add(habit.kind.rawValue)
    line.add(text: habit.unit)
    line.add(habit.target?.description ?? "")
    line.add(habit.direction.rawValue)
    line.add(habit.goal?.description ?? "")
    for text in [habit.group, habit.question, habit.notes] { line.add(text: text) }
    line.add(habit.start?.description ?? "")
    line.add(habit.end?.description ?? "")
    line.add(habit.owner.rawValue)
    line.add(habit.position.map(String.init) ?? "")
    line.add(text: habit.schedules.map { $0.summary(time) }.joined(separator: "; "))
    line.add(String(habit.isArchived))
    line.add(String(habit.isDeleted))
    return line
  }
}
