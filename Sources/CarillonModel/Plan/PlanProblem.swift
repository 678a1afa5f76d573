/// A schedule that cannot be planned here, and why.
///
/// Its events are kept, and other replicas may plan it.
public struct PlanProblem: Hashable, Sendable {
  /// What stands in the way.
  public enum Kind: Hashable, Sendable {
    /// The schedule's zone is not in this system's database.
    case unknownZone(String)
    /// The schedule's rule is of a kind that this build does not know.
    case unknownRule(number: UInt32)
  }

  /// The habit.
  public let habit: HabitID
  /// Its schedule.
  public let schedule: ScheduleID
  /// What stands in the way.
  public let kind: Kind

  /// Makes a problem.
  package init(habit: HabitID, schedule: ScheduleID, kind: Kind) {
    self.habit = habit
    self.schedule = schedule
    self.kind = kind
  }

  /// The problem of a schedule of which its rule or else its zone is not known, or nil.
  ///
  /// - Parameter isKnown: Whether this system has a zone.
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
  /// One sentence for people.
  public var description: String {
    switch kind {
    case .unknownZone(let zone):
      "schedule \(schedule) is not planned: this system does not know the zone \(zone)"
    case .unknownRule(let number):
      "schedule \(schedule) is not planned: this build does not know rules of kind \(number); "
        + "a newer one may"
    }
  }
}
