extension Table {
  /// The erasures.
  ///
  /// Events that they cover have no rows in any other table.
  static let erasure = Table(
    "erasure", .all, erasedWith: .nothing, key: [.event],
    [
      // 1: a habit. 2: a source of items. 3: the receipts of a habit.
      .number("scope"),
      // The habit, or for 2 the name of the source.
      .any("subject"),
      // The last event covered; missing: all events are covered.
      .eventID("up_to").optional,
    ])

  /// Ranges of the log that may contain payloads to erase.
  static let sweep = Table(
    "sweep", .all, erasedWith: .nothing,
    // Positions, both inclusive.
    key: [.number("first"), .number("last")], [])

  /// Events whose content is missing, and unconfirmed redacted events: the erasure that they name
  /// is not held, is not a data.erased event, or does not cover them.
  ///
  /// If their payloads are restored, they are applied.
  static let unconfirmed = Table(
    "unconfirmed", .last, erasedWith: .nothing,
    // The event's position.
    key: [.number("position")],
    // The erasure that the event names; missing: the event's content is missing.
    [.event, .eventID("erasure").optional])
}
