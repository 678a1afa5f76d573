/// A schedule that this device cannot plan, and the reason.
///
/// The schedule's events are stored, and other replicas may be able to plan it.
public struct PlanProblem: Hashable, Sendable {
  /// The reason why a schedule cannot be planned.
  public enum Kind: Hashable, Sendable {
    /// The system's database does not contain the schedule's zone.
    case unknownZone(String)
    /// This build does not support the schedule's kind of rule.
    case unknownRule(number: UInt32)
  }

  /// The schedule's habit.
  public let habit: HabitID
  /// The schedule that cannot be planned.
  public let schedule: ScheduleID
  /// The reason.
  public let kind: Kind

  /// Creates a problem.
  package init(habit: HabitID, schedule: ScheduleID, kind: Kind) {
    self.habit = habit
    self.schedule = schedule
    self.kind = kind
  }

  /// Creates the problem of a schedule whose rule or zone is unknown, or returns nil if both are
  /// known.
  ///
  /// - Parameter isKnown: Returns whether the system knows a zone.
  package init?(habit: HabitID, schedule: Schedule, isKnown: (ScheduleZone) -> Bool) {
    var rule = schedule.rule
    if case .relative(let relative) = rule { rule = relative.base }
    if case .unknown(let number, _) = rule {
      self.init(habit: habit, schedule: schedule.id, kind: .unknownRule(number: number))
    } else if case .fixed(let zone) = schedule.civilZone, !isKnown(schedule.civilZone) {
      self.init(habit: habit, schedule: schedule.id, kind: .unknownZone(zone))
    } else {
      return nil
    }
  }
}

extension PlanProblem: CustomStringConvertible {
  /// One sentence to print.
  public var description: String {
    switch kind {
    case .unknownZone(let zone):
      "schedule \(schedule) is not planned: unknown time zone \(zone)"
    case .unknownRule(let number):
      "schedule \(schedule) is not planned: unknown rule kind \(number); a newer build may know it"
    }
  }
}
