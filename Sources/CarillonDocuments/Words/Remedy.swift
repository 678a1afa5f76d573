package import CarillonModel

/// What a person can do about something that a document says.
package enum Remedy: Hashable, Sendable {
  /// Adds a first habit.
  case addHabit
  /// Adds a reminder with a time to a habit.
  case addReminder(Habit)
  /// Shows a habit with its schedules.
  case show(Habit)
  /// Restores a deleted habit.
  case restore(Habit)
  /// Shows an archived habit again.
  case unarchive(Habit)
  /// Ends the pauses of a habit, or of all habits.
  case resume(Habit?)
  /// Records that the app is used, which resumes reminders that stopped.
  case recordUse
  /// Records that the system allows notifications.
  case grantPermission
  /// Turns on the reminders of this device.
  case turnAlertsOn
  /// Plans again, and hands the plan to the system.
  case plan
  /// Takes a retired device into use again.
  case useAgain(ReplicaID, name: String)
  /// Closes the replicas that no longer write.
  case closeReplicas
  /// Lists what is damaged, and repairs it from another replica.
  case repair
  /// Gives a field the value that was lost.
  case takeBack(LostEdit)
}

/// An edit that lost to a concurrent one, with what names it.
package struct LostEdit: Hashable, Sendable {
  /// The edit.
  package let conflict: EditConflict
  /// The habit; nil for a setting.
  package let habit: Habit?
  /// Whether its title names the habit, also after the edit is taken back.
  package let isNamedByTitle: Bool
  /// The name of the lost event, such as `watch@7`.
  package let event: String
}

/// The terms in which words name what their reader can do.
///
/// The words themselves name no commands: only an edge knows what its reader can enter.
package struct Terms: Sendable {
  /// Returns how to carry out a remedy; nil if the words are to leave that out.
  let steps: @Sendable (Remedy) -> String?
  /// Returns the owner policy of habits, after `habits with`.
  let owner: @Sendable (Habit.Owner) -> String
  /// Returns the name of an event in the form in which it is entered; its ID if the name cannot be.
  let event: @Sendable (String, EventID) -> String

  /// The terms of a reader who enters nothing.
  package static let plain = Terms(
    steps: { _ in nil }, owner: { "the owner \($0.rawValue)" }, event: { name, _ in name })

  /// Creates terms.
  package init(
    steps: @escaping @Sendable (Remedy) -> String?,
    owner: @escaping @Sendable (Habit.Owner) -> String,
    event: @escaping @Sendable (String, EventID) -> String
  ) {
    (self.steps, self.owner, self.event) = (steps, owner, event)
  }

  /// Returns how to carry out a remedy, after the words that lead to it, as in `; to resume: ...`;
  /// an empty text if the reader has no terms for it.
  package func callAsFunction(_ words: String, _ remedy: Remedy) -> String {
    steps(remedy).map { "\(words): \($0)" } ?? ""
  }
}
