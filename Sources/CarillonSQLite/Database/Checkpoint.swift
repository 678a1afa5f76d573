internal import CarillonModel

/// The position up to which a projection file has applied the log.
struct Checkpoint {
  let store: StoreID
  var position: LogPosition
  /// The ID of the last applied event; nil before the first.
  var event: EventID?
  var unknownCount: Int64
  var unreadableCount: Int64

  /// Creates a checkpoint before the first event.
  init(store: StoreID) {
    self.store = store
    position = .start
    unknownCount = 0
    unreadableCount = 0
  }

  /// Reads the table's only row.
  init(_ connection: Connection) throws {
    let row = try connection.prepare(
      "SELECT store, position, event, unknown_count, unreadable_count FROM checkpoint")
    guard try row.step(), let position = UInt64(exactly: row.integer(1)) else {
      throw ProjectionError(code: .damaged, message: "projections: the checkpoint is missing")
    }
    store = try row.id(0)
    self.position = LogPosition(rawValue: position)
    event = row.isNull(2) ? nil : try row.eventID(2)
    unknownCount = row.integer(3)
    unreadableCount = row.integer(4)
  }

  /// Inserts the only row into a new file.
  func insert(_ connection: Connection) throws {
    try connection.execute(
      Table.checkpoint.insertion, 1, store, position, event, unknownCount, unreadableCount,
      nil as [UInt8]?, nil as Int64?)
  }

  /// Updates the only row, which is one row change.
  ///
  /// The stored digest and its position do not change.
  func write(_ connection: Connection) throws {
    try connection.execute(
      "UPDATE checkpoint SET position = ?1, event = ?2, unknown_count = ?3, unreadable_count = ?4",
      position, event, unknownCount, unreadableCount)
  }
}
