extension Table {
  /// What was erased.
  ///
  /// What is covered gives no row in any other table.
  static let erasure = Table(
    "erasure", .all, key: [.event],
    [
      // 1 a habit, 2 a source of items, 3 the receipts of a habit.
      .number("scope"),
      // The habit; of 2 the source's name.
      .any("subject"),
      // Only events up to it; missing: all.
      .eventID("up_to").optional,
    ])

  /// Ranges of the log in which payloads may lie that are covered: to be taken away.
  static let sweep = Table(
    "sweep", .all,
    // Positions, both included.
    key: [.number("first"), .number("last")], [])

  /// Events whose content is missing, and redacted ones that nothing confirms: what they name as
  /// their erasure is not here, is no data.erased, or reaches less far.
  ///
  /// Their payloads may come back, and are applied then.
  static let unconfirmed = Table(
    "unconfirmed", .last,
    // The event's position.
    key: [.number("position")],
    // What it names as its erasure; missing: its content is missing.
    [.event, .eventID("erasure").optional])
}
