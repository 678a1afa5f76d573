internal import CarillonLog
internal import CarillonModel
internal import CarillonSQLiteVFS
internal import Foundation
internal import GRDBSQLite

/// A connection to a log's file, with its statements.
///
/// Sendable: one thread at a time uses it, and ``ConnectionPool`` hands it over under its lock.
final class Connection: @unchecked Sendable {
  let path: String
  /// The actual access: if a file cannot be written, SQLite opens it for reading only.
  let access: Access
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// The access for which a connection is opened.
  enum Access {
    /// For reading and writing, shared by several processes.
    case shared
    /// For reading and writing, by this connection only.
    case exclusive
    /// For reading.
    case readOnly
    /// For reading a file that no process writes: no other files are created and no lock is taken.
    case frozen

    var isReadOnly: Bool { self == .readOnly || self == .frozen }
  }

  /// Opens an existing file; the caller must call ``close()``.
  init(
    _ path: String, for access: Access, busyTimeout: Duration, durability: Durability = .full
  ) throws(LogError) {
    self.path = path
    var opened: OpaquePointer?
    let name =
      access == .frozen ? URL(filePath: path).absoluteString + "?immutable=1" : path
    let flags =
      (access.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
      | (access == .frozen ? SQLITE_OPEN_URI : 0)
    let registration = SystemFiles.registration
    let code =
      registration == SQLITE_OK
      ? sqlite3_open_v2(name, &opened, flags, SystemFiles.name) : registration
    guard let handle = opened, code == SQLITE_OK else {
      let error = LogError.sqlite(code, on: opened, path)
      sqlite3_close_v2(opened)
      throw error
    }
    self.handle = handle
    self.access = sqlite3_db_readonly(handle, "main") == 0 || access.isReadOnly ? access : .readOnly
    sqlite3_extended_result_codes(handle, 1)
    let milliseconds = busyTimeout / .milliseconds(1)
    sqlite3_busy_timeout(handle, Int32(exactly: milliseconds.rounded()) ?? .max)
    do {
      if access == .exclusive { try execute("PRAGMA locking_mode = EXCLUSIVE") }
      // With FULL, each commit syncs the journal before it returns. With NORMAL, only checkpoints
      // do, in an order that keeps the file consistent. Erased bytes are overwritten with zeros.
      try execute(
        """
        PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL"); PRAGMA secure_delete = ON;
        PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
        """)
    } catch {
      close()
      throw error
    }
  }

  func close() {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs statements that have no parameters.
  func execute(_ sql: String) throws(LogError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw .sqlite(code, on: handle, path) }
  }

  /// Returns a prepared statement, which is kept for later calls.
  func statement(_ sql: String) throws(LogError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try Statement(sql, on: handle, path)
    statements[sql] = statement
    return statement
  }

  /// Returns the first column of the first row as a number; nil if there is no row.
  func integer(_ sql: String, _ parameters: UInt64...) throws(LogError) -> UInt64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    for (index, value) in parameters.enumerated() { statement.bind(Int32(index + 1), value) }
    return try statement.step() && !statement.isNull(0) ? try statement.integer(0) : nil
  }
}

/// A prepared statement of one connection.
final class Statement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let path: String

  fileprivate init(
    _ sql: String, on connection: OpaquePointer, _ path: String
  ) throws(LogError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw .sqlite(code, on: connection, path) }
    handle = prepared
    self.connection = connection
    self.path = path
  }

  deinit { sqlite3_finalize(handle) }

  // MARK: Parameters, from 1

  func bind(_ index: Int32, _ value: UInt64) {
    sqlite3_bind_int64(handle, index, Int64(clamping: value))
  }

  /// Binds bytes that must stay valid until the statement has run; binds NULL for nil.
  func bind(_ index: Int32, unowned bytes: UnsafeRawBufferPointer?) {
    guard let bytes, let start = bytes.baseAddress else {
      sqlite3_bind_null(handle, index)
      return
    }
    sqlite3_bind_blob(handle, index, start, Int32(clamping: bytes.count), nil)
  }

  /// Binds a copy of bytes.
  func bind(_ index: Int32, _ bytes: [UInt8]) {
    sqlite3_bind_blob(handle, index, bytes, Int32(clamping: bytes.count), Self.copy)
  }

  func bind(_ index: Int32, _ text: String) {
    sqlite3_bind_text(handle, index, text, Int32(clamping: text.utf8.count), Self.copy)
  }

  /// `SQLITE_TRANSIENT`, which lets SQLite copy the bound value.
  private static let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  // MARK: Running

  /// Advances to the next row, and returns false if there is none.
  func step() throws(LogError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let error = LogError.sqlite(code, on: connection, path)
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs a statement that returns no rows.
  func run() throws(LogError) {
    _ = try step()
    sqlite3_reset(handle)
  }

  /// Resets the statement without reading its remaining rows.
  func reset() {
    sqlite3_reset(handle)
  }

  // MARK: Columns, from 0

  func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

  func integer(_ index: Int32) throws(LogError) -> UInt64 {
    guard sqlite3_column_type(handle, index) == SQLITE_INTEGER,
      let value = UInt64(exactly: sqlite3_column_int64(handle, index))
    else { throw damaged }
    return value
  }

  func integer<T: FixedWidthInteger>(_ index: Int32, as: T.Type) throws(LogError) -> T {
    guard let value = T(exactly: try integer(index)) else { throw damaged }
    return value
  }

  /// Returns the bytes of a blob, valid until the next step; no bytes if the column is NULL.
  func bytes(_ index: Int32) throws(LogError) -> UnsafeRawBufferPointer {
    guard [SQLITE_BLOB, SQLITE_NULL].contains(sqlite3_column_type(handle, index)) else {
      throw damaged
    }
    let start = sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(handle, index)))
  }

  func eventID(_ index: Int32) throws(LogError) -> EventID {
    let bytes = try bytes(index)
    guard bytes.count == EventID.byteCount else { throw damaged }
    return EventID(loading: bytes)
  }

  func text(_ index: Int32) -> String {
    sqlite3_column_text(handle, index).map { String(cString: $0) } ?? ""
  }

  private var damaged: LogError { .corrupt("\(path): invalid value in a row of the log") }
}
