/// An occurrence that the person may put off.
public struct SnoozableOccurrence: Hashable, Sendable {
  /// The habit.
  public let habit: HabitID
  /// Its slot.
  public let slot: SlotID
  /// The civil date and time by which it is named; of an interval those of UTC.
  public let nominal: CivilDateTime
  /// The number of the repeat, of a ``Relative`` slot; else 0.
  public let number: Int
  /// When it rang, or was to ring, unless something moved it.
  public let instant: Instant
  /// When the slot's next occurrence falls, silent or not: a snooze until then or later is as if
  /// never set.
  public let next: Instant?
}

extension Planner {
  /// The occurrence of a habit that a snooze means: the one that fired last within 24 hours and
  /// whose date is not done; of equals the one of the least id.
  ///
  /// - Parameters:
  ///   - habit: The habit.
  ///   - schedules: When each slot was set as it is: nothing fired before. A slot that is left out
  ///     always existed.
  /// - Returns: Nil where there is none.
  public func snoozable(
    _ habit: HabitID, schedules: [SlotID: Instant] = [:]
  ) -> SnoozableOccurrence? {
    let start = now.adding(seconds: -86_400)
    let last = fired(habit, since: start, schedules: schedules).last { !$0.isDone }
    return last.map { fired in
      let (occurrence, slot) = (fired.occurrence, fired.slot)
      return SnoozableOccurrence(
        habit: habit, slot: slot.slot.id, nominal: occurrence.identity,
        number: occurrence.number, instant: occurrence.instant,
        next: slot.next(after: occurrence, among: fired.siblings)?.instant)
    }
  }

  /// The number on the app's icon: the occurrences due today that have rung by now, or would have,
  /// and are not done.
  ///
  /// What is silent does not count, except for having been shown; several that quiet hours put off
  /// to one reminder count once. It is the same on all devices.
  ///
  /// - Complexity: O(occurrences of today).
  public func badge() -> Int {
    let frame = frame(from: now, to: horizonEnd)
    let today = frame.zones.own.today
    return state.habits.values.reduce(0) { count, habit in
      if habit.isDeleted || habit.isArchived || state.isDone(habit, on: today) { return count }
      let plan = habitPlan(habit, frame)
      return count
        + plan.slots.reduce(0) { count, slot in
          count
            + slot.timetable.occurrences(dueOn: today).count { occurrence in
              let placement = plan.placement(of: occurrence, slot)
              return placement.rings && placement.fireAt <= now
            }
        }
    }
  }
}
