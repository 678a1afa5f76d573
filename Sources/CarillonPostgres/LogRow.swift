#if Service
internal import CarillonLog
internal import CarillonModel

/// The row of a store, which each writer locks.
struct LogRow {
  /// The random stamp of the last commit.
  let stamp: UInt64
  let lastPosition: UInt64
  let byteCount: UInt64
  let byteQuota: UInt64
  let deviceQuota: UInt64

  /// Reads the row in a connection's transaction.
  ///
  /// - Parameter isLocked: Whether other writers must wait until the transaction ends.
  /// - Throws: `notFound`; ``LogError/shardMoved(_:)`` if another database has the store, or will.
  init(
    of store: StoreID, on connection: PostgresConnection, locking isLocked: Bool = false
  ) throws(LogError) {
    let rows = try connection.rows(Self.statement(of: store, locking: isLocked))[0]
    try self.init(rows, of: store, on: connection)
  }

  /// The statement that reads the row of a store.
  static func statement(of store: StoreID, locking isLocked: Bool = false) -> PostgresStatement {
    PostgresStatement(
      "SELECT \(columns) FROM log WHERE store = $1" + (isLocked ? " FOR UPDATE" : ""),
      .bytes(store.bytes))
  }

  /// Creates a value from the rows that ``statement(of:locking:)`` returned.
  ///
  /// - Throws: `notFound`; ``LogError/shardMoved(_:)``.
  init(
    _ rows: PostgresRows, of store: StoreID, on connection: PostgresConnection
  ) throws(LogError) {
    guard rows.count == 1 else {
      try HeldShard(store.shard, on: connection).requireHere(store)
      throw LogError(code: .notFound, message: "the database has no store \(store)")
    }
    try self.init(rows, 0, from: 0, of: store)
  }

  /// Reads the row from six consecutive columns, in the order of ``columns``.
  ///
  /// - Throws: ``LogError/shardMoved(_:)``.
  init(
    _ rows: PostgresRows, _ row: Int, from column: Int, of store: StoreID
  ) throws(LogError) {
    guard !rows.flag(row, column + 5) else { throw .shardMoved(store) }
    stamp = try rows.integer(row, column)
    lastPosition = try rows.integer(row, column + 1)
    byteCount = try rows.integer(row, column + 2)
    byteQuota = try rows.integer(row, column + 3)
    deviceQuota = try rows.integer(row, column + 4)
  }

  static let columns = "stamp, last_position, byte_count, byte_quota, device_quota, is_fenced"

  private init(_ row: LogRow, stamp: UInt64, lastPosition: UInt64, byteCount: UInt64) {
    (self.stamp, self.lastPosition, self.byteCount) = (stamp, lastPosition, byteCount)
    (byteQuota, deviceQuota) = (row.byteQuota, row.deviceQuota)
  }

  /// Returns the row after a commit.
  func after(_ state: LogState, adding addedByteCount: Int) -> LogRow {
    LogRow(
      self, stamp: state.commit, lastPosition: state.lastPosition,
      byteCount: byteCount &+ UInt64(bitPattern: Int64(addedByteCount)))
  }

  /// Refuses to add bytes that the quota does not allow.
  ///
  /// - Throws: `full`.
  func checkQuota(adding addedByteCount: Int) throws(LogError) {
    guard !allows(adding: addedByteCount) else { return }
    throw .overQuota(bytes: UInt64(max(byteQuota, 0)), used: byteCount)
  }

  /// Whether the quota allows to add bytes.
  func allows(adding addedByteCount: Int) -> Bool {
    addedByteCount <= 0 || Int64(byteCount) + Int64(addedByteCount) <= byteQuota
  }
}
#endif
