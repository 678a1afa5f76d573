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

/// An occurrence that rang, on whichever device, or was silent since its date was done.
package struct FiredOccurrence: Sendable {
  package let slot: SlotID
  /// The date for which it counts.
  package let due: CivilDate
  /// When it rang, or would have; after snoozes and quiet hours.
  package let fireAt: Instant
}

extension Planner {
  /// The occurrences of a habit that rang behind a moment and by now, those that were silent since
  /// their date was done among them; by the moment.
  ///
  /// - Complexity: O(occurrences since a day before the moment).
  package func fired(_ habit: HabitID, after start: Instant) -> [FiredOccurrence] {
    guard let habit = state.habits[habit] else { return [] }
    // Quiet hours put off what comes before by less than a day.
    let first = start.adding(seconds: -86_400)
    let plan = habitPlan(habit, frame(from: first, to: horizonEnd))
    let all = plan.slots.flatMap { slot in
      slot.all(from: first, to: now).compactMap { occurrence -> FiredOccurrence? in
        let placement = plan.placement(of: occurrence, slot)
        guard placement.rings || placement.reason == .done else { return nil }
        return FiredOccurrence(
          slot: slot.slot.id, due: occurrence.due, fireAt: placement.fireAt)
      }
    }
    return all.filter { $0.fireAt > start && $0.fireAt <= now }.sorted { $0.fireAt < $1.fireAt }
  }

  /// The occurrence of a habit that a snooze means: the latest of the last 24 hours, now included,
  /// that nothing silences except having been shown; of equals the one of the least id.
  ///
  /// - Returns: Nil where there is none.
  public func snoozable(_ habit: HabitID) -> SnoozableOccurrence? {
    guard let habit = state.habits[habit] else { return nil }
    let plan = habitPlan(habit, frame(from: now, to: horizonEnd))
    let start = now.adding(seconds: -86_400)
    let rings = plan.slots.flatMap { slot in slot.all(from: start, to: now).map { ($0, slot) } }
      .filter { occurrence, slot in
        plan.placement(of: occurrence, slot).rings
      }
    let latest = rings.max { left, right in
      left.0.instant == right.0.instant
        ? Ring(right.0, of: right.1).id < Ring(left.0, of: left.1).id
        : left.0.instant < right.0.instant
    }
    return latest.map { occurrence, slot in
      let own = plan.slots.filter { $0.index == slot.index }
      return SnoozableOccurrence(
        habit: habit.id, slot: slot.slot.id, nominal: occurrence.identity,
        number: occurrence.number, instant: occurrence.instant,
        next: slot.next(after: occurrence, among: own)?.instant)
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

extension SlotPlan {
  /// All occurrences from an instant to another one, both included.
  fileprivate func all(from start: Instant, to end: Instant) -> [Occurrence] {
    var found: [Occurrence] = []
    var next = timetable.first(from: start)
    while let occurrence = next, occurrence.instant <= end {
      found.append(occurrence)
      next = timetable.next(after: occurrence)
    }
    return found
  }
}
