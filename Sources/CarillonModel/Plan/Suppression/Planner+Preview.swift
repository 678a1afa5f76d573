extension Planner {
  /// Returns the next reminders that a schedule would have on this device, the soonest first.
  ///
  /// Only what the schedule and the settings say counts: the device fires the reminders, the
  /// schedule does not stop because of inactivity, and nothing is recorded for its habit.
  ///
  /// - Parameter count: The number of reminders. There are fewer if the schedule ends before, has
  ///   fewer in 4,096 days, or has thousands that quiet hours drop; none for a place and after an
  ///   entry.
  /// - Complexity: O(occurrences within the first of 8, 64, 512 and 4,096 days that have enough).
  package func preview(
    of schedule: Schedule, count: Int
  ) -> [(fireAt: Instant, nominal: CivilDateTime)] {
    let habit = Habit(id: .zero, title: "", schedules: [schedule])
    let today = calendar.dateTime(at: now).date
    var firings: [(fireAt: Instant, nominal: CivilDateTime)] = []
    for days in Self.previewDays {
      let end = today.adding(days: days)
      let plan = habitPlan(habit, frame(around: today...end))
      let next = Instant(milliseconds: now.milliseconds + 1)
      let occurrences = plan.schedules.flatMap { schedule in
        schedule.occurrences(from: next, before: calendar.firstInstant(of: end))
          .map { plan.placed($0, schedule).placement }
      }
      firings = occurrences.filter { $0.reason == nil || $0.reason == .inactive }
        .map { ($0.fireAt, $0.firing.localNominal) }
      if firings.count >= count || occurrences.count > Self.manyOccurrences { break }
    }
    return Array(firings.sorted { $0.fireAt < $1.fireAt }.prefix(count))
  }

  /// The numbers of days in which a preview searches, one after the other.
  private static let previewDays = [8, 64, 512, 4_096]
  /// The number of occurrences above which a preview does not search further.
  private static let manyOccurrences = 5_000
}
