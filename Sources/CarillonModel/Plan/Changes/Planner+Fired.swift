/// An occurrence that fired on some device, or that was suppressed when it would have fired.
package struct FiredOccurrence {
  /// The date for which the occurrence counts.
  package var due: CivilDate { occurrence.due }
  /// The instant at which the occurrence last fired, as its receipt records it; without a receipt,
  /// at which it would have fired, after snoozes and quiet hours.
  ///
  /// Never after now.
  package let firedAt: Instant
  /// The reason why the occurrence is suppressed, or nil if nothing suppresses it.
  let reason: Explanation.Reason?
  let occurrence: Occurrence
  let schedule: SchedulePlan

  /// Whether nothing suppresses the occurrence except an earlier delivery.
  var hasFired: Bool { reason == nil || reason == .delivered }
}

extension Planner {
  /// Returns a habit's occurrences that fired between an instant and now, both included.
  ///
  /// Occurrences suppressed because their date is done are included too. Sorted by instant; among
  /// equal instants, the lowest ID comes last.
  ///
  /// An occurrence fired if nothing suppresses it except an earlier delivery, and one of these
  /// holds:
  /// - A receipt records its delivery.
  /// - Its schedule existed at that instant, and some device may have delivered it. The schedule of
  ///   a snoozed occurrence always counts as existing.
  ///
  /// - Parameters:
  ///   - habit: The habit. An unknown habit has no occurrences.
  ///   - start: The first instant.
  ///   - schedules: The instant at which each schedule was last set. Before that instant none of
  ///     its occurrences fired. A schedule that is missing here always existed.
  /// - Complexity: O(occurrences since a day before `start`).
  package func fired(
    _ habit: HabitID, since start: Instant, schedules: [ScheduleID: Instant] = [:]
  ) -> [FiredOccurrence] {
    passed(habit, since: start, schedules: schedules).filter { $0.hasFired || $0.reason == .done }
  }

  /// Returns a habit's occurrences that fired between an instant and now, or would have fired if
  /// nothing suppressed them.
  ///
  /// See ``fired(_:since:schedules:)``.
  func passed(
    _ habit: HabitID, since start: Instant, schedules: [ScheduleID: Instant]
  ) -> [FiredOccurrence] {
    guard let habit = state.habits[habit] else { return [] }
    // Quiet hours defer an occurrence by less than a day.
    let first = start.adding(seconds: -86_400)
    let plan = habitPlan(habit, frame(from: first, to: horizonEnd))
    let all = plan.schedules.flatMap { schedule in
      schedule.occurrences(from: first, before: Instant(milliseconds: now.milliseconds + 1))
        .compactMap { passed($0, schedule, plan, schedules) }
    }
    return all.filter { $0.firedAt >= start }.sorted { left, right in
      left.firedAt == right.firedAt
        ? Firing(right.occurrence, of: right.schedule).id
          < Firing(left.occurrence, of: left.schedule).id
        : left.firedAt < right.firedAt
    }
  }

  private func passed(
    _ occurrence: Occurrence, _ schedule: SchedulePlan, _ plan: HabitPlan,
    _ schedules: [ScheduleID: Instant]
  ) -> FiredOccurrence? {
    let placement = plan.placement(of: occurrence, schedule)
    // An occurrence snoozed until after now fired at its original instant.
    let isSnoozed = schedule.isSnoozed(occurrence)
    let computed =
      isSnoozed && placement.fireAt > now ? occurrence.instant : placement.fireAt
    // What was recorded counts, because the settings may have changed since.
    let recorded = [placement.firing.revision, occurrence.revision].lazy
      .filter { schedule.suppression.wasDelivered(occurrence, in: $0) }
      .compactMap { self.delivery(of: occurrence, schedule, in: [$0]) }
      .first { $0.at ?? computed <= now }
    let firedAt = recorded?.at ?? computed
    guard firedAt <= now else { return nil }
    let existed = isSnoozed || schedules[schedule.schedule.id].map { $0 <= firedAt } ?? true
    guard recorded != nil || existed && mayHaveDelivered(at: firedAt) else { return nil }
    let isDelivered = recorded != nil && placement.reason == .quietHours
    return FiredOccurrence(
      firedAt: firedAt, reason: isDelivered ? .delivered : placement.reason,
      occurrence: occurrence, schedule: schedule)
  }

  /// Whether any device may have delivered a notification that fired at an instant.
  private func mayHaveDelivered(at moment: Instant) -> Bool {
    guard state.devices[device] != nil else { return true }
    return state.devices.values.contains { $0.mayHaveDelivered(at: moment, now: now) }
  }
}

extension Device {
  /// Whether the device may have delivered a notification that fired at an instant.
  ///
  /// False for a server, for a device that was retired, and if the permission or the alerts switch
  /// is known to have been off at that instant.
  fileprivate func mayHaveDelivered(at moment: Instant, now: Instant) -> Bool {
    if description?.role == .server || retiredSince.map({ $0 <= moment }) ?? false { return false }
    if let permissionSince, permissionSince <= now.lastKnown, !isGranted(at: moment) {
      return false
    }
    if alerts.isOn { return true }
    return alertsSince.map { $0 > moment } ?? (permissionSince == nil)
  }
}
