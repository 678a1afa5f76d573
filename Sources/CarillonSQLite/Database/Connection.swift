internal import GRDBSQLite

/// A connection to a projection file, used on its queue only.
struct Connection {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  /// Opens a file that is there and can be written; ``close()`` must follow.
  ///
  /// Only the last connection that may write leaves nothing beside the file.
  init(opening path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(path, &handle, flags, nil)
    guard result == SQLITE_OK, let handle, sqlite3_db_readonly(handle, "main") == 0 else {
      sqlite3_close_v2(handle)
      let code = result == SQLITE_OK ? SQLITE_READONLY : result
      throw ProjectionError(resultCode: code, "cannot open \(path)")
    }
    sqlite3_busy_timeout(handle, 10_000)
    self.handle = handle
  }

  /// Closes a connection of one's own, whose statements are gone.
  func close() {
    sqlite3_close_v2(handle)
  }

  /// Prepares one statement.
  func prepare(_ sql: String) throws -> Statement {
    try Statement(handle, sql)
  }

  /// Runs statements that give no rows of interest.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw ProjectionError(connection: handle)
    }
  }

  /// Runs one statement with parameters.
  func execute(_ sql: String, _ bind: (Statement) -> Void) throws {
    let statement = try prepare(sql)
    bind(statement)
    try statement.run()
  }

  /// Takes away the look that GRDB has at every column which a statement names, to learn what to
  /// observe; nothing here is observed.
  func removeAuthorizer() {
    sqlite3_set_authorizer(handle, nil, nil)
  }

  /// The first column of the first row, as a number; nil without a row.
  func integer(_ sql: String) throws -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// How many rows were inserted, changed or deleted since the connection was opened.
  var rowChangeCount: Int64 { sqlite3_total_changes64(handle) }

  /// How a transaction begins.
  enum Transaction: String {
    /// A snapshot, taken by the first reading.
    case deferred = "BEGIN DEFERRED"
    /// The right to write, waited for.
    case immediate = "BEGIN IMMEDIATE"
  }

  /// Runs a body in a transaction; an error rolls it back.
  func transaction<T>(_ kind: Transaction, _ body: () throws -> T) throws -> T {
    try execute(kind.rawValue)
    do {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // SQLite itself may have rolled back already, as after a full disk.
      if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
      throw error
    }
  }
}
