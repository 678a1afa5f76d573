/// An occurrence that the person may put off.
public struct SnoozableOccurrence: Hashable, Sendable {
  /// The habit.
  public let habit: HabitID
  /// Its schedule.
  public let schedule: ScheduleID
  /// The civil date and time by which it is named; of an interval those of UTC.
  public let nominal: CivilDateTime
  /// The number of the repeat, of a ``Relative`` schedule; else 0.
  public let number: Int
  /// When it fired, or was to fire, unless something moved it.
  public let instant: Instant
  /// When the schedule's next occurrence falls, silent or not: a snooze until then or later is as
  /// if never set.
  public let next: Instant?
}

extension Planner {
  /// The occurrence of a habit that a snooze means: the one that fired last within 24 hours and
  /// whose date is not done; of equals the one of the least id.
  ///
  /// - Parameters:
  ///   - habit: The habit.
  ///   - schedules: When each schedule was set as it is: nothing fired before. A schedule that is
  ///     left out always existed.
  /// - Returns: Nil where there is none.
  public func snoozable(
    _ habit: HabitID, schedules: [ScheduleID: Instant] = [:]
  ) -> SnoozableOccurrence? {
    let start = now.adding(seconds: -86_400)
    let last = fired(habit, since: start, schedules: schedules).last { !$0.isDone }
    return last.map { fired in
      let (occurrence, schedule) = (fired.occurrence, fired.schedule)
      return SnoozableOccurrence(
        habit: habit, schedule: schedule.schedule.id, nominal: occurrence.identity,
        number: occurrence.number, instant: occurrence.instant,
        next: schedule.next(after: occurrence, among: fired.siblings)?.instant)
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
        + plan.schedules.reduce(0) { count, schedule in
          count
            + schedule.timetable.occurrences(dueOn: today).count { occurrence in
              let placement = plan.placement(of: occurrence, schedule)
              return placement.fires && placement.fireAt <= now
            }
        }
    }
  }
}
