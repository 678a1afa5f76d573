#if Service
internal import CarillonLog
internal import CarillonModel

/// The log of one store in one transaction of a connection.
final class PostgresSnapshot: RunIndexedView {
  let connection: PostgresConnection
  let store: StoreID
  var state: LogState
  /// The row that was read last, with the changes that are not written yet.
  private var row: RunRow?
  private var isRowChanged = false
  /// By how many bytes the rows that were written differ from those that were read.
  private(set) var addedByteCount = 0

  init(_ connection: PostgresConnection, _ state: LogState) {
    self.connection = connection
    self.state = state
    store = state.storeID
  }

  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws -> StoredRun? {
    if let run = row?.run, run.branch == branch, run.has(sequence) { return run }
    let rows = try connection.rows(
      PostgresStatement(
        """
        SELECT branch, sequence, position, count FROM run
        WHERE store = $1 AND branch = $2 AND sequence <= $3 ORDER BY sequence DESC LIMIT 1
        """, .bytes(store.bytes), .integer(UInt64(branch)), .integer(sequence)))[0]
    return rows.count == 0 ? nil : try StoredRun(rows, 0, from: 0)
  }

  func visitRuns(_ body: (StoredRun) throws -> Bool) throws {
    let rows = try connection.rows(
      PostgresStatement(
        "SELECT branch, sequence, position, count FROM run WHERE store = $1",
        .bytes(store.bytes)))[0]
    for index in 0..<rows.count {
      guard try body(StoredRun(rows, index, from: 0)) else { return }
    }
  }

  func header(at position: UInt64) throws -> EventHeader {
    try row(at: position).header(at: position)
  }

  func event(at position: UInt64) throws -> HeldEvent { try row(at: position).event(at: position) }

  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    var next = positions.lowerBound
    while next <= positions.upperBound {
      let rows = try rows(from: next, through: positions.upperBound)
      for index in 0..<rows.count {
        // A row that cannot be read does not hide those before it.
        let row = try RunRow(rows, index, of: store)
        guard row.contains(next) else { throw Self.missing(next) }
        while next <= min(row.run.lastPosition, positions.upperBound) {
          guard try visit(row.event(at: next), at: next, body) else { return false }
          next += 1
        }
      }
    }
    return true
  }

  /// Replaces an event; ``flush()`` writes it.
  func replace(at position: UInt64, by event: HeldEvent) throws {
    _ = try row(at: position)
    row?.replace(at: position, by: event)
    isRowChanged = true
  }

  /// Adds the changed row to the statements that wait.
  func flush() {
    guard isRowChanged, let row else { return }
    isRowChanged = false
    self.row = update(row)
  }

  // MARK: - Rows

  /// Adds the statement that stores a new row.
  func insert(_ row: NewRow) {
    addedByteCount += row.byteCount
    connection.add(
      PostgresStatement(
        "INSERT INTO run VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", .bytes(store.bytes),
        .integer(row.run.firstPosition), .integer(UInt64(row.run.branch)),
        .integer(row.run.firstSequence), .integer(row.run.count), .bytes(row.ids),
        .bytes(row.contents), .flag(row.isDeflated)))
  }

  /// Adds the statements that store a changed row, in place of all rows at its positions.
  ///
  /// - Returns: The row as it is stored.
  @discardableResult
  func update(_ row: RunRow, level: Int32 = 1) -> RunRow {
    let (contents, isDeflated) = row.contentBytes(level: level)
    var stored = row
    stored.storedByteCount = row.idBytes.count + contents.count
    addedByteCount += stored.storedByteCount - row.storedByteCount
    connection.add(
      PostgresStatement(
        "DELETE FROM run WHERE store = $1 AND position > $2 AND position <= $3",
        .bytes(store.bytes), .integer(row.run.firstPosition), .integer(row.run.lastPosition)))
    connection.add(
      PostgresStatement(
        """
        UPDATE run SET count = $3, ids = $4, contents = $5, is_deflated = $6
        WHERE store = $1 AND position = $2
        """, .bytes(store.bytes), .integer(row.run.firstPosition), .integer(row.run.count),
        .bytes(row.idBytes), .bytes(contents), .flag(isDeflated)))
    return stored
  }

  /// Returns the places of the first rows from a position.
  func runs(from position: UInt64, count: Int) throws -> [StoredRun] {
    let rows = try connection.rows(
      PostgresStatement(
        """
        SELECT branch, sequence, position, count FROM run
        WHERE store = $1 AND position >= $2 ORDER BY position LIMIT \(count)
        """, .bytes(store.bytes), .integer(position)))[0]
    return try (0..<rows.count).map { try StoredRun(rows, $0, from: 0) }
  }

  /// Returns the rows that start in a range of positions.
  func rows(startingIn positions: ClosedRange<UInt64>) throws -> [RunRow] {
    let rows = try connection.rows(
      PostgresStatement(
        """
        SELECT \(RunRow.columns) FROM run
        WHERE store = $1 AND position BETWEEN $2 AND $3 ORDER BY position
        """, .bytes(store.bytes), .integer(positions.lowerBound), .integer(positions.upperBound)))[
        0]
    return try (0..<rows.count).map { try RunRow(rows, $0, of: store) }
  }

  // MARK: -

  /// The most rows that are read at once.
  private static let readCount = 16

  private func row(at position: UInt64) throws -> RunRow {
    if let row, row.contains(position) { return row }
    let found = try RunRow(rows(from: position, through: position), 0, of: store)
    guard found.contains(position) else { throw Self.missing(position) }
    row = found
    return found
  }

  /// Returns the first rows of a range, from the one that has its first position.
  private func rows(from first: UInt64, through last: UInt64) throws -> PostgresRows {
    flush()
    let rows = try connection.rows(
      PostgresStatement(
        """
        SELECT \(RunRow.columns) FROM run WHERE store = $1 AND position <= $3 AND position >= (
          SELECT max(position) FROM run WHERE store = $1 AND position <= $2
        ) ORDER BY position LIMIT \(Self.readCount)
        """, .bytes(store.bytes), .integer(first), .integer(last)))[0]
    guard rows.count > 0 else { throw Self.missing(first) }
    return rows
  }

  private func visit(
    _ event: HeldEvent, at position: UInt64, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    let (payload, redacted): ([UInt8], RedactedContent?) =
      switch event.content {
      case .payload(let payload): (payload, nil)
      case .redacted(let redacted): ([], redacted)
      case .missing: ([], nil)
      }
    let branch = event.header.branch
    guard branch < state.branches.count else {
      throw LogError.corrupt("the row at position \(position) names branch \(branch)")
    }
    return try payload.withUnsafeBytes { payload in
      try body(
        RawEvent(
          position: LogPosition(rawValue: position), branch: BranchIndex(rawValue: branch),
          replica: state.branches[Int(branch)].replica,
          sequence: SequenceNumber(rawValue: event.header.sequence), id: event.id,
          payload: payload, redacted: redacted))
    }
  }

  private static func missing(_ position: UInt64) -> LogError {
    .corrupt("the event at position \(position) is missing")
  }
}
#endif
