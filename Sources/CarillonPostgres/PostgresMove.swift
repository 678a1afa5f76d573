#if Service
internal import CarillonHub
internal import CarillonModel

/// The move of a shard from one group to another.
///
/// 1. The shard's people are copied while the old group serves them, until few change meanwhile.
/// 2. The old group fences them: it answers no call about them any more.
/// 3. Those who changed are copied again, and the new group takes over.
/// 4. The database of the group `main` names the new group, and the old group removes its rows.
///
/// A move to the group that has the shard gives up an unfinished move to another one, whose
/// database may be lost.
///
/// Each step leaves in the databases what the next call needs to continue. Each transaction checks
/// the state and the epoch of the shard, so that a process that was stopped for long does no harm.
struct PostgresMove {
  let shard: HubShard
  let target: String
  let groups: PostgresGroups
  /// Called before each transaction, for tests that end the move there.
  var willStep: () throws -> Void = {}

  private var number: PostgresValue { .integer(UInt64(shard.number)) }

  /// The number of people up to which the rest is copied while nobody is served.
  private static let maxRest = 16
  /// The number of rounds after which the rest is copied, however many people it has.
  private static let maxRounds = 8
  /// The number of people that one transaction removes.
  private static let removedCount = 16

  func run() throws {
    var epoch = shard.epoch
    var lost: String?
    if shard.group != target {
      let (old, new) = (try groups.pool(of: shard.group), try groups.pool(of: target))
      try clean(new, before: epoch)
      try begin(old, new)
      if try state(new) != .here {
        var round = 1
        while try copy(from: old, to: new) > Self.maxRest, round < Self.maxRounds { round += 1 }
        try fence(old)
        _ = try copy(from: old, to: new)
        try open(new)
      }
      try switchOver()
      epoch += 1
    } else if let other = shard.target {
      (epoch, lost) = try giveUp(to: other)
    }
    for name in groups.names where name != target && name != lost {
      try clean(groups.pool(of: name), before: epoch)
    }
  }

  // MARK: Steps

  private func begin(_ old: PostgresPool, _ new: PostgresPool) throws {
    try write(groups.home) { connection in
      let rows = try connection.rows(
        PostgresStatement(
          "UPDATE shard SET target = $2 WHERE number = $1 AND epoch = $3 RETURNING 1", number,
          .text(target), .integer(shard.epoch)))
      try require(rows[0].count == 1)
    }
    try write(old) { connection in
      connection.add(
        PostgresStatement(
          "UPDATE held SET state = 'copying' WHERE shard = $1 AND state = 'here' AND epoch = $2",
          number, .integer(shard.epoch)))
    }
    let isFenced = try state(old) == .fenced
    try write(new) { connection in
      if isFenced, try self.held(on: connection) == nil {
        // The target had the shard, perhaps with what devices have written there.
        throw LogError.refused(
          by: .otherGroup,
          "the group \(target) has shard \(shard.number), and the database has not")
      }
      connection.add(
        PostgresStatement(
          "INSERT INTO held VALUES ($1, 'arriving', $2) ON CONFLICT DO NOTHING", number,
          .integer(shard.epoch + 1)))
      let held = try self.held(on: connection)
      try require(held?.epoch == shard.epoch + 1)
    }
  }

  /// Copies the people who differ, and returns their number.
  private func copy(from old: PostgresPool, to new: PostgresPool) throws -> Int {
    let (there, erased) = try old.read { connection in
      try require(try self.held(on: connection, locking: false)?.epoch == shard.epoch)
      let rows = try connection.rows(
        PostgresStatement("SELECT digest FROM erased WHERE shard = $1", number))[0]
      return (
        try Self.stamps(number, on: connection), (0..<rows.count).map { rows.bytes($0, 0) }
      )
    }
    let here = try new.read { try Self.stamps(number, on: $0) }
    for person in here.keys where there[person] == nil {
      try write(new) { connection in
        try requireArriving(connection)
        connection.add(
          PostgresStatement("DELETE FROM log WHERE store = $1 AND is_fenced", .bytes(person.bytes)))
      }
    }
    try write(new) { connection in
      try requireArriving(connection)
      for digest in erased {
        connection.add(
          PostgresStatement(
            "INSERT INTO erased VALUES ($1, $2) ON CONFLICT DO NOTHING", .bytes(digest), number))
      }
    }
    let changed = there.filter { here[$0.key] != $0.value }.keys
    for person in changed {
      try old.read { source in
        try write(new) { connection in
          try requireArriving(connection)
          try PostgresCopy(person, from: source, to: connection).run()
        }
      }
    }
    return changed.count
  }

  private func fence(_ old: PostgresPool) throws {
    try write(old) { connection in
      connection.add(
        PostgresStatement(
          "UPDATE held SET state = 'fenced' WHERE shard = $1 AND state = 'copying' AND epoch = $2",
          number, .integer(shard.epoch)))
      let held = try self.held(on: connection)
      try require(held?.state == .fenced && held?.epoch == shard.epoch)
      // Waits for each append that is under way.
      setFenced(true, on: connection)
    }
  }

  private func open(_ new: PostgresPool) throws {
    try write(new) { connection in
      try requireArriving(connection)
      connection.add(
        PostgresStatement("UPDATE held SET state = 'here' WHERE shard = $1", number))
      setFenced(false, on: connection)
    }
  }

  private func switchOver() throws {
    try write(groups.home) { connection in
      connection.add(
        PostgresStatement(
          """
          UPDATE shard SET name = target, target = NULL, epoch = epoch + 1
          WHERE number = $1 AND epoch = $2 AND target = $3
          """, number, .integer(shard.epoch), .text(target)))
    }
  }

  /// Gives up a move to another group, which did not open, and serves the people here again.
  ///
  /// While this is unfinished, the list names the group that has the shard as its target, too.
  ///
  /// - Returns: The new epoch of the shard, and the other group if it cannot be asked.
  /// - Throws: `busy` if the other group has opened, so that the move must be finished.
  private func giveUp(to other: String) throws -> (epoch: UInt64, lost: String?) {
    let pool = try groups.pool(of: target)
    var epoch = shard.epoch
    var lost: String?
    if other != target {
      switch try groups.ifReachable(other, { try state($0) }) {
      case nil: lost = other
      case .here??:
        throw LogError.busy(
          "the group \(other) has shard \(shard.number) already, and its move must be finished",
          until: UnfinishedMove(of: shard.number, to: other))
      default: break
      }
      // No mover that was stopped before can open the other group after this.
      epoch += 2
      try write(groups.home) { connection in
        let rows = try connection.rows(
          PostgresStatement(
            """
            UPDATE shard SET target = name, epoch = $3 WHERE number = $1 AND epoch = $2
            AND target = $4 RETURNING 1
            """, number, .integer(shard.epoch), .integer(epoch), .text(other)))
        try require(rows[0].count == 1)
      }
    }
    try write(pool) { connection in
      connection.add(
        PostgresStatement(
          "UPDATE held SET state = 'here', epoch = $2 WHERE shard = $1 AND epoch < $2", number,
          .integer(epoch)))
      let held = try self.held(on: connection)
      try require(held?.state == .here && held?.epoch == epoch)
      setFenced(false, on: connection)
    }
    try write(groups.home) { connection in
      connection.add(
        PostgresStatement(
          "UPDATE shard SET target = NULL WHERE number = $1 AND epoch = $2 AND target = name",
          number, .integer(epoch)))
    }
    return (epoch, lost)
  }

  /// Removes what a group still has of the shard after it has moved, or after a move to it was
  /// given up.
  ///
  /// - Parameter epoch: The epoch of the shard; the group has an earlier one.
  private func clean(_ pool: PostgresPool, before epoch: UInt64) throws {
    let isLeft = try pool.read { connection in
      try self.held(on: connection, locking: false).map { $0.epoch < epoch }
    }
    guard isLeft == true else { return }
    try write(pool) { connection in
      connection.add(
        PostgresStatement(
          "UPDATE held SET state = 'fenced' WHERE shard = $1 AND epoch < $2", number,
          .integer(epoch)))
      let held = try self.held(on: connection)
      try require(held?.state == .fenced)
      setFenced(true, on: connection)
    }
    var isDone = false
    while !isDone {
      isDone = try write(pool) { connection in
        try require(try self.held(on: connection)?.state == .fenced)
        let rows = try connection.rows(
          PostgresStatement(
            """
            DELETE FROM log WHERE store IN (
              SELECT store FROM log WHERE shard = $1 AND is_fenced LIMIT \(Self.removedCount)
            ) RETURNING 1
            """, number))
        guard rows[0].count == 0 else { return false }
        connection.add(PostgresStatement("DELETE FROM erased WHERE shard = $1", number))
        connection.add(PostgresStatement("DELETE FROM held WHERE shard = $1", number))
        return true
      }
    }
  }

  // MARK: -

  private func write<Result>(
    _ pool: PostgresPool, _ body: (PostgresConnection) throws -> Result
  ) throws -> Result {
    try willStep()
    return try pool.write(body)
  }

  private func state(_ pool: PostgresPool) throws -> HeldShard.State? {
    try pool.read { try self.held(on: $0, locking: false)?.state }
  }

  /// Sets whether nobody may use the logs of the shard's people.
  private func setFenced(_ isFenced: Bool, on connection: PostgresConnection) {
    connection.add(
      PostgresStatement("UPDATE log SET is_fenced = \(isFenced) WHERE shard = $1", number))
  }

  private func require(_ isAsExpected: Bool) throws(LogError) {
    guard !isAsExpected else { return }
    throw LogError(
      code: .busy, message: "another process has changed the place of shard \(shard.number)",
      hint: "look at the shards, and repeat the call")
  }

  private func requireArriving(_ connection: PostgresConnection) throws {
    let held = try self.held(on: connection)
    try require(held?.state == .arriving && held?.epoch == shard.epoch + 1)
  }

  /// Returns how a database has the shard; nil if it does not.
  ///
  /// - Parameter isLocked: Whether that must stay so until the transaction ends.
  private func held(
    on connection: PostgresConnection, locking isLocked: Bool = true
  ) throws -> HeldShard? {
    let held = try HeldShard(UInt64(shard.number), on: connection, locking: isLocked)
    return held.state == nil ? nil : held
  }

  private static func stamps(
    _ shard: PostgresValue, on connection: PostgresConnection
  ) throws -> [StoreID: UInt64] {
    let rows = try connection.rows(
      PostgresStatement("SELECT store, stamp FROM log WHERE shard = $1", shard))[0]
    var stamps: [StoreID: UInt64] = [:]
    for row in 0..<rows.count { stamps[try rows.store(row, 0)] = try rows.integer(row, 1) }
    return stamps
  }
}
#endif
