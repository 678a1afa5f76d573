package import CarillonModel

/// The items of a source that any replica observed, among the retained facts.
///
/// Valid only during the call that received its reader.
package struct ObservedItems {
  private let anyRevision: Statement
  private let oneRevision: Statement

  fileprivate init(_ connection: Connection, source: String) throws {
    anyRevision = try connection.prepare(
      "SELECT 1 FROM item WHERE source = ?1 AND item = ?2 LIMIT 1")
    oneRevision = try connection.prepare(
      "SELECT replica, event FROM item WHERE source = ?1 AND item = ?2 AND revision = ?3")
    anyRevision.bind(1, source)
    oneRevision.bind(1, source)
  }

  /// Whether an item was observed in any revision.
  package func contains(_ item: String) throws -> Bool {
    anyRevision.bind(2, item)
    return try anyRevision.hasRow()
  }

  /// Whether an item was observed in a revision.
  ///
  /// - Parameter counts: Whether an observation by a replica at an instant counts.
  package func contains(
    _ item: String, revision: String, where counts: (ReplicaID, Instant) -> Bool = { _, _ in true }
  ) throws -> Bool {
    oneRevision.bind(2, item)
    oneRevision.bind(3, revision)
    var isFound = false
    while try oneRevision.step() {
      isFound = try isFound || counts(oneRevision.id(0), oneRevision.eventID(1).instant)
    }
    return isFound
  }
}

extension ProjectionReader {
  /// Returns the observed items of a source.
  package func observedItems(of source: String) throws -> ObservedItems {
    try ObservedItems(connection, source: source)
  }
}

extension Statement {
  /// Whether there is a row.
  ///
  /// The statement can be bound again afterwards.
  fileprivate func hasRow() throws -> Bool {
    var isFound = false
    while try step() { isFound = true }
    return isFound
  }
}
