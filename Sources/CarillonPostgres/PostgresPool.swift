#if Service
internal import CarillonHub
internal import CarillonModel
internal import CarillonThreads
internal import Dispatch
internal import Synchronization

/// The connections of a process to one database, for the logs of any number of stores.
///
/// At most half of them write, so that a decision inside a write can read.
package final class PostgresPool: Sendable {
  let options: PostgresOptions
  private let resting = Mutex(Resting())
  private let free: DispatchSemaphore
  private let freeForWriting: DispatchSemaphore
  /// The threads of the logs' writers, which wait for each other's appends.
  let writers = ThreadPool(size: maxWriterThreads)
  /// The threads of other calls.
  let executor: BlockingExecutor
  let appends = AppendBatches()
  let devices = DeviceLookUps()
  /// The connection by which no other process uses the database; nil if others may.
  private let sole: PostgresConnection?
  /// Whether commits may wait for a copy that nobody makes, so that each writer asks first.
  private let mayLackCopies = Mutex(false)

  private struct Resting {
    var connections: [PostgresConnection] = []
    var isClosed = false

    mutating func take() throws(LogError) -> PostgresConnection? {
      guard !isClosed else {
        throw LogError(code: .closed, message: "the connections to the database were closed")
      }
      return connections.popLast()
    }
  }

  /// The most writers whose appends can share a transaction.
  private static let maxWriterThreads = 64

  /// Connects, and applies the migrations that the database lacks.
  ///
  /// - Throws: `LogError`: `busy`, also if others use the database in a way that the options
  ///   exclude, if hubs must not use it, or if there are no copies although the options or the
  ///   server ask for them; `unsupportedFormat` if a newer program has changed the tables; `io`.
  package init(_ options: PostgresOptions) throws {
    precondition(options.connectionCount >= 2, "a pool needs at least two connections")
    self.options = options
    executor = BlockingExecutor(maxThreads: options.connectionCount)
    free = DispatchSemaphore(value: options.connectionCount)
    freeForWriting = DispatchSemaphore(value: options.connectionCount / 2)
    sole = try options.use == .exclusive ? DatabaseUse.alone(options) : nil
    let connection = try PostgresConnection(options)
    try connection.requireCopies()
    try options.migrations.apply(on: connection)
    try DatabaseUse.requireServing(options.use, on: connection)
    resting.withLock { $0.connections.append(connection) }
  }

  /// Closes the connections; one that is in use is closed when it is returned.
  package func close() {
    let connections = resting.withLock { resting in
      resting.isClosed = true
      defer { resting.connections = [] }
      return resting.connections
    }
    for connection in connections { connection.close() }
    if let sole { DatabaseUse.end(sole) }
  }

  /// Checks that no other process could use the database, if the options exclude others.
  ///
  /// - Throws: `busy` if the connection that excludes them was lost.
  func confirmUse() throws {
    if let sole { _ = try sole.rows(PostgresStatement("SELECT 1")) }
  }

  /// Returns a further connection, which is not one of the pool's.
  func connection() throws -> PostgresConnection { try PostgresConnection(options) }

  /// Calls `body` with a connection in a read-only transaction that sees one state.
  func read<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    let connection = try take(free)
    defer { put(connection, free) }
    connection.add(PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
    defer { connection.rollBack() }
    return try body(connection)
  }

  /// Calls `body` with a connection outside of a transaction, for one look-up.
  func look<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    let connection = try take(free)
    defer { put(connection, free) }
    return try body(connection)
  }

  /// Calls `body` with a connection in a transaction, and commits it unless `body` throws.
  func write<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    let connection = try takeWriter()
    defer { putWriter(connection) }
    connection.add(PostgresStatement("BEGIN"))
    do {
      let result = try body(connection)
      try connection.commit()
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Runs a statement in a transaction of its own, in one round trip.
  func commit(_ statement: PostgresStatement) throws -> PostgresRows {
    let connection = try takeWriter()
    defer { putWriter(connection) }
    connection.add(PostgresStatement("BEGIN"))
    connection.add(statement)
    do {
      return try connection.commit()[1]
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Calls `body` on a thread that may block.
  func blocking<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(executor) { try body() }
  }

  /// Checks that commits reach a copy, if they must, and remembers the answer for writers.
  ///
  /// - Throws: `busy` if they do not.
  func requireCopies(on connection: PostgresConnection) throws(LogError) {
    do {
      try connection.requireCopies()
    } catch {
      if error.obstacle == .noCopies { mayLackCopies.withLock { $0 = true } }
      throw error
    }
    mayLackCopies.withLock { $0 = false }
  }

  /// Returns a connection for a writer; the caller must call ``putWriter(_:)``.
  ///
  /// - Throws: `busy`, also if a commit would wait for a copy that nobody makes: it would keep the
  ///   locks of its rows until there is one.
  func takeWriter() throws -> PostgresConnection {
    try wait(for: freeForWriting)
    do {
      let connection = try take(free)
      do {
        if mayLackCopies.withLock({ $0 }) { try requireCopies(on: connection) }
        return connection
      } catch {
        put(connection, free)
        throw error
      }
    } catch {
      freeForWriting.signal()
      throw error
    }
  }

  func putWriter(_ connection: PostgresConnection) {
    if connection.lacksCopies { mayLackCopies.withLock { $0 = true } }
    put(connection, free)
    freeForWriting.signal()
  }

  // MARK: -

  private func wait(for semaphore: DispatchSemaphore) throws(LogError) {
    let seconds = options.deadline / .seconds(1)
    guard semaphore.wait(timeout: .now() + seconds) == .success else {
      throw .busy("all connections are in use", retryAfter: options.retryAfter)
    }
  }

  private func take(_ semaphore: DispatchSemaphore) throws -> PostgresConnection {
    try wait(for: semaphore)
    do {
      if let connection = try resting.withLock({ try $0.take() }) { return connection }
      let connection = try PostgresConnection(options)
      try DatabaseUse.requireServing(options.use, on: connection)
      return connection
    } catch {
      semaphore.signal()
      throw error
    }
  }

  private func put(_ connection: PostgresConnection, _ semaphore: DispatchSemaphore) {
    let isKept = resting.withLock { resting in
      // A server that ended one connection has most likely ended all.
      if connection.isClosed { resting.connections = [] }
      // What is left of a call must not become part of the next.
      guard !resting.isClosed, connection.isIdle else { return false }
      resting.connections.append(connection)
      return true
    }
    if !isKept { connection.close() }
    semaphore.signal()
  }
}
#endif
