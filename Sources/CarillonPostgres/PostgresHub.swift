#if Service
package import CarillonHub
internal import CarillonLog
package import CarillonModel
internal import CarillonThreads

/// A hub's database on PostgreSQL: one database, or a group of people in each of several.
///
/// The group `main` also has the list of the groups, and says which group has which shard. Any
/// number of processes may use the same databases.
package final class PostgresHub: HubDatabase {
  let groupList: PostgresGroups
  let logs = OpenLogs()
  let looks = GroupLooks()
  private let executor: BlockingExecutor

  /// Connects to the database of the group `main`, and applies the migrations that it lacks.
  ///
  /// - Parameters:
  ///   - options: The options of each group; its database is that of the group `main`.
  ///   - groups: The databases of further groups by name, which are remembered.
  /// - Throws: `LogError`: `busy`, also if a database is not that of its group;
  ///   `unsupportedFormat`, `io`.
  package init(_ options: PostgresOptions, groups: [String: String] = [:]) throws {
    groupList = try PostgresGroups(options, adding: groups)
    executor = BlockingExecutor(maxThreads: options.connectionCount)
    guard options.use == .exclusive else { return }
    do {
      // Others must not use any of the databases.
      for name in groupList.names { _ = try groupList.pool(of: name) }
    } catch {
      groupList.close()
      throw error
    }
  }

  /// Connects with the default options; see ``init(_:groups:)``.
  package convenience init(_ url: String, groups: [String: String] = [:]) throws {
    try self.init(PostgresOptions(url), groups: groups)
  }

  /// Whether two URLs lead to one database.
  ///
  /// - Throws: `LogError`: `busy`, `io`.
  package static func isSame(_ url: String, _ other: String) throws -> Bool {
    let connections = try [url, other].map { url in
      var options = PostgresOptions(url)
      // These connections must not keep a process from using the database alone.
      options.use = .exclusive
      return try PostgresConnection(options)
    }
    defer { for connection in connections { connection.close() } }
    // Only connections to one database compete for a lock.
    let key = Int64.random(in: .min ... .max)
    return try connections.map {
      try $0.rows(PostgresStatement("SELECT pg_try_advisory_lock(\(key))"))[0].flag(0, 0)
    } == [true, false]
  }

  package func close() async {
    for log in logs.removeAll() { await log.close() }
    groupList.close()
  }

  // MARK: People

  package func add(_ person: StoreID, quota: HubQuota) async throws {
    try await inGroup(of: person) { pool in
      try PostgresBackend(pool, person).create(.random()) { connection in
        try HeldShard(person.shard, on: connection, locking: true).requireHere(person)
        try Self.requireNotErased(person, on: connection)
        Self.set(quota, of: person, on: connection)
      }
    }
  }

  package func person(_ person: StoreID) async throws -> HubPerson? {
    do {
      return try await inGroup(of: person) { pool in
        try pool.read { connection in
          _ = try LogRow(of: person, on: connection)
          return try Self.people("WHERE log.store = $1", .bytes(person.bytes), on: connection).first
        }
      }
    } catch let error as LogError where error.code == .notFound {
      return nil
    }
  }

  package func people(after previous: StoreID?, limit: Int) async throws -> [HubPerson] {
    let pages = try await inEachGroup { pool in
      try pool.read { connection in
        try Self.people(
          """
          JOIN held ON held.shard = log.shard AND held.state <> 'arriving'
          WHERE log.store > $1 ORDER BY log.store LIMIT \(limit)
          """, .bytes(previous?.bytes ?? []), on: connection)
      }
    }
    // A person who is moving may be in two groups.
    let byID = Dictionary(pages.joined().map { ($0.id, $0) }) { first, _ in first }
    return Array(byID.values.sorted { $0.id < $1.id }.prefix(limit))
  }

  package func setQuota(_ quota: HubQuota, of person: StoreID) async throws {
    try await change(person) { connection, _ in Self.set(quota, of: person, on: connection) }
  }

  package func compact(_ person: StoreID) async throws -> Int {
    try await openLog(of: person).compactRows()
  }

  package func log(of person: StoreID) async throws -> any EventLog {
    try await openLog(of: person)
  }

  private func openLog(of person: StoreID) async throws -> PostgresEventLog {
    try await inGroup(of: person) { [logs] pool in
      // Throws if the person was erased, or moved to another group.
      _ = try pool.look { try LogRow(of: person, on: $0) }
      return try logs.log(of: person, in: pool)
    }
  }

  package func positions(of people: Set<StoreID>) async throws -> [StoreID: LogPosition] {
    let groups = Dictionary(grouping: people) { groupList.group(of: $0.shard) }
    return try await blocking { [groupList] in
      var positions: [StoreID: LogPosition] = [:]
      for (group, people) in groups {
        let pool = try groupList.pool(of: group)
        let rows = try pool.look { connection in
          try connection.rows(
            PostgresStatement(
              "SELECT store, last_position FROM log WHERE store = ANY($1) AND NOT is_fenced",
              .list(people.map(\.bytes))))[0]
        }
        for row in 0..<rows.count {
          positions[try rows.store(row, 0)] = LogPosition(rawValue: try rows.integer(row, 1))
        }
        // Whoever is not here may be somewhere else now.
        if rows.count < people.count { try groupList.reload() }
      }
      return positions
    }
  }

  package var id: HubID { HubID(groupList.id) }

  package func state() async throws -> HubState {
    try await blocking { [groupList] in
      try groupList.home.look { try DatabaseUse.state(on: $0) }
    }
  }

  package func setState(_ state: HubState) async throws {
    try await blocking { [groupList] in
      // A hub starts with the group main: that is refused first, and served last.
      for name in state == .serving ? groupList.names.reversed() : groupList.names {
        _ = try groupList.pool(of: name).commit(
          PostgresStatement(
            "UPDATE hub SET state = $1, source = $2", .text(state.name),
            .raw(state.source?.bytes, 17)))
      }
    }
  }

  package func confirmUse() async throws {
    _ = try await inEachGroup { try $0.confirmUse() }
  }

  // MARK: -

  /// Calls `body` on a thread that may block.
  func blocking<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(executor) { try body() }
  }

  /// Calls `body` with the group that has a person, and again if the person has moved.
  func inGroup<Result: Sendable>(
    of person: StoreID, _ body: @Sendable (PostgresPool) throws -> Result
  ) async throws -> Result {
    while true {
      let group = groupList.group(of: person.shard)
      do {
        let pool = try await pool(of: group)
        return try await pool.blocking { try body(pool) }
      } catch let error as LogError where error.isMove {
        try await blocking { [groupList] in try groupList.reload() }
        let shard = groupList.shards[Int(person.shard)]
        guard shard.group != group else { throw Self.unfinishedMove(of: shard) ?? error }
      }
    }
  }

  private func pool(of group: String) async throws -> PostgresPool {
    if let pool = groupList.openPool(of: group) { return pool }
    return try await blocking { [groupList] in try groupList.pool(of: group) }
  }

  /// Calls `body` with each group.
  func inEachGroup<Result: Sendable>(
    _ body: @Sendable (PostgresPool) throws -> Result
  ) async throws -> [Result] {
    try await blocking { [groupList] in
      try groupList.names.map { try body(groupList.pool(of: $0)) }
    }
  }

  /// Calls `body` in a transaction that holds the lock of a person's row.
  func change<Result: Sendable>(
    _ person: StoreID, _ body: @Sendable (PostgresConnection, LogRow) throws -> Result
  ) async throws -> Result {
    try await inGroup(of: person) { pool in
      try pool.write { connection in
        let row = try LogRow(of: person, on: connection, locking: true)
        // A move compares the stamps of people to find those that changed.
        connection.add(
          PostgresStatement(
            "UPDATE log SET stamp = $2 WHERE store = $1", .bytes(person.bytes),
            .integer(.random(in: .min ... .max))))
        return try body(connection, row)
      }
    }
  }

  private static func people(
    _ condition: String, _ value: PostgresValue, on connection: PostgresConnection
  ) throws -> [HubPerson] {
    let rows = try connection.rows(
      PostgresStatement(
        """
        SELECT log.store, last_position, byte_count, byte_quota, device_quota, (
          SELECT count(*) FROM access WHERE access.store = log.store AND kind = 'device'
        ) FROM log \(condition)
        """, value))[0]
    return try (0..<rows.count).map { row in
      HubPerson(
        try rows.store(row, 0), eventCount: try rows.integer(row, 1),
        byteCount: try rows.integer(row, 2), deviceCount: Int(clamping: try rows.integer(row, 5)),
        quota: HubQuota(
          bytes: try rows.integer(row, 3), devices: Int(clamping: try rows.integer(row, 4))))
    }
  }

  private static func set(
    _ quota: HubQuota, of person: StoreID, on connection: PostgresConnection
  ) {
    connection.add(
      PostgresStatement(
        "UPDATE log SET byte_quota = $2, device_quota = $3 WHERE store = $1", .bytes(person.bytes),
        .integer(min(quota.bytes, UInt64(Int64.max))), .integer(UInt64(max(quota.devices, 0)))))
  }

  private static func requireNotErased(
    _ person: StoreID, on connection: PostgresConnection
  ) throws {
    guard try !isErased(person, on: connection) else { throw LogError.wasErased(person) }
  }
}
#endif
