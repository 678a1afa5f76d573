/// The input for merging a plan: the schedules of all habits, and what has no timetable.
struct PlannedHabits {
  private let frame: PlanFrame
  /// One plan for each schedule with times, and one for each repeat of a relative schedule.
  private(set) var schedules: [SchedulePlan] = []
  /// The schedules whose plans are made when they are needed.
  var plain: [PlainSchedule] = []
  /// The habits whose occurrences snoozes or quiet hours may move.
  private(set) var moving: [HabitPlan] = []
  /// The requests for places that may fire today, with their habits.
  private(set) var places: [(request: NotificationRequest, habit: Habit)] = []
  /// The schedules that cannot be planned.
  private(set) var problems: [PlanProblem] = []
  /// The earliest instant at which a time may become a repeating request that is not one now.
  private(set) var nextRepeat: Instant?

  init(frame: PlanFrame) {
    self.frame = frame
  }

  /// Adds a habit.
  ///
  /// If another device delivers the habit's notifications, adds only its problems.
  mutating func append(_ facts: HabitFacts, snoozes: [Snooze], isOwned: Bool) {
    let first = schedules.count
    for index in facts.habit.schedules.indices {
      let count = schedules.count
      frame.append(schedule: index, of: facts, to: &schedules)
      if schedules.count == count { appendRest(index, facts, isOwned: isOwned) }
    }
    guard isOwned else {
      schedules.removeLast(schedules.count - first)
      return
    }
    if frame.hours != nil || !snoozes.isEmpty {
      moving.append(
        HabitPlan(facts, schedules: Array(schedules[first...]), snoozes: snoozes, frame: frame))
    } else {
      for index in first..<schedules.count { schedules[index].complete() }
    }
    for index in first..<schedules.count {
      guard case .some(let chosen) = schedules[index].repeats, let after = chosen.after else {
        continue
      }
      nextRepeat = min(nextRepeat ?? after, after)
    }
  }

  /// Adds what a schedule without a timetable contributes: a place, a problem, or nothing.
  private mutating func appendRest(_ index: Int, _ facts: HabitFacts, isOwned: Bool) {
    let schedule = facts.habit.schedules[index]
    let problem = PlanProblem(habit: facts.habit.id, schedule: schedule) { [frame] zone in
      frame.zones.range(of: zone) != nil
    }
    if let problem {
      problems.append(problem)
    } else if isOwned, case .place(let place) = schedule.rule,
      let range = frame.zones.range(of: schedule.zone),
      Suppression(facts, schedule: index, lastActive: frame.lastActive)
        .reason(due: range.today, at: nil) == nil
    {
      let request = NotificationRequest(place, of: schedule, facts.habit, on: range.today)
      places.append((request, facts.habit))
    }
  }
}
