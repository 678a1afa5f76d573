/// What happens to one occurrence, and why.
public struct Explanation: Hashable, Sendable {
  /// The occurrence's schedule.
  public let schedule: ScheduleID
  /// The civil date and time of the occurrence.
  ///
  /// For an interval, as the clock in the schedule's zone shows it. For a place, the first minute
  /// of the date.
  public let nominal: CivilDateTime
  /// The date used to look up completions, skips and pauses.
  package let due: CivilDate
  /// The first reason that applies.
  public let reason: Explanation.Reason
  /// The ID of the request that represents the occurrence if it is planned, otherwise the ID that
  /// its own request would have.
  public let id: RequestID
  /// The instant at which the occurrence fires or would fire, after snoozes, quiet hours and
  /// digests; for a past occurrence, the instant of its recorded delivery.
  ///
  /// Nil for a place, and for a past occurrence without a recorded delivery.
  public let fireAt: Instant?
  /// The values behind the reason.
  package let detail: Detail
  /// Whether the time of the occurrence has passed.
  package let isPast: Bool
  /// The recorded delivery before a snooze delivered the occurrence again, or will; else nil.
  package var earlier: Delivery?
  /// The end of a snooze of a delivered occurrence that no device recorded to have fired, or nil.
  package var unrecordedSnooze: Instant?
  /// `done` or `skipped` if that is recorded for the due date of a delivered occurrence, else nil.
  package var dateReason: Reason?
}

extension Planner {
  /// Explains why each occurrence of a habit that is due on a date is planned or not.
  ///
  /// Sorted by the instant at which the occurrence fires; places come last.
  ///
  /// The result leaves out unknown habits, schedules without times, schedules listed in the plan's
  /// problems, times on a date that the zone skips, and places on any date except today.
  ///
  /// - Parameters:
  ///   - plan: The plan that this planner returns, if the caller already has it.
  ///   - history: What was recorded for the habit, and when. Without it, the quota of a past
  ///     occurrence is counted by what is known now.
  ///   - includingMoved: Whether to add the occurrences of other due dates that fire on the date:
  ///     quiet hours, a snooze, an offset or another zone moves them there.
  package func explain(
    _ habit: HabitID, on date: CivilDate, in plan: NotificationPlan? = nil,
    by history: HabitHistory? = nil, includingMoved: Bool = false
  ) -> [Explanation] {
    guard let habit = state.habits[habit] else { return [] }
    let frame = frame(around: date)
    let election = DeviceElection(
      state: state, device: device, staleHours: settings.store.staleHours, now: now)
    let context = ExplainContext(
      election: election, planned: PlannedRequests(plan ?? self.plan()), history: history)
    let habitPlan = habitPlan(habit, frame)
    let others = includingMoved ? moved(of: habit, to: date, context) : []
    let timed = explain(habitPlan, dueOn: date, context) + others
    return timed.sorted { ($0.fireAt, $0.explained.id) < ($1.fireAt, $1.explained.id) }
      .map(\.explained) + places(of: habitPlan, on: date, frame, context)
  }

  /// An explanation, with the instant at which the occurrence fires or would fire.
  private typealias TimedExplanation = (fireAt: Instant, fires: Bool, explained: Explanation)

  private func explain(
    _ plan: HabitPlan, dueOn date: CivilDate, _ context: ExplainContext
  ) -> [TimedExplanation] {
    plan.placements(dueOn: date).map { occurrence, placement, schedule in
      (placement.fireAt, placement.fires, explain(occurrence, placement, schedule, context))
    }
  }

  /// Explains the occurrences of a habit that are due on another date and fire on this one.
  ///
  /// A past one is left out if no device recorded when it fired.
  private func moved(
    of habit: Habit, to date: CivilDate, _ context: ExplainContext
  ) -> [TimedExplanation] {
    let dates = dueDates(of: habit, firingOn: date...date).subtracting([date])
    return dates.flatMap { due in
      explain(habitPlan(habit, frame(around: due)), dueOn: due, context)
    }.filter { one in
      guard one.fires, let fireAt = one.explained.fireAt else { return false }
      return calendar.logicalDate(at: fireAt, dayStart: settings.dayStart) == date
    }
  }

  /// Returns when the next occurrence of a habit that is due on a date fires, or nil if none does.
  package func nextFiring(of habit: HabitID, dueOn date: CivilDate) -> Instant? {
    guard let habit = state.habits[habit] else { return nil }
    return habitPlan(habit, frame(around: date)).placements(dueOn: date).lazy
      .filter { _, placement, _ in placement.reason == nil && placement.fireAt > now }
      .map { _, placement, _ in placement.fireAt }.min()
  }

  /// Returns a frame with all occurrences that are due on a date.
  func frame(around date: CivilDate) -> PlanFrame {
    let around = CivilDate(rawValue: date.rawValue.clamped(to: -100_000...813_000))
    let middle = calendar.firstInstant(of: around)
    return frame(from: middle.adding(seconds: -259_200), to: middle.adding(seconds: 345_600))
  }

  private struct ExplainContext {
    let election: DeviceElection
    let planned: PlannedRequests
    let history: HabitHistory?
  }

  /// Explains an occurrence.
  ///
  /// A past occurrence is explained by what was recorded: its delivery, or the facts of its due
  /// date. The present settings and devices say nothing about it.
  private func explain(
    _ occurrence: Occurrence, _ placement: Placement, _ schedule: SchedulePlan,
    _ context: ExplainContext
  ) -> Explanation {
    let isOver = placement.fireAt <= now
    let isSnoozed = placement.firing.isSnoozed
    let revisions =
      [placement.firing.revision] + (isOver || isSnoozed ? [occurrence.revision] : [])
    let again = delivery(of: occurrence, schedule, in: [placement.firing.revision])
    let first = isSnoozed ? delivery(of: occurrence, schedule, in: [occurrence.revision]) : nil
    let known = delivery(of: occurrence, schedule, in: revisions)
    if let delivery = again ?? known, isOver || placement.reason != nil {
      var explanation = explanation(
        of: occurrence, placement, schedule, .delivered, .delivery(delivery), at: delivery.at,
        isPast: true)
      if again != nil { explanation.earlier = first }
      if isSnoozed, again == nil, placement.fires {
        explanation.unrecordedSnooze = placement.firing.fireAt
      }
      explanation.dateReason = dateReason(occurrence.due, schedule.suppression.facts)
      return explanation
    }
    let facts = placement.reason.map {
      schedule.suppression.detail(of: $0, due: occurrence.due, at: placement.firing.fireAt)
    }
    if isOver {
      var reason = placement.reason.flatMap { $0.isOfDate ? $0 : nil }
      var facts = facts
      if reason == .quotaMet, let history = context.history {
        let suppression = schedule.suppression
        facts = suppression.quota(due: occurrence.due, at: placement.fireAt, by: history)
        if facts == nil { reason = nil }
      }
      let refusal = refusal(of: occurrence, schedule, in: revisions, at: placement.fireAt)
      return explanation(
        of: occurrence, placement, schedule, reason ?? .past,
        reason == nil
          ? refusal.map { .notDelivered(by: $0) } ?? .none : facts ?? Explanation.Detail.none,
        at: nil, isPast: true)
    }
    if let reason = placement.reason {
      let detail =
        reason == .quietHours ? quietHours(placement, schedule) : facts ?? Explanation.Detail.none
      return explanation(
        of: occurrence, placement, schedule, reason, detail, at: placement.fireAt)
    }
    var explanation = explainComing(occurrence, placement, schedule, context)
    explanation.earlier = known
    return explanation
  }

  /// Returns what the person recorded for a date: `done` or `skipped`, or nil.
  private func dateReason(_ due: CivilDate, _ facts: HabitFacts) -> Explanation.Reason? {
    if state.isDone(facts.habit, on: due) { return .done }
    return facts.days[due]?.mark == .skip ? .skipped : nil
  }

  /// Explains an occurrence that nothing suppresses and whose time has not come.
  private func explainComing(
    _ occurrence: Occurrence, _ placement: Placement, _ schedule: SchedulePlan,
    _ context: ExplainContext
  ) -> Explanation {
    if let (reason, detail) = elsewhere(schedule.habit, context) {
      return explanation(
        of: occurrence, placement, schedule, reason, detail, at: placement.fireAt)
    }
    let planned = context.planned
    if let request = planned.request(
      of: placement.firing, repeating: schedule.trigger(occurrence))
    {
      // A digest fires with its first member. A repeating request fires at each of its occurrences.
      let moved = request.repeats ? nil : request.fireAt
      return explanation(
        of: occurrence, placement, schedule, .planned,
        movement(of: placement, in: request),
        at: moved ?? placement.fireAt, id: request.id)
    }
    let isFar = placement.fireAt >= horizonEnd
    return explanation(
      of: occurrence, placement, schedule, isFar ? .beyondHorizon : .overCapacity,
      isFar ? .coverage(until: horizonEnd) : planned.leftOut(schedule.schedule.id),
      at: placement.fireAt)
  }

  /// Returns what moves an occurrence last, or nothing if it fires at its own time.
  private func movement(
    of placement: Placement, in request: NotificationRequest
  ) -> Explanation.Detail {
    if request.id.kind == .digest { return .moved(by: .digest) }
    if placement.fireAt != placement.firing.fireAt { return .moved(by: .quietHours) }
    return placement.firing.isSnoozed ? .moved(by: .snooze) : .none
  }

  private func explanation(
    of occurrence: Occurrence, _ placement: Placement, _ schedule: SchedulePlan,
    _ reason: Explanation.Reason, _ detail: Explanation.Detail, at fireAt: Instant?,
    id: RequestID? = nil, isPast: Bool = false
  ) -> Explanation {
    Explanation(
      schedule: schedule.schedule.id, nominal: placement.firing.localNominal, due: occurrence.due,
      reason: reason, id: id ?? placement.firing.id, fireAt: fireAt, detail: detail,
      isPast: isPast)
  }

  /// Returns the reason why this device does not deliver a habit's notifications, or nil if it
  /// does.
  private func elsewhere(
    _ habit: Habit, _ context: ExplainContext
  ) -> (Explanation.Reason, Explanation.Detail)? {
    guard !context.election.owns(habit.owner) else { return nil }
    guard let other = context.election.deliverer(habit.owner) else {
      return (.noDevice, .owner(habit.owner))
    }
    return (.otherDevice, .device(other))
  }

  /// Returns the end of the quiet hours that move an occurrence, or nil if it is dropped.
  private func quietHours(
    _ placement: Placement, _ schedule: SchedulePlan
  ) -> Explanation.Detail {
    let firing = placement.firing
    let effect = schedule.frame.quietEffect(
      at: firing.fireAt, schedule.quietPolicy, isSnoozed: firing.isSnoozed)
    if case .deferred(let until) = effect { return .quietHours(until: until) }
    return .quietHours(until: nil)
  }

  private func places(
    of plan: HabitPlan, on date: CivilDate, _ frame: PlanFrame, _ context: ExplainContext
  ) -> [Explanation] {
    let habit = plan.facts.habit
    return habit.schedules.indices.compactMap { index in
      let schedule = habit.schedules[index]
      guard case .place(let place) = schedule.rule,
        let range = frame.zones.range(of: schedule.zone),
        range.today == date
      else { return nil }
      let id = RequestID(habit: habit.id, schedule: schedule.id, trigger: .place(place))
      let suppression = Suppression(plan.facts, schedule: index, lastActive: frame.lastActive)
      let (reason, detail): (Explanation.Reason, Explanation.Detail) =
        if let reason = suppression.reason(due: date, at: nil) {
          (reason, suppression.detail(of: reason, due: date, at: nil))
        } else if let found = elsewhere(habit, context) {
          found
        } else if context.planned.contains(id) {
          (.planned, .none)
        } else {
          (.overCapacity, context.planned.leftOut(schedule.id))
        }
      return Explanation(
        schedule: schedule.id, nominal: CivilDateTime(date: date, time: .midnight), due: date,
        reason: reason, id: id, fireAt: nil, detail: detail, isPast: false)
    }.sorted { $0.id < $1.id }
  }
}

extension HabitPlan {
  /// Returns the occurrences that are due on a date, with when and how each fires.
  func placements(
    dueOn date: CivilDate
  ) -> [(Occurrence, Placement, SchedulePlan)] {
    schedules.flatMap { schedule in
      schedule.timetable.occurrences(dueOn: date).map { occurrence in
        (occurrence, placement(of: occurrence, schedule), schedule)
      }
    }
  }
}

extension Explanation.Reason {
  /// Whether the reason lets the occurrence fire, on this device or on another one.
  package var fires: Bool { [.planned, .beyondHorizon, .otherDevice].contains(self) }

  /// Whether the reason follows from what the person recorded for the due date.
  var isOfDate: Bool {
    switch self {
    case .paused, .beforeStart, .afterEnd, .skipped, .done, .quotaMet, .anyEntry: true
    default: false
    }
  }
}

/// The requests of a plan, looked up by ID and by digest member.
private struct PlannedRequests {
  private let byID: [RequestID: NotificationRequest]
  private let byMember: [OccurrenceID: NotificationRequest]
  private let plan: NotificationPlan

  init(_ plan: NotificationPlan) {
    self.plan = plan
    byID = Dictionary(plan.requests.map { ($0.id, $0) }) { first, _ in first }
    let digests = plan.requests.filter { $0.id.kind == .digest }
    byMember = Dictionary(
      digests.flatMap { digest in
        digest.occurrences.map { ($0, digest) }
      }
    ) { first, _ in first }
  }

  func contains(_ id: RequestID) -> Bool { byID[id] != nil }

  /// Returns since when a schedule does not fit.
  func leftOut(_ schedule: ScheduleID) -> Explanation.Detail {
    .overCapacity(
      until: plan.coverageUntil, since: plan.leftOut.first { $0.schedule == schedule }?.since)
  }

  /// Returns the request that represents an occurrence.
  func request(of firing: Firing, repeating trigger: RequestTrigger.Shape?) -> NotificationRequest?
  {
    if let own = byID[firing.id] ?? byMember[firing.occurrenceID] { return own }
    return trigger.flatMap {
      byID[
        RequestID(
          habit: firing.schedule.habit.id, schedule: firing.schedule.schedule.id, trigger: $0)]
    }
  }
}

extension Int32 {
  fileprivate func clamped(to range: ClosedRange<Int32>) -> Int32 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
