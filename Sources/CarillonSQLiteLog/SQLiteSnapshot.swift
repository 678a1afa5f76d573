internal import CarillonLog
internal import CarillonModel

/// The tables of a log in one transaction of a connection.
struct SQLiteTables: LogTables {
  let connection: Connection
  let meta: MetaTable
  let commit: UInt64

  /// - Throws: `unsupportedFormat`, `corrupt`.
  init(_ connection: Connection) throws {
    self.connection = connection
    var values: [String: [UInt8]] = [:]
    try Self.visit("SELECT name, value FROM meta", on: connection) { row throws(LogError) in
      values[row.text(0)] = Array(try row.bytes(1))
    }
    meta = try MetaTable(values, version: LogFormat.version)
    commit = try Self.commit(connection)
  }

  /// Returns the number of the last commit.
  ///
  /// Each commit either adds events or increases `user_version`.
  static func commit(_ connection: Connection) throws(LogError) -> UInt64 {
    try lastPosition(connection) + (connection.integer("PRAGMA user_version") ?? 0)
  }

  private static func lastPosition(_ connection: Connection) throws(LogError) -> UInt64 {
    try connection.integer("SELECT max(position) FROM event") ?? 0
  }

  func lastPosition() throws -> UInt64 { try Self.lastPosition(connection) }

  func branchRows() throws -> [BranchRow] {
    var rows: [BranchRow] = []
    let sql = "SELECT number, value FROM branch ORDER BY number"
    try Self.visit(sql, on: connection) { row throws(LogError) in
      rows.append(
        try BranchRow(index: row.integer(0, as: UInt32.self), value: Array(row.bytes(1))))
    }
    return rows
  }

  func closingRows() throws -> [ClosingRow] {
    var rows: [ClosingRow] = []
    let sql = "SELECT position, value FROM closing ORDER BY position"
    try Self.visit(sql, on: connection) { row throws(LogError) in
      rows.append(ClosingRow(position: try row.integer(0), value: Array(try row.bytes(1))))
    }
    return rows
  }

  func lastRun(of branch: UInt32) throws -> StoredRun? {
    try connection.run(of: branch, atOrBefore: LogLimits.maxCounter)
  }

  func lastRunBranch() throws -> UInt32? {
    try connection.integer("SELECT max(branch) FROM run").map { UInt32(clamping: $0) }
  }

  func view(_ state: LogState) throws -> any LogView {
    SQLiteSnapshot(connection: connection, state: state)
  }

  private static func visit(
    _ sql: String, on connection: Connection, _ body: (Statement) throws(LogError) -> Void
  ) throws(LogError) {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    while try statement.step() { try body(statement) }
  }
}

/// The log in one transaction of a connection, for look-ups.
struct SQLiteSnapshot: RunIndexedView {
  let connection: Connection
  let state: LogState

  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws -> StoredRun? {
    try connection.run(of: branch, atOrBefore: sequence)
  }

  func visitRuns(_ body: (StoredRun) throws -> Bool) throws {
    try connection.visitRuns(body)
  }

  func header(at position: UInt64) throws -> EventHeader { try connection.header(at: position) }

  func event(at position: UInt64) throws -> HeldEvent { try connection.event(at: position) }

  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try connection.visitEvents(positions) { try body(raw($0)) }
  }

  private func raw(_ row: EventRow) -> RawEvent {
    RawEvent(
      position: LogPosition(rawValue: row.position), branch: BranchIndex(rawValue: row.branch),
      // The row of a misplaced event may name a branch that does not exist.
      replica: Int(row.branch) < state.branches.count
        ? state.branches[Int(row.branch)].replica : ReplicaID(high: 0, low: 0),
      sequence: SequenceNumber(rawValue: row.sequence), id: row.id, payload: row.payload,
      redacted: row.redacted)
  }
}

/// A row of the table `event`; its bytes are valid until the next step.
struct EventRow {
  let position: UInt64
  let branch: UInt32
  let sequence: UInt64
  let id: EventID
  /// The payload; empty if it was erased or is missing.
  let payload: UnsafeRawBufferPointer
  let redacted: RedactedContent?

  /// Reads position, branch, sequence, id, payload and erasure.
  init(_ row: Statement) throws(LogError) {
    position = try row.integer(0)
    branch = try row.integer(1, as: UInt32.self)
    sequence = try row.integer(2)
    id = try row.eventID(3)
    let content = try row.bytes(4)
    guard !row.isNull(5), content.count == EventID.byteCount else {
      payload = content
      redacted = nil
      return
    }
    payload = UnsafeRawBufferPointer(start: nil, count: 0)
    redacted = RedactedContent(
      digest: PayloadDigest(loading: content), erasure: try row.eventID(5))
  }

  /// A copy of the event.
  var held: HeldEvent {
    let content: StoredContent =
      if let redacted { .redacted(redacted) } else if payload.isEmpty { .missing } else {
        .payload([UInt8](payload))
      }
    return HeldEvent(
      header: EventHeader(branch: branch, sequence: sequence, id: id), content: content)
  }
}

extension Connection {
  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws(LogError) -> StoredRun? {
    let row = try statement(
      """
      SELECT branch, sequence, position, count FROM run WHERE branch = ?1 AND sequence <= ?2
      ORDER BY sequence DESC LIMIT 1
      """)
    defer { row.reset() }
    row.bind(1, UInt64(branch))
    row.bind(2, sequence)
    return try row.step() ? try StoredRun(row) : nil
  }

  func visitRuns(_ body: (StoredRun) throws -> Bool) throws {
    let row = try statement("SELECT branch, sequence, position, count FROM run")
    defer { row.reset() }
    while try row.step(), try body(StoredRun(row)) {}
  }

  func header(at position: UInt64) throws(LogError) -> EventHeader {
    let row = try statement("SELECT branch, sequence, id FROM event WHERE position = ?1")
    defer { row.reset() }
    row.bind(1, position)
    guard try row.step() else { throw Self.missing(position) }
    return EventHeader(
      branch: try row.integer(0, as: UInt32.self), sequence: try row.integer(1),
      id: try row.eventID(2))
  }

  func event(at position: UInt64) throws(LogError) -> HeldEvent {
    // Uses another statement than a scan does, because a scan may be in progress.
    let row = try statement("SELECT \(Self.columns) FROM event WHERE position = ?1")
    defer { row.reset() }
    row.bind(1, position)
    guard try row.step() else { throw Self.missing(position) }
    return try EventRow(row).held
  }

  private static let columns = "position, branch, sequence, id, payload, erasure"

  /// Calls `body` for the rows at positions that the log must all hold.
  func visitEvents(
    _ positions: ClosedRange<UInt64>, _ body: (EventRow) throws -> Bool
  ) throws -> Bool {
    let row = try statement(
      """
      SELECT \(Self.columns) FROM event WHERE position BETWEEN ?1 AND ?2 ORDER BY position
      """)
    defer { row.reset() }
    row.bind(1, positions.lowerBound)
    row.bind(2, positions.upperBound)
    var next = positions.lowerBound
    while try row.step() {
      let event = try EventRow(row)
      guard event.position == next else { throw Self.missing(next) }
      guard try body(event) else { return false }
      next += 1
    }
    guard next == positions.upperBound + 1 else { throw Self.missing(next) }
    return true
  }

  private static func missing(_ position: UInt64) -> LogError {
    .corrupt("the event at position \(position) is missing")
  }
}

extension StoredRun {
  /// Reads branch, sequence, position and count.
  init(_ row: Statement) throws(LogError) {
    try self.init(
      branch: row.integer(0, as: UInt32.self), firstSequence: row.integer(1),
      firstPosition: row.integer(2), count: row.integer(3))
  }
}
