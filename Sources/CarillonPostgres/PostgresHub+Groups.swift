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
      try Self.withLock(of: shard, by: .move, in: groupList) { found in
        if let target = found.target, target != group, found.group != group {
          throw LogError.busy(
            "shard \(shard) is being moved to the group \(target) already",
            until: UnfinishedMove(of: shard, to: target))
        }
        defer { try? groupList.reload() }
        try PostgresMove(shard: found, target: group, groups: groupList, willStep: willStep).run()
      }
    }
  }

  package func erase(_ person: StoreID) async throws -> HubErasure {
    let erasure = try await blocking { [groupList] in
      try Self.withLock(of: Int(person.shard), by: .erasure, in: groupList) { shard in
        try Self.requireOneGroup(of: shard, in: groupList)
        return try groupList.pool(of: shard.group).write { connection in
          try PostgresErasure.erase(person, on: connection)
        }
      }
    }
    logs.remove(person)
    return erasure
  }

  /// What must not happen to a shard while a move of it runs, or must not run beside a move.
  private enum ShardCall: String {
    case move = "", erasure = "_shared"
  }

  /// Calls `body` with a shard that no other process moves meanwhile.
  ///
  /// - Throws: `busy` if another process moves it, or erases a person of it and `call` is a move.
  private static func withLock<Result>(
    of number: Int, by call: ShardCall, in groups: PostgresGroups,
    _ body: (HubShard) throws -> Result
  ) throws -> Result {
    // The lock ends with its connection, also if this process is killed.
    let holder = try groups.home.connection()
    defer { holder.close() }
    let (kind, key) = (call.rawValue, "hashtext('shard of a hub'), \(number)")
    let rows = try holder.rows(PostgresStatement("SELECT pg_try_advisory_lock\(kind)(\(key))"))
    guard rows[0].flag(0, 0) else {
      throw LogError(
        code: .busy, message: "another process moves shard \(number), or erases a person of it",
        hint: "wait until it has ended, then try again")
    }
    // The server may notice the end of the connection only after the next call has begun.
    defer { _ = try? holder.rows(PostgresStatement("SELECT pg_advisory_unlock\(kind)(\(key))")) }
    try groups.reload()
    return try body(groups.shards[number])
  }

  /// Requires that one group has rows of a shard.
  ///
  /// - Throws: `busy` if a move of the shard did not end; the error of a group that cannot be
  ///   asked.
  private static func requireOneGroup(of shard: HubShard, in groups: PostgresGroups) throws {
    if let error = unfinishedMove(of: shard) { throw error }
    for name in groups.names where name != shard.group {
      let held = try groups.pool(of: name).look { try HeldShard(UInt64(shard.number), on: $0) }
      guard held.state != nil else { continue }
      guard held.epoch <= shard.epoch else {
        throw LogError.busy(
          "the group \(name) has a later copy of shard \(shard.number) than the group "
            + "\(shard.group): the database of the group main was restored from an older copy",
          until: UnfinishedMove(of: shard.number, to: name))
      }
      throw LogError.busy(
        "the group \(name) still has a copy of shard \(shard.number), which moved to the group "
          + shard.group, until: UnfinishedMove(of: shard.number, to: shard.group))
    }
  }

  /// The error for a call about a person of a shard; nil if the shard is not being moved.
  static func unfinishedMove(of shard: HubShard) -> LogError? {
    shard.target.map { target in
      .busy(
        "the person's shard \(shard.number) is being moved from the group \(shard.group) to "
          + "\(target)", until: UnfinishedMove(of: shard.number, to: target))
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
    try groups.ifReachable(name) { pool in
      let rows = try pool.look { connection in
        try connection.rows(PostgresStatement("SELECT shard FROM held ORDER BY shard"))[0]
      }
      return try (0..<rows.count).map { Int(clamping: try rows.integer($0, 0)) }
    }
  }

  /// Asks a group whether it accepts writes, and for its copies.
  private static func state(of name: String, in groups: PostgresGroups) -> HubGroup {
    var copyCount: Int?
    var held: [Int: UInt64] = [:]
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
            """),
          PostgresStatement("SELECT shard, epoch FROM held"))
        copyCount = rows[1].count == 0 ? nil : Int(clamping: try rows[1].integer(0, 0))
        for row in 0..<rows[2].count {
          held[Int(clamping: try rows[2].integer(row, 0))] = try rows[2].integer(row, 1)
        }
        guard !rows[0].flag(0, 0) else {
          throw LogError.refused(by: .readOnly, "default_transaction_read_only is on")
        }
        try pool.requireCopies(on: connection)
      }
      try groups.requireShards(of: name, in: pool)
      return HubGroup(name, copyCount: copyCount, heldShards: held)
    } catch {
      return HubGroup(name, failure: error, copyCount: copyCount, heldShards: held)
    }
  }
}
#endif
