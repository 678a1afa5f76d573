/// An event that marks a range of dates of a habit.
///
/// An LWW register per (habit, date).
public struct DayMarked: Hashable, Sendable {
  /// The habit.
  public var habit: HabitID
  /// The first date.
  public var first: CivilDate
  /// The last date, at most 399 days after `first`.
  public var last: CivilDate
  /// The mark for the dates.
  public var mark: DayMark

  /// Creates a value from its parts.
  package init(habit: HabitID, first: CivilDate, last: CivilDate, mark: DayMark) {
    self.habit = habit
    self.first = first
    self.last = last
    self.mark = mark
  }

  /// The maximum number of dates that one event marks.
  package static let maxDays = 400
}

extension DayMarked: EventContent {
  package static let kind = Payload.Kind.dayMarked
  package static let name = "day.marked"
  package static let isAppendable = true
  package static let merge = MergeRule.lwwRegister
  package static let blank = DayMarked(habit: .zero, first: .zero, last: .zero, mark: .clear)

  package var payload: Payload { .dayMarked(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.required(2, "from", &first)
    try visitor.defaulted(3, "to", &last, first)
    try visitor.defaulted(4, "mark", &mark, .clear, isNamed: true)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    "\(words.title(of: habit)) \(mark.rawValue) \(first)" + (last == first ? "" : " to \(last)")
  }
}

extension DayMarked {
  package func checkRelations() throws(ModelError) {
    try Limit.count(first.days(to: last) + 1, 1...Self.maxDays, "from to: days")
  }
}
