public import CarillonModel

/// A habit that was added, and the events that add it.
public struct AddedHabit: Hashable, Sendable {
  /// The habit's ID.
  public let id: HabitID
  /// The IDs of its schedules, in the order given.
  public let schedules: [ScheduleID]
  /// What was written.
  public let written: Written
}
