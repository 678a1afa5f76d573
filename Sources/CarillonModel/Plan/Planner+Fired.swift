/// An occurrence that fired, on whichever device, or was silent since its date is done.
package struct FiredOccurrence {
  /// The date for which it counts.
  package var due: CivilDate { occurrence.due }
  /// When it fired last, or would have: by now, after snoozes and quiet hours.
  package let firedAt: Instant
  /// Whether it is silent since its date is done.
  let isDone: Bool
  let occurrence: Occurrence
  let schedule: SchedulePlan
  /// The parts of the whole schedule: of a relative one a part for each repeat.
  let siblings: [SchedulePlan]
}

extension Planner {
  /// The occurrences of a habit that fired from a moment on and by now, also those that were silent
  /// since their date is done; by the moment, of equals the one of the least id last.
  ///
  /// One fired if nothing suppresses it except having been shown, and either a receipt says that it
  /// was shown, or its schedule existed by then, as that of one that was snoozed did, and some
  /// device may have shown it.
  ///
  /// - Parameters:
  ///   - habit: The habit; nothing fires of one that is not known.
  ///   - start: The first moment.
  ///   - schedules: When each schedule was set as it is. One that was set after now, by a clock
  ///     that is ahead, existed now at the latest; one that is left out always existed.
  /// - Complexity: O(occurrences since a day before the moment).
  package func fired(
    _ habit: HabitID, since start: Instant, schedules: [ScheduleID: Instant] = [:]
  ) -> [FiredOccurrence] {
    guard let habit = state.habits[habit] else { return [] }
    // Quiet hours put off what comes before by less than a day.
    let first = start.adding(seconds: -86_400)
    let plan = habitPlan(habit, frame(from: first, to: horizonEnd))
    let all = plan.schedules.flatMap { schedule in
      schedule.all(from: first, to: now).compactMap { fired($0, schedule, plan, schedules) }
    }
    return all.filter { $0.firedAt >= start }.sorted { left, right in
      left.firedAt == right.firedAt
        ? Firing(right.occurrence, of: right.schedule).id
          < Firing(left.occurrence, of: left.schedule).id
        : left.firedAt < right.firedAt
    }
  }

  private func fired(
    _ occurrence: Occurrence, _ schedule: SchedulePlan, _ plan: HabitPlan,
    _ schedules: [ScheduleID: Instant]
  ) -> FiredOccurrence? {
    let placement = plan.placement(of: occurrence, schedule)
    guard placement.fires || placement.reason == .done else { return nil }
    // What is put off until after now fired before.
    let isSnoozed = schedule.isSnoozed(occurrence)
    let firedAt =
      isSnoozed && placement.fireAt > now ? occurrence.instant : placement.fireAt
    guard firedAt <= now else { return nil }
    let wasShown = [occurrence.revision, placement.firing.revision].contains {
      plan.facts.shown.contains(schedule.schedule.id, occurrence.identity, revision: $0)
    }
    let existed = isSnoozed || schedules[schedule.schedule.id].map { $0 <= firedAt } ?? true
    guard wasShown || existed && mayHaveShown(at: firedAt) else { return nil }
    return FiredOccurrence(
      firedAt: firedAt, isDone: placement.reason == .done, occurrence: occurrence,
      schedule: schedule,
      siblings: plan.schedules.filter { $0.index == schedule.index })
  }

  /// Whether any device may have shown what fired at a moment.
  private func mayHaveShown(at moment: Instant) -> Bool {
    guard state.devices[device] != nil else { return true }
    return state.devices.values.contains { $0.mayHaveShown(at: moment, now: now) }
  }
}

extension Device {
  /// Whether it may have shown what fired at a moment: false where it is a server, or where its
  /// permission or its switch is known to have been off then.
  fileprivate func mayHaveShown(at moment: Instant, now: Instant) -> Bool {
    if description?.role == .server { return false }
    if let permissionSince, permissionSince <= now.lastKnown, !isGranted(at: moment) {
      return false
    }
    if alerts.isOn { return true }
    return alertsSince.map { $0 > moment } ?? (permissionSince == nil)
  }
}

extension SchedulePlan {
  /// All occurrences from an instant to another one, both included.
  fileprivate func all(from start: Instant, to end: Instant) -> [Occurrence] {
    var found: [Occurrence] = []
    var next = timetable.first(from: start)
    while let occurrence = next, occurrence.instant <= end {
      found.append(occurrence)
      next = timetable.next(after: occurrence)
    }
    return found
  }
}
