internal import CarillonModel
internal import GRDBSQLite

/// A prepared statement, which is bound and stepped directly, without another layer for each row.
///
/// It belongs to one connection and is used only on that connection's thread. Identifiers of fixed
/// size and short texts are bound from the statement's own memory, which is valid until the next
/// binding.
package final class Statement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let scratch: UnsafeMutableRawPointer
  private let sql: String
  /// Receives the statement at the end; nil if it is not used again.
  private let cache: StatementCache?

  /// Prepares one statement, or takes it from a cache.
  init(_ connection: OpaquePointer, _ sql: String, _ cache: StatementCache?) throws {
    (self.connection, self.sql, self.cache) = (connection, sql, cache)
    if let kept = cache?.take(sql) {
      (handle, scratch) = (kept.handle, kept.scratch)
      return
    }
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &prepared, nil) == SQLITE_OK,
      let prepared
    else { throw ProjectionError(connection: connection) }
    handle = prepared
    let count = Int(sqlite3_bind_parameter_count(prepared))
    scratch = .allocate(byteCount: count * EventID.byteCount, alignment: 8)
  }

  deinit {
    let prepared = StatementCache.Prepared(handle: handle, scratch: scratch)
    if let cache { cache.put(prepared, sql) } else { prepared.finalize() }
  }

  // MARK: - Parameters, starting at 1

  func bind(_ index: Int32, _ id: EventID) {
    let place = scratch + Int(index - 1) * EventID.byteCount
    place.storeBytes(of: id.bigEndianWords, as: EventID.Words.self)
    checkBound(sqlite3_bind_blob(handle, index, place, Int32(EventID.byteCount), nil))
  }

  func bind<Subject>(_ index: Int32, _ id: Identifier<Subject>) {
    let place = scratch + Int(index - 1) * EventID.byteCount
    place.storeBytes(of: id.high.bigEndian, as: UInt64.self)
    place.storeBytes(of: id.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    checkBound(sqlite3_bind_blob(handle, index, place, 16, nil))
  }

  func bind(_ index: Int32, _ value: Int64) {
    checkBound(sqlite3_bind_int64(handle, index, value))
  }

  func bind(_ index: Int32, _ text: String) {
    let count = text.utf8.count
    if count <= EventID.byteCount {
      // SQLite would allocate memory for a copy.
      let place = (scratch + Int(index - 1) * EventID.byteCount)
      UnsafeMutableRawBufferPointer(start: place, count: count).copyBytes(from: text.utf8)
      return checkBound(
        sqlite3_bind_text(
          handle, index, place.assumingMemoryBound(to: CChar.self), Int32(count), nil))
    }
    let result = sqlite3_bind_text(handle, index, text, Int32(clamping: text.utf8.count), Self.copy)
    checkBound(result)
  }

  /// Binds bytes that must stay in place until the statement has run.
  func bind(_ index: Int32, unowned bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return bindEmpty(index) }
    checkBound(sqlite3_bind_blob(handle, index, start, Int32(clamping: bytes.count), nil))
  }

  func bindNull(_ index: Int32) {
    checkBound(sqlite3_bind_null(handle, index))
  }

  /// Binds an empty blob.
  func bindEmpty(_ index: Int32) {
    checkBound(sqlite3_bind_zeroblob(handle, index, 0))
  }

  /// Binds bytes that are copied.
  func bind(_ index: Int32, copied bytes: [UInt8]) {
    guard !bytes.isEmpty else { return bindEmpty(index) }
    checkBound(sqlite3_bind_blob(handle, index, bytes, Int32(clamping: bytes.count), Self.copy))
  }

  /// Binds a parameter to the value of a column of another statement.
  func bind(_ index: Int32, column: Int, of row: Statement) {
    checkBound(sqlite3_bind_value(handle, index, sqlite3_column_value(row.handle, Int32(column))))
  }

  /// Binds a parameter to a value.
  func bind(_ index: Int32, _ value: some ParameterValue) {
    value.bind(to: self, index)
  }

  /// Binds all parameters, or those after the first `count`.
  func bindAll<each Value: ParameterValue>(after count: Int = 0, _ values: repeat each Value) {
    var index = Int32(count)
    repeat bind(each values, after: &index)
  }

  @inline(__always)
  private func bind(_ value: some ParameterValue, after index: inout Int32) {
    index += 1
    value.bind(to: self, index)
  }

  /// Binds all parameters and runs the statement.
  func run<each Value: ParameterValue>(_ values: repeat each Value) throws {
    bindAll(repeat each values)
    try run()
  }

  private func checkBound(_ result: Int32) {
    precondition(
      result == SQLITE_OK || result == SQLITE_NOMEM, "the statement has no such parameter")
  }

  // MARK: - Running

  /// Runs a statement that returns no rows.
  ///
  /// Its parameters stay bound.
  func run() throws {
    let result = sqlite3_step(handle)
    guard result == SQLITE_DONE else {
      let error = ProjectionError(connection: connection)
      sqlite3_reset(handle)
      throw error
    }
    sqlite3_reset(handle)
  }

  /// Moves to the next row, and returns false if there is none.
  ///
  /// In that case the statement can be bound again.
  package func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW:
      return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      throw ProjectionError(connection: connection)
    }
  }

  /// Discards the remaining rows, so that the statement can be bound again.
  func reset() {
    sqlite3_reset(handle)
  }

  // MARK: - Columns, starting at 0

  /// Returns the value of a column.
  ///
  /// Its bytes are valid until the next step.
  package func column(_ index: Int) -> ColumnValue {
    // The functions for a column look for the column each time.
    let value = sqlite3_column_value(handle, Int32(index))
    func bytes() -> UnsafeRawBufferPointer {
      // Asked for text, SQLite would copy it to add a zero byte.
      let start = sqlite3_value_blob(value)
      return .init(start: start, count: Int(sqlite3_value_bytes(value)))
    }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_BLOB: return .blob(bytes())
    case SQLITE_TEXT: return .text(bytes())
    default:
      // Tables are STRICT, and no column is REAL.
      return .null
    }
  }

  /// Returns bytes for the first columns, which differ if the values differ.
  func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ kind: UInt8, _ value: UnsafeRawBufferPointer) {
      bytes.append(kind)
      withUnsafeBytes(of: value.count) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: value)
    }
    for index in 0..<count {
      switch column(index) {
      case .null: bytes.append(0)
      case .integer(let number): withUnsafeBytes(of: number) { append(1, $0) }
      case .blob(let value): append(2, value)
      case .text(let value): append(3, value)
      }
    }
    return bytes
  }

  /// Whether a column is NULL.
  package func isNull(_ index: Int) -> Bool {
    sqlite3_column_type(handle, Int32(index)) == SQLITE_NULL
  }

  package func integer(_ index: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(index))
  }

  func date(_ index: Int) throws -> CivilDate {
    guard let day = Int32(exactly: integer(index)) else { throw Self.damagedValue }
    return CivilDate(rawValue: day)
  }

  func instant(_ index: Int) -> Instant {
    Instant(milliseconds: integer(index))
  }

  package func text(_ index: Int) throws -> String {
    guard case .text(let bytes) = column(index) else { throw Self.damagedValue }
    return String(decoding: bytes, as: UTF8.self)
  }

  func optionalText(_ index: Int) throws -> String? {
    isNull(index) ? nil : try text(index)
  }

  /// Returns a value that is stored as its text.
  func parsed<Value: LosslessStringConvertible>(_ index: Int) throws -> Value {
    guard let value = Value(try text(index)) else { throw Self.damagedValue }
    return value
  }

  /// Returns the bytes of a blob, which are valid until the next step.
  func blob(_ index: Int) throws -> UnsafeRawBufferPointer {
    guard case .blob(let bytes) = column(index) else { throw Self.damagedValue }
    return bytes
  }

  func id<Subject>(_ index: Int) throws -> Identifier<Subject> {
    let bytes = try blob(index)
    guard bytes.count == Identifier<Subject>.byteCount else { throw Self.damagedValue }
    return Identifier(loading: bytes)
  }

  func optionalID<Subject>(_ index: Int) throws -> Identifier<Subject>? {
    isNull(index) ? nil : try id(index)
  }

  /// Returns the position of an event.
  func position(_ index: Int) throws -> LogPosition {
    guard let position = UInt64(exactly: integer(index)) else { throw Self.damagedValue }
    return LogPosition(rawValue: position)
  }

  func eventID(_ index: Int) throws -> EventID {
    let bytes = try blob(index)
    guard bytes.count == EventID.byteCount else { throw Self.damagedValue }
    return EventID(loading: bytes)
  }

  static let damagedValue = ProjectionError(
    code: .damaged, message: "invalid value in projection row")

  /// Tells SQLite to copy the bound bytes.
  private static let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// One value of a row, in place.
package enum ColumnValue {
  case null
  case integer(Int64)
  case blob(UnsafeRawBufferPointer)
  case text(UnsafeRawBufferPointer)
}
