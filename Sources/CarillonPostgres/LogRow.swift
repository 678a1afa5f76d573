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
    let id = PostgresValue.bytes(store.bytes)
    let rows = try connection.rows(
      PostgresStatement(
        """
        SELECT stamp, last_position, byte_count, byte_quota, device_quota, is_fenced FROM log
        WHERE store = $1 \(isLocked ? "FOR UPDATE" : "")
        """, id))[0]
    guard rows.count == 1 else {
      try HeldShard(store.shard, on: connection).requireHere(store)
      throw LogError(code: .notFound, message: "the database has no store \(store)")
    }
    guard !rows.flag(0, 5) else { throw .shardMoved(store) }
    stamp = try rows.integer(0, 0)
    lastPosition = try rows.integer(0, 1)
    byteCount = try rows.integer(0, 2)
    byteQuota = try rows.integer(0, 3)
    deviceQuota = try rows.integer(0, 4)
  }

  /// Refuses to add bytes that the quota does not allow.
  ///
  /// - Throws: `full`.
  func checkQuota(adding addedByteCount: Int) throws(LogError) {
    let byteCount = Int64(byteCount) + Int64(addedByteCount)
    guard byteCount > byteQuota, addedByteCount > 0 else { return }
    throw LogError(
      code: .full,
      message: "the log would have \(byteCount) bytes, and \(byteQuota) are allowed")
  }
}
#endif
