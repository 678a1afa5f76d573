/// Explains the occurrences of habits by a plan.
///
/// What all explanations share is prepared once.
package final class Explainer {
  let planner: Planner
  private let planned: PlannedRequests
  private let election: DeviceElection
  private var frames: [ClosedRange<CivilDate>: PlanFrame] = [:]

  /// All habits, including archived and deleted ones.
  package var habits: [HabitID: Habit] { planner.state.habits }

  /// - Parameter plan: The plan that the planner returns.
  package init(_ planner: Planner, _ plan: NotificationPlan) {
    self.planner = planner
    planned = PlannedRequests(plan)
    election = planner.election
  }

  /// Explains why each occurrence of a habit that is due on a date is planned or not.
  ///
  /// Sorted by the instant at which the occurrence fires, then by its own time; places come last.
  ///
  /// The result leaves out unknown habits, schedules without times, schedules listed in the plan's
  /// problems, times on a date that the zone skips, and places on any date except today.
  ///
  /// - Parameters:
  ///   - history: What was recorded for the habit, and when. Without it, the quota of a past
  ///     occurrence is counted by what is known now.
  ///   - includingMoved: Whether to add the occurrences of other due dates that fire on the date:
  ///     quiet hours, a snooze, an offset or another zone moves them there.
  package func explain(
    _ habit: HabitID, on date: CivilDate, by history: HabitHistory? = nil,
    includingMoved: Bool = false
  ) -> [Explanation] {
    guard let habit = planner.state.habits[habit] else { return [] }
    let frame = frame(around: date...date)
    let plan = planner.habitPlan(habit, frame)
    var timed = plan.placements(dueOn: date).map { explain($0, by: history) }
    if includingMoved { timed += moved(plan, to: date, by: history) }
    return timed.sorted { left, right in
      (left.fireAt, left.explained.nominal, left.explained.id)
        < (right.fireAt, right.explained.nominal, right.explained.id)
    }
    .map(\.explained) + places(of: plan, on: date, frame)
  }

  /// An explanation, with the instant at which the occurrence fires or would fire.
  private typealias TimedExplanation = (fireAt: Instant, explained: Explanation)

  private func explain(
    _ one: PlacedOccurrence, by history: HabitHistory?
  ) -> TimedExplanation {
    (one.placement.fireAt, explain(one.occurrence, one.placement, one.schedule, by: history))
  }

  /// Explains the occurrences of a habit that are due on another date and fire on this one.
  ///
  /// A past one is left out if no device recorded when it fired.
  private func moved(
    _ plan: HabitPlan, to date: CivilDate, by history: HabitHistory?
  ) -> [TimedExplanation] {
    plan.placements(around: date...date, planner.calendar).filter { $0.occurrence.due != date }
      .compactMap { one in
        let found = explain(one, by: history)
        guard one.placement.fires || found.explained.reason == .delivered,
          let fireAt = found.explained.fireAt
        else { return nil }
        let fired = planner.calendar.logicalDate(at: fireAt, dayStart: planner.settings.dayStart)
        return fired == date ? found : nil
      }
  }

  /// Returns the frame of ``Planner/frame(around:)``, which is prepared once.
  func frame(around dates: ClosedRange<CivilDate>) -> PlanFrame {
    if let known = frames[dates] { return known }
    let frame = planner.frame(around: dates)
    frames[dates] = frame
    return frame
  }

  /// Explains an occurrence.
  ///
  /// A past occurrence is explained by what was recorded: its delivery, or the facts of its due
  /// date. The present settings and devices say nothing about it.
  func explain(
    _ occurrence: Occurrence, _ placement: Placement, _ schedule: SchedulePlan,
    by history: HabitHistory? = nil
  ) -> Explanation {
    let isOver = placement.fireAt <= planner.now
    let isSnoozed = placement.firing.isSnoozed
    let revisions =
      [placement.firing.revision] + (isOver || isSnoozed ? [occurrence.revision] : [])
    let again = planner.delivery(of: occurrence, schedule, in: [placement.firing.revision])
    let first =
      isSnoozed ? planner.delivery(of: occurrence, schedule, in: [occurrence.revision]) : nil
    let known = planner.delivery(of: occurrence, schedule, in: revisions)
    if let delivery = again ?? known, isOver || placement.reason != nil {
      var explanation = explanation(
        of: occurrence, placement, schedule, .delivered, .delivery(delivery), at: delivery.at,
        isPast: true)
      if again != nil { explanation.earlier = first }
      if isSnoozed, again == nil {
        let isPaused = !isOver && placement.reason == .paused
        explanation.unrecordedSnooze = placement.fires ? placement.firing.fireAt : nil
        explanation.pausedSnooze = isPaused ? placement.fireAt : nil
      }
      explanation.dateReason = dateReason(occurrence.due, schedule.suppression.facts)
      return explanation
    }
    let facts = placement.reason.map {
      schedule.detail(
        of: $0, due: occurrence.due, at: placement.firing.fireAt, movedTo: placement.fireAt)
    }
    if isOver {
      // What stopped because of inactivity had stopped then: later activity only moves the end.
      var reason = placement.reason.flatMap { $0.isOfDate || $0 == .inactive ? $0 : nil }
      var facts = facts
      if reason == .quotaMet, let history {
        let suppression = schedule.suppression
        facts = suppression.quota(due: occurrence.due, at: placement.fireAt, by: history)
        if facts == nil { reason = nil }
      }
      let refusal = planner.refusal(of: occurrence, schedule, in: revisions, at: placement.fireAt)
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
    var explanation = explainComing(occurrence, placement, schedule)
    explanation.earlier = known
    return explanation
  }

  /// Returns what the person recorded for a date: `done` or `skipped`, or nil.
  private func dateReason(_ due: CivilDate, _ facts: HabitFacts) -> Explanation.Reason? {
    if planner.state.isDone(facts.habit, on: due) { return .done }
    return facts.days[due]?.mark == .skip ? .skipped : nil
  }

  /// Explains an occurrence that nothing suppresses and whose time has not come.
  private func explainComing(
    _ occurrence: Occurrence, _ placement: Placement, _ schedule: SchedulePlan
  ) -> Explanation {
    if let (reason, detail) = elsewhere(schedule.habit) {
      return explanation(
        of: occurrence, placement, schedule, reason, detail, at: placement.fireAt)
    }
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
    let isFar = placement.fireAt >= planner.horizonEnd
    return explanation(
      of: occurrence, placement, schedule, isFar ? .beyondHorizon : .overCapacity,
      isFar ? .coverage(until: planner.horizonEnd) : planned.leftOut(schedule.schedule.id),
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
      schedule: schedule.schedule.id, nominal: placement.firing.localNominal,
      number: occurrence.number, due: occurrence.due, reason: reason, id: id ?? placement.firing.id,
      fireAt: fireAt, detail: detail,
      isPast: isPast)
  }

  /// Returns the reason why this device does not deliver a habit's notifications, or nil if it
  /// does.
  private func elsewhere(_ habit: Habit) -> (Explanation.Reason, Explanation.Detail)? {
    guard !election.owns(habit.owner) else { return nil }
    guard let other = election.deliverer(habit.owner) else {
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
    of plan: HabitPlan, on date: CivilDate, _ frame: PlanFrame
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
        } else if let found = elsewhere(habit) {
          found
        } else if planned.contains(id) {
          (.planned, .none)
        } else {
          (.overCapacity, planned.leftOut(schedule.id))
        }
      return Explanation(
        schedule: schedule.id, nominal: CivilDateTime(date: date, time: .midnight), number: 0,
        due: date, reason: reason, id: id, fireAt: nil, detail: detail, isPast: false)
    }.sorted { $0.id < $1.id }
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
