extension Planner {
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
