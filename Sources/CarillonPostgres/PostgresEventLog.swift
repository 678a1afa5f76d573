#if Service
internal import CarillonHub
package import CarillonLog
package import CarillonModel
internal import Synchronization

/// The event log of one store on PostgreSQL.
///
/// Any number of processes may serve the same store. Each transaction locks or reads the store's
/// row first; what this process remembers counts only if that row has the same random stamp.
package final class PostgresEventLog: StoredLog, LogAdapter {
  package let handle: LogHandle
  let backend: PostgresBackend

  private init(_ backend: PostgresBackend) {
    self.backend = backend
    let appends = Broadcast<LogPosition>()
    let writer = LogWriter(
      backend, appends: appends, on: backend.pool.writers,
      makeReplicaID: backend.pool.options.makeReplicaID)
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
    _ = try backend.load()
    return PostgresEventLog(backend)
  }

  package func close() async {
    guard handle.end() else { return }
    await handle.writer.afterWaiting {}
  }

  package func closeBlocking() {
    guard handle.end() else { return }
    handle.writer.afterWaitingNow {}
  }

  /// Checks that the database still has the store.
  package func checkFiles() throws {
    guard !handle.isClosed else { return }
    _ = try backend.read { $0.state }
  }

  package func verify(
    maxProblemCount: Int, progress: @escaping @Sendable (_ count: UInt64) -> Bool
  ) throws -> [LogProblem] {
    try handle.checkOpen()
    backend.forget()
    return try backend.read { snapshot in
      var verification = LogVerification(
        snapshot, maxProblemCount: maxProblemCount, progress: progress)
      return try verification.finish(from: 1) { nil }
    }
  }

  package func read<Result>(_ body: (any ScannableView) throws -> Result) throws -> Result {
    try handle.checkOpen()
    return try backend.read(body)
  }
}

/// The part of a database that holds one store.
final class PostgresBackend: LogBackend {
  let pool: PostgresPool
  let store: StoreID
  private let memory = Mutex(Memory())

  private struct Memory {
    /// What was seen last.
    var seen: SeenLog?
    /// Whether another process commits at the same time, so that the next transaction must lock.
    var isContended = false
  }

  init(_ pool: PostgresPool, _ store: StoreID) {
    (self.pool, self.store) = (pool, store)
  }

  var newestState: LogState? { memory.withLock { $0.seen?.state } }

  /// The number of bytes of the newest state, as the quota counts them.
  var newestByteCount: UInt64? { memory.withLock { $0.seen?.row.byteCount } }

  /// Forgets what was seen last, so that the next call reads it from the tables.
  func forget() { memory.withLock { $0.seen = nil } }

  func note(_ seen: SeenLog) { memory.withLock { $0.seen = seen } }

  /// Creates the log.
  ///
  /// - Parameter alongside: Called in the transaction, to do more in it.
  func create(
    _ replica: ReplicaID, alongside: (PostgresConnection) throws -> Void = { _ in }
  ) throws {
    let meta = MetaTable.sealed([
      .format: PostgresTables.version.bigEndianBytes, .store: store.bytes,
      .replica: replica.bytes, .branch: LogState.ownBranchBytes(nil),
    ])
    let id = PostgresValue.bytes(store.bytes)
    try pool.write { connection in
      let rows = try connection.rows(
        PostgresStatement(
          "INSERT INTO log VALUES ($1, $2, 0) ON CONFLICT DO NOTHING RETURNING 1", id,
          .integer(.random(in: .min ... .max))))
      guard rows[0].count == 1 else {
        throw LogError(
          code: .alreadyExists, message: "the database has a store \(store) already")
      }
      for (key, value) in meta {
        connection.add(
          PostgresStatement(
            "INSERT INTO meta VALUES ($1, $2, $3)", id, .text(key.rawValue), .bytes(value)))
      }
      try alongside(connection)
    }
  }

  func read<Result>(_ body: (PostgresSnapshot) throws -> Result) throws -> Result {
    try pool.read { connection in
      let row = try LogRow(of: store, on: connection)
      return try body(PostgresSnapshot(connection, state(connection, row)))
    }
  }

  /// Returns the state that a row of the store confirms, if it is known.
  func known(at row: LogRow) -> LogState? {
    memory.withLock { $0.seen.flatMap { $0.row.stamp == row.stamp ? $0.state : nil } }
  }

  /// Returns the state that a row of the store confirms, or a newer one.
  func state(at row: LogRow) throws -> LogState {
    try known(at: row) ?? load()
  }

  /// Reads the newest state from the tables, in one round trip.
  func load() throws -> LogState {
    try pool.look { connection in
      let rows = try connection.rows(
        [
          PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
          LogRow.statement(of: store),
        ] + PostgresTables.statements(store) + [PostgresStatement("COMMIT")])
      let row = try LogRow(rows[1], of: store, on: connection)
      return try state(PostgresTables(Array(rows[2...4]), row, on: connection), row)
    }
  }

  func begin() throws -> any LogTransaction {
    let seen = memory.withLock { memory in
      defer { memory.isContended = false }
      return memory.isContended ? nil : memory.seen
    }
    return try seen.map { PostgresAppend(self, $0) } ?? beginLocked()
  }

  /// Begins a transaction that holds the lock of the store's row.
  func beginLocked() throws -> PostgresTransaction {
    let connection = try pool.takeWriter()
    do {
      connection.add(PostgresStatement("BEGIN"))
      return PostgresTransaction(self, connection, try lock(connection))
    } catch {
      connection.rollBack()
      pool.putWriter(connection)
      throw error
    }
  }

  func isFailure(_ error: any Error) -> Bool {
    error is PostgresAppend.Overtaken || (error as? LogError)?.cause is any RetryCause
  }

  func recover(from error: any Error) -> Bool {
    guard error is PostgresAppend.Overtaken else { return false }
    memory.withLock { $0.isContended = true }
    return true
  }

  /// The transactions have noted what they committed.
  func didEnd(with state: LogState, commitCount: Int?) {}

  func translate(_ error: any Error) -> any Error { LogError.wrapping(error) }

  /// Locks the store's row, and returns it with the state.
  func lock(_ connection: PostgresConnection) throws -> SeenLog {
    let row = try LogRow(of: store, on: connection, locking: true)
    return SeenLog(row: row, state: try state(connection, row))
  }

  /// Returns the state in a connection's transaction.
  private func state(_ connection: PostgresConnection, _ row: LogRow) throws -> LogState {
    if let state = known(at: row) { return state }
    let rows = try connection.rows(PostgresTables.statements(store))
    return try self.state(PostgresTables(rows, row, on: connection), row)
  }

  private func state(_ tables: PostgresTables, _ row: LogRow) throws -> LogState {
    let state = try LogState(tables)
    guard state.storeID == store else {
      throw LogError.corrupt("the rows of store \(store) name store \(state.storeID)")
    }
    note(SeenLog(row: row, state: state))
    return state
  }
}

/// A state of a log, and the row of its store, which have the same stamp.
struct SeenLog {
  let row: LogRow
  let state: LogState
}
#endif
