/// What a plan is merged from: the slots of all habits, and what is beside their times.
struct PlannedHabits {
  private let frame: PlanFrame
  /// One for each slot of times, and for each repeat of a relative slot.
  var slots: [SlotPlan] = []
  /// The habits of which snoozes or quiet hours may move something.
  private(set) var moving: [HabitPlan] = []
  /// The requests of places that may ring today.
  private(set) var places: [Request] = []
  /// The slots that cannot be planned.
  private(set) var problems: [PlanProblem] = []
  /// When a time may become a repeating request that is none now.
  private(set) var nextRepeat: Instant?

  init(frame: PlanFrame) {
    self.frame = frame
  }

  /// Adds a habit; of one that another device reminds of only what stands in the way.
  mutating func append(_ facts: HabitFacts, snoozes: [Snooze], isOwned: Bool) {
    let first = slots.count
    for index in facts.habit.slots.indices {
      let count = slots.count
      frame.append(slot: index, of: facts, to: &slots)
      if slots.count == count { appendRest(index, facts, isOwned: isOwned) }
    }
    guard isOwned else {
      slots.removeLast(slots.count - first)
      return
    }
    if frame.hours != nil || !snoozes.isEmpty {
      moving.append(
        HabitPlan(facts, slots: Array(slots[first...]), snoozes: snoozes, frame: frame))
    } else {
      for index in first..<slots.count { slots[index].complete() }
    }
    for index in first..<slots.count {
      guard case .some(let chosen) = slots[index].repeats, let after = chosen.after else {
        continue
      }
      nextRepeat = min(nextRepeat ?? after, after)
    }
  }

  /// What a slot without a timetable comes to: a place, a problem, or nothing.
  private mutating func appendRest(_ index: Int, _ facts: HabitFacts, isOwned: Bool) {
    let slot = facts.habit.slots[index]
    let problem = PlanProblem(habit: facts.habit.id, slot: slot) { [frame] zone in
      frame.zones.span(of: zone) != nil
    }
    if let problem {
      problems.append(problem)
    } else if isOwned, case .place(let place) = slot.rule,
      let span = frame.zones.span(of: slot.zone),
      Silence(facts, slot: index, lastActive: frame.lastActive)
        .reason(due: span.today, at: nil) == nil
    {
      places.append(Request(place, of: slot, facts.habit, on: span.today))
    }
  }
}
