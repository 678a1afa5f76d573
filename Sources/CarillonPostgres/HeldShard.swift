#if Service
internal import CarillonModel

extension StoreID {
  /// The number of logical shards, which never changes.
  static let shardCount = 1_024

  /// The shard of the store, which the column `shard` has, too.
  ///
  /// It is the number in the first two bytes of the SHA-256 of the ID, modulo the number of shards.
  var shard: UInt64 { Self.shard(of: PayloadDigest(bytes).bytes) }

  /// The shard of the store whose ID has a digest.
  static func shard(of digest: [UInt8]) -> UInt64 {
    (UInt64(digest[0]) << 8 | UInt64(digest[1])) % UInt64(shardCount)
  }
}

/// A shard as one database has it.
struct HeldShard {
  enum State: String {
    case here
    /// In use here, while it is copied to another database.
    case copying
    /// Not in use here any more.
    case fenced
    /// Not in use here yet.
    case arriving
  }

  /// Nil if the database does not have the shard.
  let state: State?
  /// The epoch of the shard while it is here; 0 without it.
  let epoch: UInt64

  /// Reads the state in a connection's transaction.
  ///
  /// - Parameter isLocked: Whether it must stay as it is until the transaction ends.
  init(
    _ shard: UInt64, on connection: PostgresConnection, locking isLocked: Bool = false
  ) throws(LogError) {
    let rows = try connection.rows(
      PostgresStatement(
        "SELECT state, epoch FROM held WHERE shard = $1 \(isLocked ? "FOR SHARE" : "")",
        .integer(shard)))[0]
    state = rows.count == 0 ? nil : State(rawValue: rows.text(0, 0))
    epoch = rows.count == 0 ? 0 : try rows.integer(0, 1)
  }

  /// Whether this database answers for the shard.
  var isHere: Bool { state == .here || state == .copying }

  /// Requires that a database answers for shards until the connection's transaction ends.
  ///
  /// - Throws: `busy`.
  static func requireHere(
    _ shards: Set<UInt64>, on connection: PostgresConnection
  ) throws(LogError) {
    let rows = try connection.rows(
      PostgresStatement(
        "SELECT 1 FROM held WHERE shard = ANY($1) AND state IN ('here', 'copying') FOR SHARE",
        .integers(Array(shards))))[0]
    guard rows.count == shards.count else {
      throw .busy("a shard is moving", retryAfter: .seconds(1))
    }
  }

  /// - Throws: ``LogError/shardMoved(_:)``.
  func requireHere(_ store: StoreID) throws(LogError) {
    guard isHere else { throw .shardMoved(store) }
  }
}
#endif
