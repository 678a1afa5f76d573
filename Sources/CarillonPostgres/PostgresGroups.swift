#if Service
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import Synchronization

/// The groups of a hub, and which of them has which shard.
///
/// The database of the group `main` decides. A process remembers what it read, and reads it again
/// when a group answers that it does not have a shard.
final class PostgresGroups: Sendable {
  /// The name of the group whose database has the list.
  static let main = "main"

  let home: PostgresPool
  private let options: PostgresOptions
  /// The ID of the hub.
  let id: [UInt8]
  private let known: Mutex<Known>
  /// The shard of the person for whom each digest was found.
  private let found = Mutex<[[UInt8]: UInt64]>([:])
  /// The groups that failed when all were asked last.
  private let failing = Mutex<[String: Failing]>([:])

  private struct Failing {
    var breaker = CircuitBreaker()
    var last: LogError
  }

  private struct Known {
    var databases: [String: String] = [:]
    /// The databases that the process was given for groups which it could not ask yet.
    var given: [String: String] = [:]
    var shards: [HubShard] = []
    var pools: [String: PostgresPool] = [:]
  }

  /// The number of digests above which some are forgotten.
  private static let maxFound = 65_536

  init(_ options: PostgresOptions, adding groups: [String: String]) throws {
    self.options = options
    home = try PostgresPool(options)
    known = Mutex(Known(pools: [Self.main: home]))
    do {
      id = try home.write { try Self.found(on: $0) }
    } catch {
      home.close()
      throw error
    }
    do {
      for (name, database) in groups where name != Self.main { try add(name, at: database) }
      try reload()
    } catch {
      close()
      throw error
    }
  }

  func close() {
    let pools = known.withLock { known in
      defer { known.pools = [:] }
      return known.pools.values
    }
    for pool in pools { pool.close() }
  }

  // MARK: Places

  /// The names of all groups.
  var names: [String] { known.withLock { [Self.main] + $0.databases.keys.sorted() } }

  var shards: [HubShard] { known.withLock(\.shards) }

  func group(of shard: UInt64) -> String { known.withLock { $0.shards[Int(shard)].group } }

  /// Reads the groups and the shards again.
  func reload() throws {
    let rows = try home.read { connection in
      try connection.rows(
        PostgresStatement("SELECT name, database FROM member WHERE name <> '\(Self.main)'"),
        PostgresStatement("SELECT name, epoch, target FROM shard ORDER BY number"))
    }
    guard rows[1].count == StoreID.shardCount else {
      throw LogError.corrupt("the table shard has \(rows[1].count) rows")
    }
    var stored: [String: String] = [:]
    for row in 0..<rows[0].count { stored[rows[0].text(row, 0)] = rows[0].text(row, 1) }
    let shards = try (0..<rows[1].count).map { row in
      HubShard(
        row, group: rows[1].text(row, 0), epoch: try rows[1].integer(row, 1),
        target: rows[1].isNull(row, 2) ? nil : rows[1].text(row, 2))
    }
    let removed = known.withLock { known in
      known.given = known.given.filter { stored[$0.key] != nil }
      (known.databases, known.shards) = (stored.merging(known.given) { $1 }, shards)
      let removed = known.pools.filter { $0.key != Self.main && stored[$0.key] == nil }
      for name in removed.keys { known.pools[name] = nil }
      return removed.values
    }
    for pool in removed { pool.close() }
  }

  /// Removes a group that has no shard from the list, and closes the connections to it.
  ///
  /// The database refuses that if another process has just begun to move a shard to it.
  func remove(_ name: String) throws {
    _ = try home.commit(PostgresStatement("DELETE FROM member WHERE name = $1", .text(name)))
    try reload()
  }

  // MARK: Connections

  /// The connections to a group, if there are any yet.
  func openPool(of name: String) -> PostgresPool? { known.withLock { $0.pools[name] } }

  /// Returns the connections to a group.
  ///
  /// - Throws: `notFound` if there is no such group; the errors of connecting.
  func pool(of name: String) throws -> PostgresPool {
    let (open, database, given) = known.withLock {
      ($0.pools[name], $0.databases[name], $0.given[name])
    }
    if let open { return open }
    guard let database else {
      throw LogError(code: .notFound, message: "the hub has no group \(name)")
    }
    let pool = try connect(to: name, at: database, isGiven: given != nil)
    return known.withLock { known in
      known.given[name] = nil
      // Another thread may have connected in between.
      if let other = known.pools[name] {
        pool.close()
        return other
      }
      known.pools[name] = pool
      return pool
    }
  }

  /// Calls `body` with a group.
  ///
  /// - Returns: What `body` returns; nil if the group's database cannot be asked, as with a mistake
  ///   in its URL, or if the server is gone.
  func ifReachable<Result>(
    _ name: String, _ body: (PostgresPool) throws -> Result
  ) throws -> Result? {
    do {
      return try body(pool(of: name))
    } catch let error as LogError {
      switch error.obstacle {
      case .unreachable, .silent, .noDatabase, .noLogin, .otherGroup: return nil
      default: throw error
      }
    }
  }

  /// Connects to a group whose database was given.
  ///
  /// If the database cannot be asked now, it is asked later, and does not replace another one in
  /// the list before.
  ///
  /// - Throws: `busy` if the database is not that of the group; the errors of the list.
  private func add(_ name: String, at database: String) throws {
    do {
      let pool = try connect(to: name, at: database, isGiven: true)
      known.withLock { $0.pools[name] = pool }
    } catch let error as LogError where error.obstacle != .otherGroup {
      _ = try home.commit(
        PostgresStatement(
          "INSERT INTO member VALUES ($1, $2) ON CONFLICT DO NOTHING", .text(name),
          .text(database)))
      known.withLock { $0.given[name] = database }
    }
  }

  /// - Parameter isGiven: Whether to put the database into the list.
  private func connect(
    to name: String, at database: String, isGiven: Bool
  ) throws -> PostgresPool {
    var options = options
    options.database = database
    try requireGroup(name, options)
    let pool = try PostgresPool(options)
    do {
      try pool.write { connection in
        connection.add(
          PostgresStatement(
            "INSERT INTO hub SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM hub)", .bytes(id),
            .text(name)))
        try Self.requireMember(name, of: id, on: connection)
      }
      if isGiven {
        _ = try home.commit(
          PostgresStatement(
            """
            INSERT INTO member VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET database = excluded.database
            """, .text(name), .text(database)))
      }
      return pool
    } catch {
      pool.close()
      throw error
    }
  }

  /// Checks that a database is a group, or can become one, before anything is written there.
  ///
  /// - Throws: `busy` if it is another group, or if it is empty although the group has shards; the
  ///   errors of connecting.
  private func requireGroup(_ name: String, _ options: PostgresOptions) throws {
    var options = options
    // The connection must not keep a process from using the database alone.
    options.use = .exclusive
    let connection = try PostgresConnection(options)
    defer { connection.close() }
    let isHub = try connection.rows(PostgresStatement("SELECT to_regclass('hub') IS NOT NULL"))[0]
    if isHub.flag(0, 0), try connection.rows(PostgresStatement("SELECT FROM hub"))[0].count > 0 {
      return try Self.requireMember(name, of: id, on: connection)
    }
    let own = try home.look { connection in
      try connection.rows(
        PostgresStatement("SELECT FROM shard WHERE name = $1 LIMIT 1", .text(name)))[0]
    }
    guard own.count == 0 else {
      throw LogError.refused(
        by: .otherGroup, "the group \(name) has shards, and the database has none")
    }
  }

  // MARK: Look-ups without a person

  /// The group that should have what belongs to a digest; nil if it is not known.
  func group(of digest: [UInt8]) -> String? {
    let names = names
    return names.count == 1 ? names[0] : found.withLock { $0[digest] }.map { group(of: $0) }
  }

  /// Finds what belongs to a digest: in the group of its person's shard if the person is known, and
  /// else in all groups, of which those that fail are asked last, once a second.
  ///
  /// That nobody has it ends the access of a device, so it must be certain. A group has all rows of
  /// a shard until the list of shards names another group; then the rows are removed. So it is
  /// certain if every group was asked, and the list did not change meanwhile, also while a shard is
  /// moving, or if its move was interrupted.
  ///
  /// - Parameter person: Returns the person of what was found.
  /// - Throws: `busy` if a group that is fenced has it, and no other group has it yet; the error of
  ///   a group that cannot be asked.
  func find<Result>(
    _ digest: [UInt8], of person: (Result) -> StoreID, _ body: (PostgresPool) throws -> Result?
  ) throws -> Result? {
    if let shard = found.withLock({ $0[digest] }) { return try find(in: shard, body) }
    while true {
      let before = shards
      var failure: LogError?
      for name in askingOrder {
        do {
          guard let result = try ask(name, body) else { continue }
          let shard = person(result).shard
          note(digest, in: shard)
          // The rows may be left from a move that was given up.
          return group(of: shard) == name ? result : try find(in: shard, body)
        } catch let error as LogError {
          if let moved = error.movedStore {
            note(digest, in: moved.shard)
            return try find(in: moved.shard, body)
          }
          // Another process may have removed the group. Else, another group may have it.
          if names.contains(name) { failure = error.of(group: name) }
        }
      }
      if let failure { throw failure }
      try reload()
      guard shards == before else { continue }
      for name in names where names.count > 1 {
        try requireShards(of: name, in: pool(of: name))
      }
      return nil
    }
  }

  /// Asks the group of a shard, and the one that the shard is moving to.
  ///
  /// - Throws: As ``find(_:of:_:)``.
  private func find<Result>(
    in number: UInt64, _ body: (PostgresPool) throws -> Result?
  ) throws -> Result? {
    while true {
      let shard = shards[Int(number)]
      var move: LogError?
      for name in [shard.group, shard.target].compactMap({ $0 }) {
        do {
          let pool = try pool(of: name)
          if let result = try body(pool) { return result }
          if try pool.look({ try HeldShard(number, on: $0).isHere }) { return nil }
          if name == shard.group { try requireShards(of: name, in: pool) }
          break
        } catch let error as LogError where error.isMove {
          move = error
        }
      }
      try reload()
      // The rows of another group may have been removed before it was asked.
      guard shards[Int(number)].epoch == shard.epoch else { continue }
      if let move { throw move }
      return nil
    }
  }

  /// Requires that a group's database has rows of each shard that the list gives it.
  ///
  /// - Throws: `busy` if it has not, as after it was restored from an older copy.
  func requireShards(of name: String, in pool: PostgresPool) throws {
    func lacking() throws -> Int? {
      let own = shards.filter { $0.group == name }.map { UInt64($0.number) }
      let rows = try pool.look { connection in
        try connection.rows(
          PostgresStatement(
            "SELECT min(n) FROM unnest($1::bigint[]) n WHERE n NOT IN (SELECT shard FROM held)",
            .integers(own)))[0]
      }
      return rows.isNull(0, 0) ? nil : Int(clamping: try rows.integer(0, 0))
    }
    guard try lacking() != nil else { return }
    // A shard may have moved since the list was read.
    try reload()
    guard let shard = try lacking() else { return }
    throw LogError.refused(
      by: .otherGroup,
      "the group \(name) has shard \(shard), and the database has not: it may be an older copy")
  }

  /// All groups, with those that fail at the end.
  private var askingOrder: [String] {
    let names = names
    let failing = failing.withLock { Set($0.keys) }
    return names.filter { !failing.contains($0) } + names.filter(failing.contains)
  }

  /// Calls `body` with a group, unless the group fails again and again.
  ///
  /// - Throws: The errors of `body` and of connecting; the last one of a group that is not asked.
  private func ask<Result>(
    _ group: String, _ body: (PostgresPool) throws -> Result?
  ) throws -> Result? {
    let refusal = failing.withLock { failing in
      failing[group]?.breaker.begin(at: .now) == nil ? nil : failing[group]?.last
    }
    if let refusal { throw refusal }
    do {
      let result = try body(pool(of: group))
      failing.withLock { $0[group] = nil }
      return result
    } catch let error as LogError {
      if error.isOfDatabase {
        failing.withLock { failing in
          failing[group, default: Failing(last: error)].last = error
          failing[group]?.breaker.end(isFailure: true, at: .now)
        }
      }
      throw error
    }
  }

  private func note(_ digest: [UInt8], in shard: UInt64) {
    found.withLock { found in
      while found.count >= Self.maxFound, let other = found.keys.randomElement() {
        found[other] = nil
      }
      found[digest] = shard
    }
  }

  // MARK: - Founding

  /// Makes a database the first of a hub if it belongs to none.
  ///
  /// - Returns: The ID of the hub.
  private static func found(on connection: PostgresConnection) throws -> [UInt8] {
    for sql in [
      // Of several processes, one founds the hub.
      "LOCK TABLE hub IN EXCLUSIVE MODE",
      """
      INSERT INTO hub SELECT sha256(gen_random_uuid()::text::bytea), '\(main)'
      WHERE NOT EXISTS (SELECT FROM hub)
      """,
    ] { connection.add(PostgresStatement(sql)) }
    let id = try connection.rows(PostgresStatement("SELECT id FROM hub"))[0].bytes(0, 0)
    try requireMember(main, of: id, on: connection)
    for sql in [
      "INSERT INTO member VALUES ('\(main)', '') ON CONFLICT DO NOTHING",
      """
      INSERT INTO held SELECT number, '\(HeldShard.State.here)', 1
      FROM generate_series(0, \(StoreID.shardCount - 1)) AS number
      WHERE NOT EXISTS (SELECT FROM shard)
      """,
      """
      INSERT INTO shard SELECT number, '\(main)', 1
      FROM generate_series(0, \(StoreID.shardCount - 1)) AS number ON CONFLICT DO NOTHING
      """,
    ] { connection.add(PostgresStatement(sql)) }
    return id
  }

  /// - Throws: `busy` if the database is another group, or part of another hub.
  private static func requireMember(
    _ name: String, of id: [UInt8], on connection: PostgresConnection
  ) throws(LogError) {
    let rows = try connection.rows(PostgresStatement("SELECT id, name FROM hub"))[0]
    guard rows.count == 1, rows.bytes(0, 0) == id, rows.text(0, 1) == name else {
      let hub = rows.bytes(0, 0) == id ? "this hub" : "another hub"
      throw .refused(
        by: .otherGroup, "it is the group \(rows.text(0, 1)) of \(hub), and not \(name)")
    }
  }
}
#endif
