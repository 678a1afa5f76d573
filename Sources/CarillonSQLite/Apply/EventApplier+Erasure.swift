internal import CarillonModel

/// What is taken away: an erasure leaves no row of what it covers, and what it covers gives none.
extension EventApplier {
  /// Applies an erasure.
  func apply(_ erasure: Erasure, _ event: RawEvent) throws {
    switch erasure.scope {
    case .habit(let habit): try insert(.erasure, event.id, 1, habit, nil as EventID?)
    case .items(let source, let last): try insert(.erasure, event.id, 2, source, last)
    case .receipts(let habit, let last): try insert(.erasure, event.id, 3, habit, last)
    }
    try cover(erasure, event)
  }

  /// Removes what an erasure covers, without a row for the erasure itself.
  func cover(_ erasure: Erasure, _ event: RawEvent) throws {
    guard !erasures.contains(event.id) else { return }
    erasures.add(erasure, event.id)
    try removeRows(erasure.scope)
    try connection.execute(
      "DELETE FROM unconfirmed WHERE erasure = ?1 AND event <= ?2", event.id, erasure.scope.reach)
    // What is covered may lie anywhere before.
    addToSweep(.first)
    addToSweep(event.position)
  }

  /// Applies a redacted event: it says nothing, and is noted where nothing confirms it yet.
  func apply(_ redacted: RedactedContent, of event: EventID, at position: Position) throws {
    if !erasures.confirm(redacted, of: event) { try note(redacted, of: event, at: position) }
  }

  /// Notes an event whose payload may come back: a redacted one, or one whose content is missing.
  func note(_ redacted: RedactedContent?, of event: EventID, at position: Position) throws {
    try connection.execute(Table.unconfirmed.insertion, position, event, redacted?.erasure)
  }

  /// Notes the range of the log in which payloads are due to be taken away.
  func writeSweep() throws {
    guard let sweep else { return }
    try connection.execute(Table.sweep.insertion, sweep.lowerBound, sweep.upperBound)
    self.sweep = nil
  }

  /// Widens the range that is due by a position.
  func addToSweep(_ position: Position) {
    sweep =
      sweep.map { min($0.lowerBound, position)...max($0.upperBound, position) }
      ?? position...position
  }

  private func removeRows(_ scope: Erasure.Scope) throws {
    switch scope {
    case .habit(let habit):
      for table in ProjectedTable.allCases.map(\.table) where table.isOfHabits {
        try connection.execute("DELETE FROM \(table.name) WHERE habit = ?1", habit)
      }
      try removeReceipts(.habit(habit), upTo: nil)
    case .items(let source, let last):
      try connection.execute(
        "DELETE FROM item WHERE source = ?1 AND event <= ?2", source, last ?? .greatest)
      try removeReceipts(.items(Array(source.utf8)), upTo: last)
    case .receipts(let habit, let last): try removeReceipts(.habit(habit), upTo: last)
    }
  }

  private func removeReceipts(_ source: FactSource, upTo last: EventID?) throws {
    for table in [Table.receipt, .response] {
      try connection.execute(
        "DELETE FROM \(table.name) WHERE kind = ?1 AND source = ?2 AND event <= ?3", source.kind,
        source, last ?? .greatest)
    }
    factCounts = [:]
  }
}

extension Table {
  /// Whether each row is of one habit.
  fileprivate var isOfHabits: Bool { columns.contains { $0.name == "habit" } }
}

extension Erasure.Scope {
  /// No event with a greater ID is covered.
  var reach: EventID {
    switch self {
    case .habit: .greatest
    case .items(_, let last), .receipts(_, let last): last ?? .greatest
    }
  }
}

extension EventID {
  /// None is greater.
  static let greatest = EventID(words: (.max, .max, .max, .max))
}

extension Position {
  /// That of the first event.
  fileprivate static let first = Position.start.next
}
