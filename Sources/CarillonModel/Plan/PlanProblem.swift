/// A slot that cannot be planned here, and why.
///
/// Its events are kept, and other replicas may plan it.
public struct PlanProblem: Hashable, Sendable {
  /// What stands in the way.
  public enum Kind: Hashable, Sendable {
    /// The slot's zone is not in this system's database.
    case unknownZone(String)
    /// The slot's rule is of a kind that this build does not know.
    case unknownRule(number: UInt32)
  }

  /// The habit.
  public let habit: HabitID
  /// Its slot.
  public let slot: SlotID
  /// What stands in the way.
  public let kind: Kind

  /// Makes a problem.
  package init(habit: HabitID, slot: SlotID, kind: Kind) {
    self.habit = habit
    self.slot = slot
    self.kind = kind
  }

  /// The problem of a slot of which its rule or else its zone is not known, or nil.
  ///
  /// - Parameter isKnown: Whether this system has a zone.
  package init?(habit: HabitID, slot: Slot, isKnown: (SlotZone) -> Bool) {
    var rule = slot.rule
    if case .relative(let relative) = rule { rule = relative.base }
    if case .unknown(let number, _) = rule {
      self.init(habit: habit, slot: slot.id, kind: .unknownRule(number: number))
    } else if case .fixed(let zone) = slot.civilZone, !isKnown(slot.civilZone) {
      self.init(habit: habit, slot: slot.id, kind: .unknownZone(zone))
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
      "slot \(slot) is not planned: this system does not know the zone \(zone)"
    case .unknownRule(let number):
      "slot \(slot) is not planned: this build does not know rules of kind \(number); "
        + "a newer one may"
    }
  }
}
