#if Service
package import CarillonLog
package import CarillonModel
internal import Synchronization

/// The event log of one store on PostgreSQL.
///
/// Any number of processes may serve the same store. Each transaction locks or reads the store's
/// row first; what this process remembers counts only if that row has the same random stamp.
package final class PostgresEventLog: LogAdapter {
  package let handle: LogHandle
  private let backend: PostgresBackend

  private init(_ backend: PostgresBackend) {
    self.backend = backend
    let appends = Broadcast<LogPosition>()
    let writer = LogWriter(
      backend, appends: appends, makeReplicaID: backend.pool.options.makeReplicaID)
    handle = LogHandle(backend.store, writer, appends: appends)
  }

  /// Creates an empty log.
  ///
  /// - Throws: `LogError`: `alreadyExists`, `busy`, `unknownOutcome`, `io`.
  package static func create(
    in pool: PostgresPool, storeID: StoreID, replica: ReplicaID
  ) throws -> PostgresEventLog {
    let backend = PostgresBackend(pool, storeID)
    try backend.create(replica)
    return PostgresEventLog(backend)
  }

  /// Opens the log of a store.
  ///
  /// - Throws: `LogError`: `notFound`, `unsupportedFormat`, `corrupt`, `busy`, `io`.
  package static func open(in pool: PostgresPool, storeID: StoreID) throws -> PostgresEventLog {
    let backend = PostgresBackend(pool, storeID)
    _ = try backend.read { $0.state }
    return PostgresEventLog(backend)
  }

  package func close() async {
    guard handle.end() else { return }
    await handle.writer.afterWaiting {}
  }

  package func read<Result>(_ body: (any ScannableView) throws -> Result) throws -> Result {
    try handle.checkOpen()
    return try backend.read(body)
  }
}

/// The part of a database that holds one store.
private final class PostgresBackend: LogBackend {
  let pool: PostgresPool
  let store: StoreID
  /// The state that was seen last.
  private let seen = Mutex<LogState?>(nil)

  init(_ pool: PostgresPool, _ store: StoreID) {
    (self.pool, self.store) = (pool, store)
  }

  var newestState: LogState? { seen.withLock { $0 } }

  func create(_ replica: ReplicaID) throws {
    let meta = MetaTable.sealed([
      .format: PostgresTables.version.bigEndianBytes, .store: store.bytes,
      .replica: replica.bytes, .branch: LogState.ownBranchBytes(nil),
    ])
    let connection = try pool.takeWriter()
    defer { pool.putWriter(connection) }
    let id = PostgresValue.bytes(store.bytes)
    connection.add(PostgresStatement("BEGIN"))
    let rows = try connection.rows(
      PostgresStatement(
        "INSERT INTO log VALUES ($1, $2, 0) ON CONFLICT DO NOTHING RETURNING 1", id,
        .integer(.random(in: .min ... .max))))
    guard rows[0].count == 1 else {
      _ = try connection.rows(PostgresStatement("ROLLBACK"))
      throw LogError(
        code: .alreadyExists, message: "the database has a store \(store) already")
    }
    for (key, value) in meta {
      connection.add(
        PostgresStatement(
          "INSERT INTO meta VALUES ($1, $2, $3)", id, .text(key.rawValue), .bytes(value)))
    }
    try connection.commit()
  }

  func read<Result>(_ body: (PostgresSnapshot) throws -> Result) throws -> Result {
    try pool.read { connection in
      try body(PostgresSnapshot(connection, state(connection, lock: "")))
    }
  }

  func begin() throws -> any LogTransaction {
    let connection = try pool.takeWriter()
    do {
      connection.add(PostgresStatement("BEGIN"))
      let state = try state(connection, lock: "FOR UPDATE")
      return PostgresTransaction(connection, state) { [pool] in pool.putWriter(connection) }
    } catch {
      if !connection.isClosed { _ = try? connection.rows(PostgresStatement("ROLLBACK")) }
      pool.putWriter(connection)
      throw error
    }
  }

  func isFailure(_ error: any Error) -> Bool { (error as? LogError)?.cause is PostgresFailure }

  func didEnd(with state: LogState, commitCount: Int?) { seen.withLock { $0 = state } }

  func translate(_ error: any Error) -> any Error { LogError.wrapping(error) }

  /// Returns the state in a connection's transaction.
  private func state(_ connection: PostgresConnection, lock: String) throws -> LogState {
    let rows = try connection.rows(
      PostgresStatement(
        "SELECT stamp, last_position FROM log WHERE store = $1 \(lock)", .bytes(store.bytes)))[0]
    guard rows.count == 1 else {
      throw LogError(code: .notFound, message: "the database has no store \(store)")
    }
    let stamp = try rows.integer(0, 0)
    if let seen = newestState, seen.commit == stamp { return seen }
    let state = try LogState(
      PostgresTables(connection, store, stamp: stamp, lastPosition: rows.integer(0, 1)))
    guard state.storeID == store else {
      throw LogError.corrupt("the rows of store \(store) name store \(state.storeID)")
    }
    seen.withLock { $0 = state }
    return state
  }
}
#endif
