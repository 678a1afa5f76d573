internal import CarillonModel
internal import Foundation
internal import GRDBSQLite

/// A connection to a SQLite file, used by one thread at a time.
package struct Connection {
  private let handle: OpaquePointer
  /// The statements that are not in use; nil for a connection that other code owns.
  private let statements: StatementCache?

  /// The purpose for which a file is opened.
  enum Access {
    /// To build it. Nothing is durable before the file is synchronized.
    case build
    /// To read and write it, concurrently with other processes.
    case serve
    /// To read it while other processes may write it.
    case read
    /// To read it while no process writes it: no files are created next to it, and no lock is
    /// taken.
    case frozen
    /// No file: a private database in memory.
    case memory

    /// False if queries can read the existing rows but nothing can be added.
    var isWritable: Bool { self != .read && self != .frozen }

    fileprivate var flags: Int32 {
      switch self {
      case .build, .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .serve: SQLITE_OPEN_READWRITE
      case .read: SQLITE_OPEN_READONLY
      case .frozen: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    }
  }

  /// The time that a connection waits for another process that holds the file, in milliseconds.
  private static let busyTimeout: Int32 = 10_000

  package init(_ handle: OpaquePointer) {
    self.handle = handle
    statements = nil
  }

  /// Opens a file; ``close()`` must follow.
  ///
  /// With `serve`, the file must exist and be writable: only the last connection with write access
  /// removes SQLite's files next to it.
  init(opening file: URL, for access: Access) throws {
    try self.init(
      opening: access == .frozen ? file.absoluteString + "?immutable=1" : file.filePath,
      access.flags,
      vfs: try ChecksummedFiles.vfsName())
    guard access == .serve, sqlite3_db_readonly(handle, "main") != 0 else { return }
    close()
    throw ProjectionError(resultCode: SQLITE_READONLY, "cannot open \(file.path) for writing")
  }

  /// Creates an empty database in memory; ``close()`` must follow.
  static func inMemory() throws -> Connection {
    try Connection(opening: ":memory:", Access.memory.flags, vfs: nil)
  }

  private init(opening name: String, _ flags: Int32, vfs: String?) throws {
    var handle: OpaquePointer?
    let result = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, vfs)
    guard let handle else {
      throw ProjectionError(resultCode: result, "cannot open \(name): out of memory")
    }
    guard result == SQLITE_OK else {
      let error = ProjectionError(connection: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    self.handle = handle
    statements = StatementCache()
    waitForOthers()
  }

  /// From now on, throws an error immediately if another process holds the file.
  func waitForNobody() {
    sqlite3_busy_timeout(handle, 0)
  }

  /// From now on, waits for another process that holds the file, as after opening.
  func waitForOthers() {
    sqlite3_busy_timeout(handle, Self.busyTimeout)
  }

  /// Runs a body in which another process that holds the file is an error immediately.
  func withoutWaiting<T>(_ body: () throws -> T) rethrows -> T {
    waitForNobody()
    defer { waitForOthers() }
    return try body()
  }

  /// Closes a connection that this code owns.
  ///
  /// If statements remain, it is closed with the last of them.
  func close() {
    statements?.close()
    sqlite3_close_v2(handle)
  }

  /// Reserves space for a checksum in every page of a database that has no pages yet.
  func reserveChecksums() throws {
    try execute(script: "PRAGMA page_size = \(PageChecksum.pageByteCount)")
    var count = Int32(PageChecksum.byteCount)
    let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    guard result == SQLITE_OK else {
      throw ProjectionError(resultCode: result, "cannot reserve space for checksums")
    }
  }

  /// Copies the whole database into an empty one.
  func copy(into other: Connection) throws {
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw ProjectionError(connection: other.handle)
    }
    let result = sqlite3_backup_step(backup, -1)
    sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE else {
      throw ProjectionError(resultCode: result, "cannot copy the projections into memory")
    }
  }

  /// Prepares one statement.
  package func prepare(_ sql: String) throws -> Statement {
    try Statement(handle, sql, statements)
  }

  /// Runs any number of statements without parameters.
  package func execute(script sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw ProjectionError(connection: handle)
    }
  }

  /// Prepares one statement and binds its parameters, starting at 1.
  package func query<each Value: ParameterValue>(
    _ sql: String, _ values: repeat each Value
  ) throws -> Statement {
    let statement = try prepare(sql)
    statement.bindAll(repeat each values)
    return statement
  }

  /// Runs one statement with parameters.
  func execute<each Value: ParameterValue>(
    _ sql: String, _ values: repeat each Value
  ) throws {
    try query(sql, repeat each values).run()
  }

  /// Returns the first column of the first row as a number; nil if there is no row.
  package func integer(_ sql: String) throws -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The number of rows that were inserted, changed or deleted since the connection was opened.
  var rowChangeCount: Int64 { sqlite3_total_changes64(handle) }

  /// The start of a transaction.
  enum Transaction: String {
    /// Reads a snapshot, which starts with the first read.
    case deferred = "BEGIN DEFERRED"
    /// Waits for the right to write.
    case immediate = "BEGIN IMMEDIATE"
  }

  /// Runs a body in a transaction.
  ///
  /// An error rolls it back.
  func transaction<T>(_ kind: Transaction, _ body: () throws -> T) throws -> T {
    try execute(script: kind.rawValue)
    do {
      let value = try body()
      try execute(script: "COMMIT")
      return value
    } catch {
      // SQLite itself may already have rolled back, for example on a full disk.
      if sqlite3_get_autocommit(handle) == 0 { try execute(script: "ROLLBACK") }
      throw error
    }
  }
}
