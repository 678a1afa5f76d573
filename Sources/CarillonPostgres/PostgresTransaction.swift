#if Service
internal import CarillonLog
internal import CarillonModel

/// One write transaction, which holds the lock of the store's row.
final class PostgresTransaction: LogTransaction, RunIndexedView {
  let base: LogState
  /// Starts at 1, so that a call that finds all in place commits, too: the commit is what waits for
  /// the standby.
  private(set) var putCount = 1
  private let snapshot: PostgresSnapshot
  private let backend: PostgresBackend
  private let row: LogRow
  private var hasEnded = false

  /// - Parameters:
  ///   - connection: A writer of the pool, in a transaction that holds the lock of the store's row.
  ///   - newest: What the connection has read.
  init(_ backend: PostgresBackend, _ connection: PostgresConnection, _ newest: SeenLog) {
    self.backend = backend
    (row, base) = (newest.row, newest.state)
    snapshot = PostgresSnapshot(connection, newest.state)
  }

  var state: LogState {
    _read { yield snapshot.state }
    _modify { yield &snapshot.state }
  }

  private var connection: PostgresConnection { snapshot.connection }
  private var store: PostgresValue { .bytes(snapshot.store.bytes) }

  // MARK: Look-ups, which see the writes of this transaction

  func run(of branch: UInt32, atOrBefore sequence: UInt64) throws -> StoredRun? {
    try snapshot.run(of: branch, atOrBefore: sequence)
  }

  func visitRuns(_ body: (StoredRun) throws -> Bool) throws { try snapshot.visitRuns(body) }

  func header(at position: UInt64) throws -> EventHeader { try snapshot.header(at: position) }

  func event(at position: UInt64) throws -> HeldEvent { try snapshot.event(at: position) }

  func visitRows(
    _ positions: ClosedRange<UInt64>, _ body: (RawEvent) throws -> Bool
  ) throws -> Bool {
    try snapshot.visitRows(positions, body)
  }

  // MARK: Writing

  func put(
    _ contents: [StoredContent], ids: ArraySlice<EventID>, at place: LogState.Place
  ) throws {
    try insert(NewRow.rows(contents, ids: ids, at: place))
  }

  func insert(_ rows: [NewRow]) throws {
    for row in rows {
      snapshot.insert(row)
      // Also if that is over the quota: the statements wait, so the transaction cannot go on.
      putCount += Int(row.run.count)
    }
    try row.checkQuota(adding: snapshot.addedByteCount)
  }

  func replace(at position: UInt64, by event: HeldEvent) throws {
    putCount += 1
    try snapshot.replace(at: position, by: event)
  }

  func put(_ closing: Branch.Closing, on branch: UInt32) throws {
    putCount += 1
    connection.add(
      PostgresStatement(
        """
        INSERT INTO closing VALUES ($1, $2, $3)
        ON CONFLICT (store, position) DO UPDATE SET value = excluded.value
        """, store, .integer(closing.position.rawValue),
        .bytes(ClosingRow.value(of: closing, on: branch))))
  }

  func rebuildRuns() throws -> [ClosingEvent] {
    // The rows of events are the runs.
    putCount += 1
    return try visitRunsOfEvents { _ in }
  }

  func putMeta(_ key: MetaKey, _ value: [UInt8]) throws {
    putCount += 1
    state.meta[key] = value
    connection.add(
      PostgresStatement(
        """
        INSERT INTO meta VALUES ($1, $2, $3)
        ON CONFLICT (store, name) DO UPDATE SET value = excluded.value
        """, store, .text(key.rawValue), .bytes(value)))
  }

  func commit() throws {
    do {
      try flush()
      try connection.commit()
    } catch {
      abort()
      throw error
    }
    hasEnded = true
    backend.pool.putWriter(connection)
    backend.note(
      SeenLog(row: row.after(state, adding: snapshot.addedByteCount), state: snapshot.state))
  }

  func abort() {
    guard !hasEnded else { return }
    hasEnded = true
    connection.rollBack()
    backend.pool.putWriter(connection)
  }

  // MARK: -

  private func flush() throws {
    snapshot.flush()
    for branch in state.unsavedBranches.sorted() {
      putCount += 1
      connection.add(
        PostgresStatement(
          """
          INSERT INTO head VALUES ($1, $2, $3)
          ON CONFLICT (store, branch) DO UPDATE SET value = excluded.value
          """, store, .integer(UInt64(branch)),
          .bytes(BranchRow.value(of: state.branches[Int(branch)]))))
    }
    state.unsavedBranches = []
    if state.ownBranch != base.ownBranch {
      try putMeta(.branch, LogState.ownBranchBytes(state.ownBranch))
    }
    if state.meta.checksum != state.meta[.checksum] {
      try putMeta(.checksum, state.meta.checksum)
    }
    guard putCount > 1 else { return }
    // Events that were damaged may now be intact.
    if state.lastPosition == base.lastPosition { state.forks = [:] }
    state.commit = .random(in: .min ... .max)
    connection.add(
      PostgresStatement(
        """
        UPDATE log SET stamp = $2, last_position = $3, byte_count = byte_count + $4
        WHERE store = $1
        """, store, .integer(state.commit), .integer(state.lastPosition),
        .integer(UInt64(bitPattern: Int64(snapshot.addedByteCount)))))
  }
}
#endif
