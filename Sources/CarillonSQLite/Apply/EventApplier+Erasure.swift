internal import CarillonModel

/// Applies erasures: an erasure removes the rows of the events that it covers, and these events add
/// no rows afterwards.
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

  /// Removes what an erasure covers, without inserting a row for the erasure itself.
  func cover(_ erasure: Erasure, _ event: RawEvent) throws {
    guard !erasures.contains(event.id) else { return }
    erasures.add(erasure, event.id)
    try removeRows(erasure.scope)
    try connection.execute(
      "DELETE FROM unconfirmed WHERE erasure = ?1 AND event <= ?2", event.id, erasure.scope.reach)
    // Covered events may be at any earlier position.
    addToSweep(.first)
    addToSweep(event.position)
  }

  /// Applies a redacted event: it adds no rows, and is recorded as unconfirmed unless a known
  /// erasure confirms it.
  func apply(_ redacted: RedactedContent, of event: EventID, at position: LogPosition) throws {
    if !erasures.confirm(redacted, of: event) { try note(redacted, of: event, at: position) }
  }

  /// Records an event whose payload may be restored: a redacted one, or one whose content is
  /// missing.
  func note(_ redacted: RedactedContent?, of event: EventID, at position: LogPosition) throws {
    try connection.execute(Table.unconfirmed.insertion, position, event, redacted?.erasure)
  }

  /// Records the range of the log in which payloads must be erased.
  func writeSweep() throws {
    guard let sweep else { return }
    try connection.execute(Table.sweep.insertion, sweep.lowerBound, sweep.upperBound)
    self.sweep = nil
  }

  /// Extends the range that must be swept to include a position.
  func addToSweep(_ position: LogPosition) {
    sweep =
      sweep.map { min($0.lowerBound, position)...max($0.upperBound, position) }
      ?? position...position
  }

  private func removeRows(_ scope: Erasure.Scope) throws {
    switch scope {
    case .habit(let habit):
      for table in RowErasure.habit.tables {
        try connection.execute("DELETE FROM \(table.name) WHERE habit = ?1", habit)
      }
      try keptDays.remove(habit)
      try removeReceipts(.habit(habit), upTo: nil)
    case .items(let source, let last):
      for table in RowErasure.items.tables {
        try connection.execute(
          "DELETE FROM \(table.name) WHERE source = ?1 AND event <= ?2", source, last ?? .greatest)
      }
      try removeReceipts(.items(Array(source.utf8)), upTo: last)
    case .receipts(let habit, let last): try removeReceipts(.habit(habit), upTo: last)
    }
  }

  private func removeReceipts(_ source: FactSource, upTo last: EventID?) throws {
    for table in RowErasure.receipts.tables {
      try connection.execute(
        "DELETE FROM \(table.name) WHERE kind = ?1 AND source = ?2 AND event <= ?3", source.kind,
        source, last ?? .greatest)
    }
    factCounts = [:]
  }
}

extension Erasure.Scope {
  /// The greatest ID of an event that the scope can cover.
  var reach: EventID {
    switch self {
    case .habit: .greatest
    case .items(_, let last), .receipts(_, let last): last ?? .greatest
    }
  }
}

extension EventID {
  /// The greatest possible ID.
  static let greatest = EventID(words: (.max, .max, .max, .max))
}

extension LogPosition {
  /// The position of the first event.
  fileprivate static let first = LogPosition.start.next
}
