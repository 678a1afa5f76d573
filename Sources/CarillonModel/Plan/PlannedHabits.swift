/// What a plan is merged from: the schedules of all habits, and what is beside their times.
struct PlannedHabits {
  private let frame: PlanFrame
  /// One for each schedule of times, and for each repeat of a relative schedule.
  var schedules: [SchedulePlan] = []
  /// The habits of which snoozes or quiet hours may move something.
  private(set) var moving: [HabitPlan] = []
  /// The requests of places that may fire today.
  private(set) var places: [Request] = []
  /// The schedules that cannot be planned.
  private(set) var problems: [PlanProblem] = []
  /// When a time may become a repeating request that is none now.
  private(set) var nextRepeat: Instant?

  init(frame: PlanFrame) {
    self.frame = frame
  }

  /// Adds a habit; of one that another device reminds of only what stands in the way.
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

  /// What a schedule without a timetable comes to: a place, a problem, or nothing.
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
      places.append(Request(place, of: schedule, facts.habit, on: range.today))
    }
  }
}
