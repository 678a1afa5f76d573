/// An occurrence that the person can snooze.
package struct SnoozableOccurrence: Hashable, Sendable {
  /// The habit.
  package let habit: HabitID
  /// The habit's schedule.
  package let schedule: ScheduleID
  /// The civil date and time that identify the occurrence.
  ///
  /// For an interval, these are in UTC.
  package let nominal: CivilDateTime
  /// The number of the repeat in a ``Schedule/Relative`` schedule, otherwise 0.
  package let number: Int
  /// The instant at which the occurrence fires unless something moves it.
  package let instant: Instant
  /// The instant of the schedule's next occurrence, suppressed or not.
  ///
  /// A snooze that ends then or later has no effect.
  package let next: Instant?
}

extension Planner {
  /// Returns the occurrence of a habit that a snooze applies to: the one that fired last within 24
  /// hours and whose date is not done.
  ///
  /// If several fired at that instant, it is the one with the lowest ID.
  ///
  /// - Parameters:
  ///   - habit: The habit.
  ///   - schedules: The instant at which each schedule was last set. Before that instant none of
  ///     its occurrences fired. A schedule that is missing here always existed.
  /// - Returns: The occurrence, or nil if there is none.
  package func snoozable(
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

  /// Returns the number for the badge on the app's icon: the occurrences due today that have
  /// already fired, or would have, and are not done.
  ///
  /// A suppressed occurrence does not count, unless it is suppressed because it was delivered.
  /// Several occurrences that quiet hours defer to one notification count once. All devices return
  /// the same number.
  ///
  /// - Complexity: O(occurrences of today).
  package func badge() -> Int {
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
