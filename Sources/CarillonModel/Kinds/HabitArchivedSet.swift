/// An event that archives a habit, or takes it out of the archive.
///
/// An LWW register per habit.
public struct HabitArchivedSet: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// Whether the habit is archived and thus hidden.
  public var isArchived: Bool
  /// The edits that the writer had seen, as in ``HabitFields/replaces``.
  package var replaces: [EventID] = []

  /// Creates a value from its parts.
  package init(habit: HabitID, isArchived: Bool) {
    self.habit = habit
    self.isArchived = isArchived
  }
}

extension HabitArchivedSet: EventContent {
  package static let kind = Payload.Kind.habitArchivedSet
  package static let name = "habit.archivedSet"
  package static let isAppendable = true
  package static let merge = MergeRule.lwwRegister
  package static let blank = HabitArchivedSet(habit: .zero, isArchived: false)

  package var payload: Payload { .habitArchivedSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.defaulted(2, "archived", &isArchived, false, isNamed: true)
    try visitor.replaced(3, &replaces)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    "\(words.title(of: habit)) \(isArchived ? "archived" : "unarchived")"
  }
}
