#if Service
package import CarillonHub
package import CarillonModel

extension PostgresHub {
  package func group(of person: StoreID) -> String { groupList.group(of: person.shard) }

  package func group(ofAccess digest: [UInt8]) -> String? { groupList.group(of: digest) }

  package func groups() async -> [HubGroup] {
    await looks.states(of: groupList.names) { [groupList] in Self.state(of: $0, in: groupList) }
  }

  package func shards() async throws -> [HubShard] {
    try await blocking { [groupList] in
      try groupList.reload()
      return groupList.shards
    }
  }

  package func move(_ shard: Int, to group: String) async throws {
    try await move(shard, to: group) {}
  }

  /// Moves a shard, and calls `willStep` before each transaction.
  func move(
    _ shard: Int, to group: String, willStep: @escaping @Sendable () throws -> Void
  ) async throws {
    try await blocking { [groupList] in
      guard (0..<StoreID.shardCount).contains(shard) else {
        throw LogError(
          code: .notFound,
          message: "there is no shard \(shard); they are 0 to \(StoreID.shardCount - 1)")
      }
      _ = try groupList.pool(of: group)
      // The lock ends with its connection, also if this process is killed.
      let holder = try groupList.home.connection()
      defer { holder.close() }
      let key = "hashtext('shard of a hub'), \(shard)"
      let rows = try holder.rows(PostgresStatement("SELECT pg_try_advisory_lock(\(key))"))
      // The server may notice the end of the connection only after the next move has begun.
      defer { _ = try? holder.rows(PostgresStatement("SELECT pg_advisory_unlock(\(key))")) }
      try groupList.reload()
      let found = groupList.shards[shard]
      guard rows[0].flag(0, 0), found.target ?? group == group else {
        throw LogError(
          code: .busy, message: "shard \(shard) is being moved to \(found.target ?? group) already",
          hint: "finish that move first")
      }
      defer { try? groupList.reload() }
      try PostgresMove(shard: found, target: group, groups: groupList, willStep: willStep).run()
    }
  }

  /// Requires that no earlier group of a shard still has rows of it.
  ///
  /// - Throws: `busy` if the last move of the shard did not end; the error of a group that cannot
  ///   be asked.
  func requireOneGroup(of shard: UInt64) async throws {
    try await blocking { [groupList] in
      try groupList.reload()
      let found = groupList.shards[Int(shard)]
      // A shard that never moved is in one group.
      guard found.epoch > 1, found.target == nil else { return }
      for name in groupList.names where name != found.group {
        let held = try groupList.pool(of: name).look { try HeldShard(shard, on: $0) }
        guard held.state == nil else {
          throw LogError(
            code: .busy,
            message: "the group \(name) still has a copy of shard \(shard), which moved to the "
              + "group \(found.group)", hint: "run that move again, so that it ends")
        }
      }
    }
  }

  package func removeGroup(_ name: String) async throws -> Bool {
    try await blocking { [groupList] in
      try groupList.reload()
      guard name != PostgresGroups.main else {
        throw LogError(
          code: .invalidValue,
          message: "the group \(name) has the list of the groups, and cannot be removed")
      }
      guard groupList.names.contains(name) else {
        throw LogError(code: .notFound, message: "the hub has no group \(name)")
      }
      let own = groupList.shards.filter { $0.group == name || $0.target == name }
      let held = try Self.heldShards(of: name, in: groupList)
      guard let shard = own.first?.number ?? held?.first else {
        try groupList.remove(name)
        return held != nil
      }
      throw LogError(
        code: .invalidValue, message: "the group \(name) still has shards, such as \(shard)",
        hint: "move them to another group")
    }
  }

  /// Returns the shards of which a group has rows; nil if its database cannot be asked.
  private static func heldShards(of name: String, in groups: PostgresGroups) throws -> [Int]? {
    do {
      let rows = try groups.pool(of: name).look { connection in
        try connection.rows(PostgresStatement("SELECT shard FROM held ORDER BY shard"))[0]
      }
      return try (0..<rows.count).map { Int(clamping: try rows.integer($0, 0)) }
    } catch let error as LogError {
      switch error.obstacle {
      // A URL with a mistake, or a server that is gone.
      case .unreachable, .silent, .noDatabase, .noLogin, .otherGroup: return nil
      default: throw error
      }
    }
  }

  /// Asks a group whether it accepts writes, and for its copies.
  private static func state(of name: String, in groups: PostgresGroups) -> HubGroup {
    var copyCount: Int?
    do {
      let pool = try groups.pool(of: name)
      try pool.read { connection in
        let rows = try connection.rows(
          PostgresStatement("SELECT current_setting('default_transaction_read_only') = 'on'"),
          // Only some roles see which standbys are synchronous.
          PostgresStatement(
            """
            SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')
            HAVING pg_has_role('pg_monitor', 'USAGE')
            """))
        copyCount = rows[1].count == 0 ? nil : Int(clamping: try rows[1].integer(0, 0))
        guard !rows[0].flag(0, 0) else {
          throw LogError.refused(by: .readOnly, "default_transaction_read_only is on")
        }
        try pool.requireCopies(on: connection)
      }
      return HubGroup(name, copyCount: copyCount)
    } catch {
      return HubGroup(name, failure: error, copyCount: copyCount)
    }
  }
}
#endif
