/// A habit with what is known of its dates.
///
/// A class, since all slots of the habit share it.
final class HabitFacts {
  let habit: Habit
  fileprivate let pauses: [Pause]
  fileprivate let days: [CivilDate: State.Day]
  /// Whether single dates may be silent while those around them are not.
  let silenceSingleDates: Bool
  /// What was shown on any device.
  fileprivate let shown: ShownOccurrences

  init(_ habit: Habit, state: borrowing State, pauses: PauseIndex, now: Instant) {
    self.pauses = pauses[habit.id]
    shown = ShownOccurrences(state.receipts[habit.id] ?? [], on: state.devices, now: now)
    days = state.days[habit.id] ?? [:]
    silenceSingleDates = !self.pauses.isEmpty || days.values.contains { $0.mark == .skip }
    self.habit = habit
  }
}

/// What keeps the occurrences of one slot silent: the one decision that planning and explaining
/// share.
struct Silence {
  let facts: HabitFacts
  private let slot: SlotID
  private let isSilentWhenDone: Bool
  /// Whether the slot rings whatever was done or not.
  let isUnconditional: Bool
  /// The last due date before the slot stops for want of activity.
  let lastActiveDue: CivilDate?

  init(_ facts: HabitFacts, slot: Slot, lastActive: CivilDate?) {
    self.facts = facts
    self.slot = slot.id
    isSilentWhenDone = slot.unless.contains(.done)
    let limit = slot.inactivityDays
    isUnconditional = slot.unless.isEmpty && limit == 0
    lastActiveDue = limit > 0 ? lastActive?.adding(days: limit) : nil
  }

  /// The occurrences of the slot that were shown.
  var shown: Set<CivilDateTime> { facts.shown[slot] }

  /// Why an occurrence that is due on a date is silent, or nil.
  func reason(_ nominal: CivilDateTime, due: CivilDate) -> Reason? {
    reason(due: due) ?? (shown.contains(nominal) ? .shown : nil)
  }

  /// Why the occurrences that are due on a date are silent, whatever was shown, or nil.
  private func reason(due: CivilDate) -> Reason? {
    let habit = facts.habit
    if habit.isDeleted { return .deleted }
    if habit.isArchived { return .archived }
    if facts.pauses.contains(where: { $0.covers(due, of: habit.id) }) { return .paused }
    if let start = habit.start, due < start { return .beforeStart }
    if let end = habit.end, due > end { return .afterEnd }
    if let day = facts.days[due] {
      let isDone = day.isDone(habit)
      if day.mark == .skip && !isDone { return .skipped }
      if isDone && isSilentWhenDone { return .done }
    }
    if let lastActiveDue, due > lastActiveDue { return .inactive }
    return nil
  }
}

extension Slot {
  /// After how many days without activity the reminders stop; 0 is never.
  ///
  /// Where the slot does not say: 7 with a condition, else never.
  public var inactivityDays: Int { stopAfterDays ?? (unless.isEmpty ? 0 : 7) }
}
