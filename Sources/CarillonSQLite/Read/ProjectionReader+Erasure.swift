package import CarillonModel

extension ProjectionReader {
  /// Whether a habit was erased.
  package func isErased(_ habit: HabitID) throws -> Bool {
    let rows = try connection.query("SELECT 1 FROM erasure WHERE scope = 1 AND subject = ?1", habit)
    return try rows.step()
  }

  /// Whether a source of items was erased permanently, and not only up to an event.
  package func isErased(source: String) throws -> Bool {
    let rows = try connection.query(
      "SELECT 1 FROM erasure WHERE scope = 2 AND subject = ?1 AND up_to IS NULL", source)
    return try rows.step()
  }

  /// Whether an erasure of the same habit, source or receipts is held.
  ///
  /// - Parameter isFar: Whether it must also cover all events that the scope covers.
  package func holdsErasure(
    like scope: Erasure.Scope, reachingAsFar isFar: Bool
  ) throws -> Bool {
    func holds(
      _ kind: Int, _ subject: some ParameterValue, upTo last: EventID?
    ) throws -> Bool {
      try connection.query(
        """
        SELECT 1 FROM erasure WHERE scope = ?1 AND subject = ?2
          AND (?4 = 0 OR up_to IS NULL OR up_to >= ?3)
        """, kind, subject, last, isFar
      ).step()
    }
    return switch scope {
    case .habit(let habit): try holds(1, habit, upTo: nil)
    case .items(let source, let last): try holds(2, source, upTo: last)
    case .receipts(let habit, let last): try holds(3, habit, upTo: last)
    }
  }

  /// Whether each payload would be covered by an erasure as soon as it is written, in order.
  package func areErased(_ payloads: [Payload]) throws -> [Bool] {
    try KnownErasures(connection).coverForGood(payloads)
  }

  /// Returns the sources with retained items, receipts or responses.
  package func itemSources() throws -> [String] {
    let rows = try connection.prepare(
      """
      SELECT source FROM item UNION SELECT source FROM receipt WHERE kind = 2
      UNION SELECT source FROM response WHERE kind = 2 ORDER BY source
      """)
    var sources: [String] = []
    while try rows.step() { sources.append(try rows.text(0)) }
    return sources
  }

  /// Returns the habits with retained receipts or responses.
  package func receiptHabits() throws -> [HabitID] {
    let rows = try connection.prepare(
      """
      SELECT source FROM receipt WHERE kind = 1
      UNION SELECT source FROM response WHERE kind = 1 ORDER BY source
      """)
    var habits: [HabitID] = []
    while try rows.step() { habits.append(try rows.id(0)) }
    return habits
  }
}

extension SQLiteProjections {
  /// Whether each payload would be covered by an erasure as soon as it is written, according to the
  /// applied events.
  ///
  /// - Complexity: O(erasures + payloads).
  package func areErased(_ payloads: [Payload]) throws -> [Bool] {
    try current().perform { try KnownErasures($0).coverForGood(payloads) }
  }

  /// Whether anything was erased or is unconfirmed, according to the applied events.
  package func knowsErasures() throws -> Bool {
    try current().perform {
      try $0.integer(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM erasure) OR EXISTS (SELECT 1 FROM unconfirmed)")
        != nil
    }
  }
}

extension KnownErasures {
  fileprivate func coverForGood(_ payloads: [Payload]) -> [Bool] {
    payloads.map { !isEmpty && erasure(covering: $0, of: .greatest) != nil }
  }
}
