#if Service
internal import CarillonHub
internal import CarillonModel

/// The erasure of a person.
enum PostgresErasure {
  /// The tables with rows of people, the table of the people last.
  static let tables = ["run", "closing", "head", "meta", "access", "log"]

  /// Removes all rows of a person, and keeps a digest of the ID.
  ///
  /// - Throws: `notFound`; `busy` while the person's shard moves, since another database then has
  ///   copies of the rows.
  static func erase(
    _ person: StoreID, on connection: PostgresConnection
  ) throws -> HubErasure {
    // A person who was being erased when the outcome became unknown is not there any more.
    _ = try LogRow(of: person, on: connection, locking: true)
    let held = try HeldShard(person.shard, on: connection, locking: true)
    guard held.state == .here else { throw LogError.shardMoved(person) }
    let before = try rowCounts(person, on: connection)
    connection.add(
      PostgresStatement(
        "INSERT INTO erased VALUES (sha256($1), $2) ON CONFLICT DO NOTHING", .bytes(person.bytes),
        .integer(person.shard)))
    for table in tables {
      connection.add(
        PostgresStatement("DELETE FROM \(table) WHERE store = $1", .bytes(person.bytes)))
    }
    let after = try rowCounts(person, on: connection)
    return HubErasure(
      tables.indices.map { .init(tables[$0], before: before[$0], after: after[$0]) })
  }

  private static func rowCounts(
    _ person: StoreID, on connection: PostgresConnection
  ) throws -> [Int] {
    let counts = tables.map { "(SELECT count(*) FROM \($0) WHERE store = $1)" }
    let rows = try connection.rows(
      PostgresStatement(
        "SELECT " + counts.joined(separator: ", "), .bytes(person.bytes)))[0]
    return try tables.indices.map { Int(clamping: try rows.integer(0, $0)) }
  }
}
#endif
