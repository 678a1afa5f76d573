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
  public let id: String
  /// The instant at which the occurrence fires, fired or would fire, after snoozes, quiet hours and
  /// digests, or nil for a place.
  public let fireAt: Instant?
}

extension Planner {
  /// Explains why each occurrence of a habit that is due on a date is planned or not.
  ///
  /// Sorted by the instant at which the occurrence fires; places come last.
  ///
  /// The result leaves out unknown habits, schedules without times, schedules listed in the plan's
  /// problems, times on a date that the zone skips, and places on any date except today.
  ///
  /// - Parameter plan: The plan that this planner returns, if the caller already has it.
  package func explain(
    _ habit: HabitID, on date: CivilDate, in plan: NotificationPlan? = nil
  ) -> [Explanation] {
    guard let habit = state.habits[habit] else { return [] }
    let around = CivilDate(rawValue: date.rawValue.clamped(to: -100_000...813_000))
    let middle = calendar.firstInstant(of: around)
    let frame = frame(from: middle.adding(seconds: -259_200), to: middle.adding(seconds: 345_600))
    let election = DeviceElection(
      state: state, device: device, staleHours: settings.store.staleHours, now: now)
    let context = ExplainContext(
      isOwner: election.owns(habit.owner), planned: PlannedRequests(plan ?? self.plan()))
    let habitPlan = habitPlan(habit, frame)
    let timed = habitPlan.schedules.flatMap { schedule in
      schedule.timetable.occurrences(dueOn: date).map {
        explain($0, schedule, habitPlan, context)
      }
    }
    return timed.sorted { ($0.fireAt ?? now, $0.id) < ($1.fireAt ?? now, $1.id) }
      + places(of: habitPlan, on: date, frame, context)
  }

  private struct ExplainContext {
    let isOwner: Bool
    let planned: PlannedRequests
  }

  private func explain(
    _ occurrence: Occurrence, _ schedule: SchedulePlan, _ habit: HabitPlan,
    _ context: ExplainContext
  ) -> Explanation {
    let placement = habit.placement(of: occurrence, schedule)
    let request = context.planned.request(
      of: placement.firing, repeating: schedule.trigger(occurrence))
    let fireAt = placement.fireAt
    let reason: Explanation.Reason =
      if let suppression = placement.reason {
        suppression
      } else if fireAt <= now {
        .past
      } else if !context.isOwner {
        .otherDevice
      } else if request != nil {
        .planned
      } else if fireAt >= horizonEnd {
        .beyondHorizon
      } else {
        .overCapacity
      }
    let isPlanned = reason == .planned
    // A digest fires with its first member. A repeating request fires at each of its occurrences.
    let moved = isPlanned && request?.repeats == false ? request?.fireAt : nil
    return Explanation(
      schedule: schedule.schedule.id, nominal: placement.firing.localNominal, due: occurrence.due,
      reason: reason, id: isPlanned ? request?.id ?? "" : placement.firing.id.description,
      fireAt: moved ?? fireAt)
  }

  private func places(
    of plan: HabitPlan, on date: CivilDate, _ frame: PlanFrame, _ context: ExplainContext
  ) -> [Explanation] {
    plan.facts.habit.schedules.indices.compactMap { index in
      let schedule = plan.facts.habit.schedules[index]
      guard case .place(let place) = schedule.rule,
        let range = frame.zones.range(of: schedule.zone),
        range.today == date
      else { return nil }
      let id = RequestID(habit: plan.facts.habit.id, schedule: schedule.id, trigger: .place(place))
      let suppression = Suppression(plan.facts, schedule: index, lastActive: frame.lastActive)
      let reason =
        suppression.reason(due: date, at: nil)
        ?? (!context.isOwner
          ? .otherDevice : context.planned.contains(id.description) ? .planned : .overCapacity)
      return Explanation(
        schedule: schedule.id, nominal: CivilDateTime(date: date, time: .midnight), due: date,
        reason: reason, id: id.description, fireAt: nil)
    }.sorted { $0.id < $1.id }
  }
}

/// The requests of a plan, looked up by ID and by digest member.
private struct PlannedRequests {
  private let byID: [String: NotificationRequest]
  private let byMember: [OccurrenceID: NotificationRequest]

  init(_ plan: NotificationPlan) {
    byID = Dictionary(plan.requests.map { ($0.id, $0) }) { first, _ in first }
    let digests = plan.requests.filter { $0.id.hasPrefix(RequestID.Kind.digest.rawValue) }
    byMember = Dictionary(
      digests.flatMap { digest in
        ([digest.occurrence] + digest.alsoCovers).map { ($0, digest) }
      }
    ) { first, _ in first }
  }

  func contains(_ id: String) -> Bool { byID[id] != nil }

  /// Returns the request that represents an occurrence.
  func request(of firing: Firing, repeating trigger: RequestTrigger.Shape?) -> NotificationRequest?
  {
    if let own = byID[firing.id.description] ?? byMember[firing.name] { return own }
    return trigger.flatMap {
      byID[
        RequestID(
          habit: firing.schedule.habit.id, schedule: firing.schedule.schedule.id, trigger: $0
        ).description]
    }
  }
}

extension Int32 {
  fileprivate func clamped(to range: ClosedRange<Int32>) -> Int32 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
