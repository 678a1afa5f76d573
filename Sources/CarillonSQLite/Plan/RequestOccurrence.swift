package import CarillonModel

/// The occurrence that a request id stands for.
package struct RequestOccurrence: Hashable, Sendable {
  /// The request id.
  package let request: String
  /// The habit that it reminds of.
  package let habit: HabitID
  /// The slot whose rule and time it comes from.
  package let slot: SlotID
  /// The civil date and time by which the occurrence is named.
  package let nominal: CivilDateTime
  /// When it fires, or fired.
  package let fireAt: Instant

  /// Makes a value of its parts.
  package init(
    request: String, habit: HabitID, slot: SlotID, nominal: CivilDateTime, fireAt: Instant
  ) {
    self.request = request
    self.habit = habit
    self.slot = slot
    self.nominal = nominal
    self.fireAt = fireAt
  }

  /// The occurrence as a receipt names it.
  package var subject: ReceiptSubject {
    .occurrence(habit: habit, slot: slot, nominal: nominal)
  }
}
