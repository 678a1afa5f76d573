/// An event that takes back deletions of a habit.
///
/// Only the named deletions are taken back.
public struct HabitRestored: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// The IDs of the `habit.deleted` events; 1 to 100.
  package var deletes: [EventID]

  /// Creates a value from its parts.
  package init(habit: HabitID, deletes: [EventID]) {
    self.habit = habit
    self.deletes = deletes
  }
}

extension HabitRestored {
  /// Returns the payloads that take back deletions, each within the limit of 100.
  package static func payloads(of habit: HabitID, deletes: [EventID]) -> [Payload] {
    stride(from: 0, to: deletes.count, by: 100).map { start in
      .habitRestored(
        HabitRestored(habit: habit, deletes: Array(deletes[start...].prefix(100))))
    }
  }
}

extension HabitRestored: EventContent {
  package static let kind = Payload.Kind.habitRestored
  package static let name = "habit.restored"
  package static let isAppendable = true
  package static let merge = MergeRule.observedRemove
  package static let blank = HabitRestored(habit: .zero, deletes: [])

  package var payload: Payload { .habitRestored(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.list(2, "deletes", &deletes, count: 1...100)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    words.title(of: habit)
  }
}
