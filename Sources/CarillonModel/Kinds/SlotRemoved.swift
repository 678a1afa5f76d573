/// Removes a slot.
///
/// The same register as `slot.set`.
public struct SlotRemoved: Hashable, Sendable {
  /// The slot's habit.
  public var habit: HabitID
  /// The slot that goes.
  public var slot: SlotID

  /// Makes a value of its parts.
  public init(habit: HabitID, slot: SlotID) {
    self.habit = habit
    self.slot = slot
  }
}

extension SlotRemoved: EventContent {
  package static let kind = Payload.Kind.slotRemoved
  package static let name = "slot.removed"
  package static let isAppendable = true
  package static let merge = MergeRule.register
  package static let blank = SlotRemoved(habit: .zero, slot: .zero)

  package var payload: Payload { .slotRemoved(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "habit", &habit)
    try visitor.required(2, "slot", &slot)
  }

  package var erasureSubject: ErasureSubject { .habit(habit) }

  package func summary(_ words: some SummaryWords) -> String {
    words.title(of: habit)
  }
}
