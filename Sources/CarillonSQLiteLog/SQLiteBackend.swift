internal import CarillonLog
internal import CarillonModel
internal import Foundation
internal import Logging
internal import Synchronization

/// One handle's view of a log's file: its connections, its newest state and its identity.
final class SQLiteBackend: LogBackend {
  let pool: ConnectionPool
  /// The most bytes of the used pages after new events.
  private let byteLimit = Atomic(UInt64.max)
  private let states = StateCache()
  private let options: LogOptions
  /// Why the file was opened for reading only; nil if it can be written.
  private let refusal: LogError?
  /// The store directory.
  private let directory: String
  /// The identity of the log's files when they were opened.
  private let place: Mutex<FilesInPlace>
  /// The marker file as it was when it was first needed; nil before that.
  private let marker = Mutex<IdentityMarker?>(nil)

  /// Opens the file of a log.
  ///
  /// - Throws: `notFound`, `corrupt`, `unsupportedFormat`, `readOnly`, `full`, `busy`, `io`.
  init(_ name: String, in directory: String, options: LogOptions) throws {
    self.directory = directory
    self.options = options
    let path = directory + "/" + name
    guard try FileKey(of: path) != nil else {
      throw LogError(code: .notFound, message: "there is no store: \(directory) holds no log")
    }
    try FilesInPlace.requireOneName([name], in: directory)
    let (connection, refusal) = try Self.open(path, options)
    self.refusal = refusal
    pool = ConnectionPool(connection, options: options)
    place = Mutex(try Self.place(of: name, in: directory))
    do {
      _ = try read { $0.state }
    } catch {
      pool.close()
      throw error
    }
  }

  var newestState: LogState? { states.newest }

  // MARK: Reading

  /// Calls `body` with the newest snapshot, if the files are still those that were opened.
  func read<Result>(_ body: (SQLiteSnapshot) throws -> Result) throws -> Result {
    try checkFiles()
    return try readUnchecked(body)
  }

  private func readUnchecked<Result>(
    _ body: (SQLiteSnapshot) throws -> Result
  ) throws -> Result {
    try pool.with { connection in
      try connection.execute("BEGIN")
      defer { if connection.isInTransaction { try? connection.execute("ROLLBACK") } }
      return try body(SQLiteSnapshot(connection: connection, state: state(connection)))
    }
  }

  /// Checks that the file, and the files that SQLite keeps next to it, are those that were opened.
  ///
  /// - Throws: `io`, naming the file.
  func checkFiles() throws {
    try place.withLock { try $0.check() }
  }

  // MARK: Writing

  func setByteLimit(_ limit: UInt64) { byteLimit.store(limit, ordering: .relaxed) }

  func begin() throws -> any LogTransaction {
    guard !pool.isReadOnly else {
      if let refusal, refusal.code == .full { throw refusal }
      throw LogError.openedReadOnly(directory + "/" + LogFormat.fileName)
    }
    let connection = try pool.take()
    let limit = byteLimit.load(ordering: .relaxed)
    let transaction = try SQLiteTransaction(connection, byteLimit: limit, load: state) { [pool] in
      pool.put(connection)
    }
    do {
      try checkFiles()
      let marker = try currentMarker()
      if transaction.base.marker != marker {
        try transaction.claim(marker, makeReplicaID: options.makeReplicaID)
        options.logger.notice("the store directory is a copy, so the log takes a new identity")
      }
      return transaction
    } catch {
      transaction.abort()
      throw error
    }
  }

  func isFailure(_ error: any Error) -> Bool { (error as? LogError)?.cause is SQLiteFailure }

  func didEnd(with state: LogState, commitCount: Int?) { states.put(state) }

  func sync() throws { try pool.sync() }

  func translate(_ error: any Error) -> any Error { LogError.wrapping(error) }

  /// Whether the directory is a copy whose log has not yet taken an identity of its own.
  func mustClaimIdentity() throws -> Bool {
    guard !pool.isReadOnly else { return false }
    let marker = try currentMarker()
    return try read { $0.state.marker != marker }
  }

  /// Renames the completed log's file to its final name, and continues with it.
  func publish() throws {
    let (new, final) = (LogFormat.newFileName, LogFormat.fileName)
    try pool.move(to: directory + "/" + final) {
      let path = directory + "/" + new
      // All commits are in the file, unless another process has it open. Otherwise a kill would
      // lose them.
      guard try FileKey(of: path + LogFormat.suffixes[0]) == nil else {
        throw LogError(code: .io, message: "\(path) is in use by another process")
      }
      guard rename(path, directory + "/" + final) == 0 else {
        throw LogError.refused(errno, "cannot rename \(path)")
      }
    }
    // The files that were opened have their earlier names.
    _ = try readUnchecked { $0.state }
    let opened = try Self.place(of: final, in: directory)
    place.withLock { $0 = opened }
  }

  // MARK: -

  /// Returns the state in a connection's transaction; reads it from the tables only if another
  /// process has committed.
  private func state(_ connection: Connection) throws -> LogState {
    try states.state(after: SQLiteTables.commit(connection)) {
      try LogState(SQLiteTables(connection))
    }
  }

  private func currentMarker() throws -> IdentityMarker {
    try marker.withLock { marker in
      let path = directory + "/" + LogFormat.markerFileName
      let current = try marker ?? IdentityMarker(at: path, creating: true)
      marker = current
      return current
    }
  }

  /// Records the identity of the file, and of the files that SQLite keeps next to it while a
  /// connection is open.
  private static func place(of name: String, in directory: String) throws -> FilesInPlace {
    let companions = LogFormat.suffixes.map { name + $0 }
    return try FilesInPlace(
      directory: directory, names: [name] + companions, optional: Set(companions))
  }

  /// Opens a file for writing, or for reading only if the file or the directory cannot be written
  /// or the disk is full.
  ///
  /// - Returns: The connection, and the error of opening the file for writing.
  private static func open(
    _ path: String, _ options: LogOptions
  ) throws -> (Connection, refusal: LogError?) {
    do {
      return (try open(path, for: .shared, options), nil)
    } catch let error as LogError where [.readOnly, .notFound, .full].contains(error.code) {
      // No file can be created in the directory. The log's file is complete, unless commits are
      // left in the journal next to it. A connection that is alone reads these without a new file.
      var status = stat()
      let isComplete = stat(path + LogFormat.suffixes[0], &status) != 0 || status.st_size == 0
      let access: Connection.Access =
        isComplete ? .frozen : error.code == .full ? .exclusive : .readOnly
      return (try open(path, for: access, options), error)
    }
  }

  /// Opens a file and reads from it, which also opens the files next to it.
  private static func open(
    _ path: String, for access: Connection.Access, _ options: LogOptions
  ) throws -> Connection {
    let connection = try Connection(
      path, for: access, busyTimeout: options.busyTimeout, durability: options.durability)
    do {
      _ = try connection.integer("PRAGMA user_version")
    } catch {
      connection.close()
      throw error
    }
    return connection
  }
}
