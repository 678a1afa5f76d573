package import CarillonModel

extension PlanDifference {
  /// `{remove[],add[],removeDelivered[],unchanged,foreign,blocked}`.
  package func json(_ time: LocalTime) -> JSON {
    [
      "remove": .array(removals) { .text($0.description) },
      "add": .array(insertions) { $0.json(time) },
      "removeDelivered": .array(deliveredRemovals) { .text($0.description) },
      "unchanged": .integer(unchanged), "foreign": .integer(foreign),
      "blocked": .text(blocked?.rawValue),
    ]
  }
}
