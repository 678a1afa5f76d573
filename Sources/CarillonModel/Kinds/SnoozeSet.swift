/// An event that snoozes an occurrence, or cancels its snooze.
///
/// An LWW register per (habit, schedule, nominal date and time, number).
public struct SnoozeSet: Hashable, Sendable {
  /// The schedule's habit.
  public var habit: HabitID
  /// The occurrence, and until when it is snoozed.
  public var snooze: Snooze

  /// Creates a value from its parts.
  package init(habit: HabitID, snooze: Snooze) {
    self.habit = habit
    self.snooze = snooze
  }
}

extension SnoozeSet: EventContent {
  package static let kind = Payload.Kind.snoozeSet
  package static let name = "snooze.set"
  package static let merge = MergeRule.lwwRegister
  package static let blank = SnoozeSet(
    habit: .zero, snooze: Snooze(schedule: .zero, nominal: .zero, until: nil))

  package var payload: Payload { .snoozeSet(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.required(2, "schedule", &snooze.schedule)
    try snooze.nominal.visitFields(3, 4, &visitor)
    try visitor.defaulted(5, "number", &snooze.number, 0, 0...Int64(Schedule.Relative.maxRepeats))
    try visitor.optional(6, "until", &snooze.until)
    try visitor.defaulted(7, "ignoresQuietHours", &snooze.ignoresQuietHours, false)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    let nominal = words.local(snooze.nominal, of: snooze.schedule)
    let occurrence = "\(words.title(of: habit)) \(nominal)"
    return snooze.until.map { "\(occurrence) until \(words.text($0))" } ?? "\(occurrence) canceled"
  }
}
