/// A habit's schedules in one planning pass, with the snoozes and quiet hours that move their
/// occurrences.
final class HabitPlan {
  let facts: HabitFacts
  /// One plan for each schedule with times, and one for each repeat of a relative schedule.
  let schedules: [SchedulePlan]
  /// The snoozes in force.
  let snoozes: [SnoozeInForce]
  let frame: PlanFrame
  private var batches: [Instant: DeferralBatch] = [:]

  /// Creates the plan of a habit's schedules and marks their snoozed occurrences.
  init(_ facts: HabitFacts, schedules: [SchedulePlan], snoozes: [Snooze], frame: PlanFrame) {
    self.facts = facts
    self.schedules = schedules
    self.frame = frame
    self.snoozes = snoozes.compactMap { SnoozeInForce($0, of: schedules) }
    for schedule in schedules {
      schedule.complete(
        snoozed: self.snoozes.lazy.filter { $0.schedule === schedule }.map(\.occurrence))
    }
  }

  /// The snoozed occurrences that fire inside the horizon and that quiet hours do not defer, sorted
  /// by instant and ID.
  private(set) lazy var snoozedFirings: [Firing] = snoozes.compactMap { snooze -> Firing? in
    guard snooze.reason == nil else { return nil }
    switch snooze.quietEffect {
    case .none: return snooze.firing
    case .passive:
      var firing = snooze.firing
      firing.isPassive = true
      return firing
    case .dropped, .deferred: return nil
    }
  }.filter { $0.fireAt > frame.now && $0.fireAt < frame.end }
    .sorted { $0.precedes($1) }

  /// Whether quiet hours may defer any occurrence of the habit.
  private(set) lazy var mayDefer: Bool = {
    guard let hours = frame.hours else { return false }
    return !snoozes.isEmpty || schedules.contains { $0.mayFire(in: hours) }
  }()

  /// Returns the occurrences that quiet hours defer to an instant.
  func batch(at until: Instant) -> DeferralBatch {
    if let known = batches[until] { return known }
    let batch = DeferralBatch(of: self, at: until, frame)
    batches[until] = batch
    return batch
  }

  /// Returns the occurrence that fires at the end of quiet hours regardless of them.
  ///
  /// If there are several, the one with the lowest ID.
  func coincident(at until: Instant) -> Firing? {
    let after = Instant(milliseconds: until.milliseconds + 1)
    let firings =
      schedules.flatMap { $0.firings(from: until, before: after) }
      + snoozes.lazy.filter { $0.reason == nil }.map(\.firing).filter { $0.fireAt == until }
    return firings.count > 1 ? firings.min { $0.id < $1.id } : firings.first
  }

  /// Returns the occurrences that a firing represents in addition to its own.
  func others(representedBy firing: Firing) -> [OccurrenceID] {
    guard mayDefer, !frame.quietPeriods(until: firing.fireAt).isEmpty else { return [] }
    let batch = batch(at: firing.fireAt)
    guard batch.representative?.isSame(as: firing) ?? false else { return [] }
    return batch.members.filter { !$0.isSame(as: firing) }.map(\.occurrenceID)
  }
}

/// The occurrences of one habit that quiet hours defer to one instant.
///
/// At most one of them fires there.
struct DeferralBatch {
  /// The deferred occurrences, in the order of their original instants.
  let members: [Firing]
  /// The occurrence that fires at the instant regardless of quiet hours.
  let coincident: Firing?

  /// The occurrence that fires for all of them: the coincident one, otherwise the last member.
  var representative: Firing? { coincident ?? last }

  /// The member with the latest original instant.
  ///
  /// If several are equal, the one with the lowest ID.
  let last: Firing?

  init(of habit: HabitPlan, at until: Instant, _ frame: PlanFrame) {
    var members: [Firing] = []
    let ranges = frame.quietPeriods(until: until)
    for schedule in habit.schedules where schedule.quietPolicy == .deferred {
      for range in ranges {
        members += schedule.firings(from: range.start, before: range.end).filter {
          !schedule.isPaused($0.occurrence, movedTo: until)
        }
      }
    }
    for snooze in habit.snoozes where snooze.reason == nil {
      if snooze.quietEffect == .deferred(until) { members.append(snooze.firing) }
    }
    members.sort { $0.precedes($1) }
    self.members = members
    coincident = habit.coincident(at: until)
    let lastFireAt = members.last?.fireAt
    last = members.first { $0.fireAt == lastFireAt }
  }
}

extension SchedulePlan {
  /// Whether quiet hours may defer an occurrence of this schedule.
  fileprivate func mayFire(in hours: DayWindow) -> Bool {
    guard quietPolicy == .deferred else { return false }
    guard timetable.shiftSeconds == 0, schedule.civilZone == .floating,
      timetable.range.window.changes.isEmpty
    else { return true }
    return switch timetable.pattern {
    case .nominals(let nominals): nominals.times.contains(where: hours.contains)
    case .interval: true
    case .moments: true
    }
  }

  /// Returns the occurrences between two instants that nothing suppresses and no snooze moves.
  fileprivate func firings(from start: Instant, before end: Instant) -> [Firing] {
    occurrences(from: start, before: end)
      .filter { !isSnoozed($0) && suppression.reason($0) == nil }
      .map { Firing($0, of: self) }
  }
}
