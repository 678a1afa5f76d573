/// An event that deletes a habit.
///
/// Observed-remove: the habit stays deleted until a `habit.restored` names this event.
public struct HabitDeleted: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// The edits that the writer had seen, as in ``HabitFields/replaces``.
  package var replaces: [EventID] = []

  /// Creates a value from its parts.
  package init(habit: HabitID) {
    self.habit = habit
  }
}

extension HabitDeleted: EventContent {
  package static let kind = Payload.Kind.habitDeleted
  package static let name = "habit.deleted"
  package static let isAppendable = true
  package static let merge = MergeRule.observedRemove
  package static let blank = HabitDeleted(habit: .zero)

  package var payload: Payload { .habitDeleted(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.replaced(2, &replaces)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    words.title(of: habit)
  }
}
