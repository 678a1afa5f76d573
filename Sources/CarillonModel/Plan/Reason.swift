/// What becomes of an occurrence, and why: the first that applies, in this order.
public enum Reason: String, Hashable, Sendable, CaseIterable {
  /// The habit is deleted.
  case deleted
  /// The habit is archived.
  case archived
  /// A pause of the habit or of all covers the due date.
  case paused
  /// The due date is before the habit's start.
  case beforeStart
  /// The due date is after the habit's end.
  case afterEnd
  /// The due date is marked to be skipped, and not done.
  case skipped
  /// The habit is done on the due date, and the slot is silent then.
  case done
  /// Nobody used the app for longer than the slot allows.
  case inactive
  /// It has fired, or would have.
  case past
  /// It fires after the horizon's end.
  case beyondHorizon
  /// Sooner requests fill the capacity.
  case overCapacity
  /// A request of the plan stands for it.
  case planned
}

/// What keeps the occurrences of one slot silent: the one decision that planning and explaining
/// share.
struct Silence {
  let habit: Habit
  private let pauses: [Pause]
  private let days: [CivilDate: State.Day]
  private let isSilentWhenDone: Bool
  /// The last due date before the slot stops for want of activity.
  let lastActiveDue: CivilDate?

  init(habit: Habit, slot: Slot, state: State, pauses: [Pause], lastActive: CivilDate?) {
    self.habit = habit
    self.pauses = pauses
    days = state.days[habit.id] ?? [:]
    isSilentWhenDone = slot.unless.contains(.done)
    let limit = slot.inactivityDays
    lastActiveDue = limit > 0 ? lastActive?.adding(days: limit) : nil
  }

  /// Why the occurrences that are due on a date are silent, or nil.
  func reason(due: CivilDate) -> Reason? {
    if habit.isDeleted { return .deleted }
    if habit.isArchived { return .archived }
    if pauses.contains(where: { $0.covers(due, of: habit.id) }) { return .paused }
    if let start = habit.start, due < start { return .beforeStart }
    if let end = habit.end, due > end { return .afterEnd }
    if let day = days[due] {
      let isDone = day.isDone(habit)
      if day.mark == .skip && !isDone { return .skipped }
      if isDone && isSilentWhenDone { return .done }
    }
    if let lastActiveDue, due > lastActiveDue { return .inactive }
    return nil
  }

  /// Whether the habit is done on a date, whatever the slot makes of it.
  func isDone(on date: CivilDate) -> Bool { days[date]?.isDone(habit) ?? false }

  /// Whether single dates may be silent while those around them are not.
  var hasFacts: Bool { !pauses.isEmpty || days.values.contains { $0.mark == .skip } }
}

extension Slot {
  /// After how many days without activity the reminders stop; 0 is never.
  var inactivityDays: Int { stopAfterDays ?? (unless.isEmpty ? 0 : 7) }
}
