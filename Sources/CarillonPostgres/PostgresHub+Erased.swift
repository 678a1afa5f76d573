#if Service
package import CarillonModel

extension PostgresHub {
  package func isErased(_ person: StoreID) async throws -> Bool {
    try await inGroup(of: person) { pool in
      try pool.look { try Self.isErased(person, on: $0) }
    }
  }

  static func isErased(
    _ person: StoreID, on connection: PostgresConnection
  ) throws(LogError) -> Bool {
    try connection.rows(
      PostgresStatement("SELECT 1 FROM erased WHERE digest = sha256($1)", .bytes(person.bytes)))[0]
      .count > 0
  }

  package func erased(after previous: [UInt8]?, limit: Int) async throws -> [[UInt8]] {
    let pages = try await inEachGroup { pool in
      let rows = try pool.look { connection in
        try connection.rows(
          PostgresStatement(
            "SELECT digest FROM erased WHERE digest > $1 ORDER BY digest LIMIT \(limit)",
            .bytes(previous ?? [])))[0]
      }
      return (0..<rows.count).map { rows.bytes($0, 0) }
    }
    // What moves may be in two groups.
    let digests = Set(pages.joined()).sorted { $0.lexicographicallyPrecedes($1) }
    return Array(digests.prefix(limit))
  }

  package func addErased(_ digests: [[UInt8]]) async throws {
    let groups = Dictionary(grouping: digests) { groupList.group(of: StoreID.shard(of: $0)) }
    try await blocking { [groupList] in
      for (group, digests) in groups {
        let shards = digests.map { StoreID.shard(of: $0) }
        try groupList.pool(of: group).write { connection in
          try HeldShard.requireHere(Set(shards), on: connection)
          connection.add(
            PostgresStatement(
              """
              INSERT INTO erased SELECT * FROM unnest($1::bytea[], $2::bigint[])
              ON CONFLICT DO NOTHING
              """, .list(digests), .integers(shards)))
        }
      }
    }
  }
}
#endif
