internal import CarillonModel

/// What is taken away: an erasure leaves no row of what it covers, and what it covers gives none.
extension EventApplier {
  /// Applies an erasure.
  func apply(_ erasure: Erasure, _ event: RawEvent) throws {
    let statement = try statement(.erasure)
    statement.bind(1, event.id)
    switch erasure.scope {
    case .habit(let habit):
      statement.bind(2, 1)
      statement.bind(3, habit)
      statement.bindNull(4)
    case .items(let source, let last):
      statement.bind(2, 2)
      statement.bind(3, source)
      if let last { statement.bind(4, last) } else { statement.bindNull(4) }
    case .receipts(let habit, let last):
      statement.bind(2, 3)
      statement.bind(3, habit)
      if let last { statement.bind(4, last) } else { statement.bindNull(4) }
    }
    try statement.run()
    try cover(erasure, event)
  }

  /// Removes what an erasure covers, without a row for the erasure itself.
  func cover(_ erasure: Erasure, _ event: RawEvent) throws {
    guard !erasures.contains(event.id) else { return }
    erasures.add(erasure, event.id)
    try removeRows(erasure.scope)
    try connection.execute("DELETE FROM settling WHERE erasure = ?1 AND event <= ?2") {
      $0.bind(1, event.id)
      $0.bind(2, erasure.scope.reach)
    }
    // What is covered may lie anywhere before.
    addToSweep(.first)
    addToSweep(event.position)
  }

  /// Applies a redacted event: it says nothing, and is noted where nothing confirms it yet.
  func apply(_ bare: BareContent, of event: EventID, at position: Position) throws {
    if !erasures.confirm(bare, of: event) { try note(bare, of: event, at: position) }
  }

  /// Notes an event whose payload may come back: a redacted one, or one whose content is missing.
  func note(_ bare: BareContent?, of event: EventID, at position: Position) throws {
    let statement = try statement(.settling)
    statement.bind(1, Int64(clamping: position.rawValue))
    statement.bind(2, event)
    if let bare { statement.bind(3, bare.erasure) } else { statement.bindNull(3) }
    try statement.run()
  }

  /// Notes the stretch of the log in which payloads are due to be taken away.
  func writeSweep() throws {
    guard let sweep else { return }
    try connection.execute("INSERT OR IGNORE INTO sweep (first, last) VALUES (?1, ?2)") {
      $0.bind(1, Int64(clamping: sweep.lowerBound.rawValue))
      $0.bind(2, Int64(clamping: sweep.upperBound.rawValue))
    }
    self.sweep = nil
  }

  /// Widens the stretch that is due by a position.
  func addToSweep(_ position: Position) {
    sweep =
      sweep.map { min($0.lowerBound, position)...max($0.upperBound, position) }
      ?? position...position
  }

  private func removeRows(_ scope: Erasure.Scope) throws {
    switch scope {
    case .habit(let habit):
      for table in Self.habitTables {
        try connection.execute("DELETE FROM \(table) WHERE habit = ?1") { $0.bind(1, habit) }
      }
      try removeReceipts(.habit(habit), upTo: nil)
    case .items(let source, let last):
      try connection.execute("DELETE FROM item WHERE source = ?1 AND event <= ?2") {
        $0.bind(1, source)
        $0.bind(2, last ?? .greatest)
      }
      try removeReceipts(.items(Array(source.utf8)), upTo: last)
    case .receipts(let habit, let last): try removeReceipts(.habit(habit), upTo: last)
    }
  }

  private func removeReceipts(_ source: FactSource, upTo last: EventID?) throws {
    for table in ["receipt", "response"] {
      try connection.execute(
        "DELETE FROM \(table) WHERE kind = ?1 AND source = ?2 AND event <= ?3"
      ) {
        $0.bind(1, source.kind)
        source.bind($0, 2)
        $0.bind(3, last ?? .greatest)
      }
    }
    factCounts = [:]
  }

  /// The tables whose rows are of one habit.
  private static let habitTables = [
    "habit", "habit_field", "habit_archived", "habit_delete", "slot", "pause", "entry", "day_mark",
    "snooze",
  ]
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
