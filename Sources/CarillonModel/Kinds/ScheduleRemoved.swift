/// An event that removes a schedule.
///
/// An LWW register with every `schedule.set` of the schedule: a later edit, even of one field,
/// brings the schedule back.
public struct ScheduleRemoved: Hashable, Sendable {
  /// The schedule's habit.
  public var habit: HabitID
  /// The schedule to remove.
  public var schedule: ScheduleID
  /// The edits of the schedule that the writer had seen, as in ``HabitDeleted/replaces``.
  package var replaces: [EventID] = []

  /// Creates a value from its parts.
  package init(habit: HabitID, schedule: ScheduleID) {
    self.habit = habit
    self.schedule = schedule
  }
}

extension ScheduleRemoved: EventContent {
  package static let kind = Payload.Kind.scheduleRemoved
  package static let name = "schedule.removed"
  package static let isAppendable = true
  package static let merge = MergeRule.lwwRegister
  package static let blank = ScheduleRemoved(habit: .zero, schedule: .zero)

  package var payload: Payload { .scheduleRemoved(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.required(2, "schedule", &schedule)
    try visitor.replaced(3, &replaces)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    let title = words.title(of: habit)
    return words.text(of: schedule).map { "\(title): \($0)" } ?? title
  }
}
