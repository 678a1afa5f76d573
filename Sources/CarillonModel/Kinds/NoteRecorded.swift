/// An event that records a note on a date of a habit, without marking the habit as done.
///
/// An LWW register per (habit, date).
public struct NoteRecorded: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// The date.
  public var date: CivilDate
  /// The note, 1 to 2,000 bytes; nil removes it.
  public var text: String?
  /// The notes that this one replaces, as in ``HabitFields/replaces``.
  package var replaces: [EventID] = []

  /// Creates a value from its parts.
  package init(habit: HabitID, date: CivilDate, text: String?) {
    self.habit = habit
    self.date = date
    self.text = text
  }
}

extension NoteRecorded: EventContent {
  package static let kind = Payload.Kind.noteRecorded
  package static let name = "note.recorded"
  package static let isAppendable = true
  package static let merge = MergeRule.lwwRegister
  package static let blank = NoteRecorded(habit: .zero, date: .zero, text: nil)

  package var payload: Payload { .noteRecorded(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.required(2, "date", &date)
    try visitor.optional(3, "text", &text, 1...Limit.maxLongBytes)
    try visitor.replaced(4, &replaces)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    "\(words.title(of: habit)) \(date)" + (text == nil ? " removed" : "")
  }
}
