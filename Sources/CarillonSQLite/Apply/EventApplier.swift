internal import CarillonModel

/// Applies events to the rows of one connection, inside the caller's transaction.
///
/// Applying is commutative and idempotent: events in any order and with any repetition result in
/// the same rows.
final class EventApplier {
  let connection: Connection
  /// A statement for each table and ``Use``.
  private var statements: [Statement?]
  /// The registers that were written.
  var registers = WrittenRegisters()
  /// The number of rows in each scope of facts that was counted.
  var factCounts: [FactScope: Int] = [:]
  /// The erasures that were applied.
  var erasures: KnownErasures
  /// Removes the sums of dates whose entries change.
  var keptDays: KeptDaysRemoval
  /// The range of the log that must be swept, since the last ``writeSweep()``.
  var sweep: ClosedRange<LogPosition>?
  /// The number of events of a kind that this build does not know.
  private(set) var unknownCount: Int64 = 0
  /// The number of payloads of a known kind that could not be read or broke a limit.
  private(set) var unreadableCount: Int64 = 0

  init(_ connection: Connection) throws {
    self.connection = connection
    erasures = try KnownErasures(connection)
    keptDays = try KeptDaysRemoval(connection)
    statements = Array(
      repeating: nil, count: Use.allCases.count * ProjectedTable.allCases.count)
  }

  /// Applies the events of a batch.
  ///
  /// A payload that cannot be read adds no row and is counted.
  func apply(_ batch: EventBatch) throws {
    try batch.forEachOther { event, content in
      switch content {
      case .payload(let payload): try apply(payload, of: event)
      case .redacted(let redacted): try apply(redacted, of: event.id, at: event.position)
      case .missing: try note(nil, of: event.id, at: event.position)
      case .unreadable: unreadableCount += 1
      case .laterErasure(let erasure): try cover(erasure, event)
      }
    }
    try insert(batch.entries)
    try insert(batch.marks)
  }

  private func apply(_ payload: Payload, of event: RawEvent) throws {
    if !erasures.isEmpty, erasures.erasure(covering: payload, of: event.id) != nil {
      return addToSweep(event.position)
    }
    switch payload {
    case .habitCreated(let fields): try apply(created: fields, event)
    case .habitEdited(let fields): try apply(edited: fields, event)
    case .habitArchivedSet(let set): try apply(set, event)
    case .habitDeleted(let deleted): try apply(deleted, event)
    case .habitRestored(let restored): try apply(restored)
    case .scheduleSet(let set): try apply(set, event)
    case .scheduleRemoved(let removed): try apply(removed, event)
    case .entryRecorded(let recorded):
      var entries = DatedRows<EntryRow>()
      entries.append(EntryRow(recorded, event))
      try insert(entries)
    case .entryVoided(let voided): try apply(voided)
    case .dayMarked(let marked): try apply(marked, event)
    case .noteRecorded(let noted): try apply(noted, event)
    case .pauseSet(let pause): try apply(pause, event)
    case .appActive(let active): try apply(active, event)
    case .permissionChanged(let changed): try apply(changed, event)
    case .permissionAsked(let asked): try apply(asked, event)
    case .alertsSet(let alerts): try apply(alerts, event)
    case .deviceSet(let set): try apply(set, event)
    case .deviceDescribed(let description): try apply(description, event)
    case .itemObserved(let observed): try apply(observed, event)
    case .receiptAdvanced(let receipt): try apply(receipt, event)
    case .responseRecorded(let response): try apply(response, event)
    case .wakeFinished(let wake): try apply(wake, event)
    case .pushTokenSet(let set): try apply(set, event)
    case .pushReceived(let push): try apply(push, event)
    case .importFinished(let finished): try apply(finished, event)
    case .snoozeSet(let set): try apply(set, event)
    case .planSubmitted(let submitted): try apply(submitted, event)
    case .settingsSet(let set): try apply(set, event)
    case .dataErased(let erasure): try apply(erasure, event)
    // It concerns only the log.
    case .branchesClosed: break
    case .unknown: unknownCount += 1
    }
  }

  /// The number of rows that the connection inserted, changed or deleted.
  var rowChangeCount: Int64 { connection.rowChangeCount }

  /// Inserts a row, or merges it with the row of the same key.
  ///
  /// Takes a value for each column, in order.
  func insert<each Value: ParameterValue>(
    _ table: ProjectedTable, _ values: repeat each Value
  ) throws {
    try statement(.insertion, of: table).run(repeat each values)
  }

  /// Inserts rows that belong to habits, or merges them with the rows of the same keys.
  private func insert<Row: DatedRow>(_ rows: DatedRows<Row>) throws {
    // Indexes, because a copy of a row retains its note.
    var waiting: [Int] = []
    for index in rows.indices {
      let (habit, date) = (rows[index].habit, rows[index].date)
      guard !erasures.coversAll(of: habit) else {
        addToSweep(rows[index].position)
        continue
      }
      if Row.table == .entry { try keptDays.remove(habit, on: date) }
      waiting.append(index)
      guard waiting.count == Table.rowsPerInsertion else { continue }
      try run(.insertionOfSeveral, waiting, of: rows)
      waiting.removeAll(keepingCapacity: true)
    }
    for index in waiting { try run(.insertion, [index], of: rows) }
  }

  private func run<Row: DatedRow>(
    _ use: Use, _ indices: [Int], of rows: DatedRows<Row>
  ) throws {
    let statement = try statement(use, of: Row.table)
    let columnCount = Row.table.table.columns.count
    var count = 0
    for index in indices {
      rows[index].bind(to: statement, after: count)
      count += columnCount
    }
    try statement.run()
  }

  /// The purpose of a statement.
  enum Use: Int, CaseIterable {
    case insertion, insertionOfSeveral, count, trim
  }

  /// Returns a statement, which is prepared at its first use.
  func statement(_ use: Use, of table: ProjectedTable) throws -> Statement {
    let index = table.rawValue * Use.allCases.count + use.rawValue
    if let statement = statements[index] { return statement }
    let sql =
      switch use {
      case .insertion: table.table.insertion
      case .insertionOfSeveral: table.table.insertionOfSeveral
      case .count: table.table.count
      case .trim: table.table.trim
      }
    let statement = try connection.prepare(sql)
    statements[index] = statement
    return statement
  }
}
