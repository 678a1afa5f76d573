#if Service
import CarillonHub
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Synchronization
import Testing

@testable import CarillonPostgres

/// Moves of a shard between two databases while devices write.
@Suite(
  .serialized, .disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresMoveTests {
  @Test("A shard that moves to and fro while devices write loses nothing and doubles nothing")
  func whileWriting() async throws {
    let world = try await MovedWorld()
    let writers = world.startWriters()
    for group in ["second", "main", "second", "main"] { try await world.move(to: group) }
    try await world.finish(writers, in: "main")
  }

  @Test("A move that ends before any of its transactions is continued by the same call")
  func interrupted() async throws {
    let world = try await MovedWorld()
    let writers = world.startWriters()
    var (group, step) = ("second", 1)
    while true {
      let isComplete = try await world.move(to: group, endingBefore: step)
      // After any interruption, the shard has one owner at most, and the call continues.
      try await world.move(to: group)
      if isComplete { break }
      (group, step) = (group == "second" ? "main" : "second", step + 1)
    }
    #expect(step > 8)
    try await world.finish(writers, in: group)
  }

  @Test("A move whose connections the server ends at any moment is continued by the same call")
  func disconnected() async throws {
    let world = try await MovedWorld()
    let writers = world.startWriters()
    var group = "second"
    for delay in 0..<12 {
      let mover = try world.open()
      let target = group
      let move = Task { try await mover.move(Int(world.shard), to: target) }
      try await Task.sleep(for: .milliseconds(delay * 7))
      await mover.close()
      _ = await move.result
      try await world.move(to: group)
      group = group == "second" ? "main" : "second"
    }
    try await world.finish(writers, in: group == "second" ? "main" : "second")
  }

  @Test("While a shard moves, another move of it and an erasure are refused, and work afterwards")
  func exclusive() async throws {
    let world = try await MovedWorld()
    let third = try PostgresServer.shared.get().newDatabase().database
    await (try PostgresHub(world.home, groups: ["third": third])).close()
    #expect(try await !world.move(to: "second", endingBefore: 5))
    let (elsewhere, erased) = (
      try await logErrorCode { try await world.move(to: "third") },
      try await logErrorCode { _ = try await world.hubs[0].erase(world.people[0].id) }
    )
    #expect(elsewhere == .busy)
    #expect(erased == .busy)
    #expect(try await world.hubs[0].shards()[Int(world.shard)].target == "second")
    try await world.move(to: "second")
    #expect(try await world.hubs[0].shards()[Int(world.shard)].group == "second")
    let erasure = try await world.hubs[1].erase(world.people[0].id)
    #expect(erasure.tables.allSatisfy { $0.rowsAfter == 0 })
    try await world.move(to: "main")
    // What was erased in one group stays erased in the other.
    let again = try await logErrorCode {
      try await world.hubs[0].add(world.people[0].id, quota: HubQuota())
    }
    #expect(again == .alreadyExists)
    await world.close()
  }

  @Test("While a move is unfinished, a token of the shard stays known, and no other token is")
  func tokens() async throws {
    let world = try await MovedWorld()
    let person = world.people[0]
    var (step, revoked) = (1, [HubConformance.entry(.device, of: .random())])
    while try await !world.move(to: "second", endingBefore: step) {
      let fresh = try world.open()
      let hubs = world.hubs + [fresh]
      let added = try await world.addAndRevoke(person.id, in: hubs)
      revoked += added.map { [$0] } ?? []
      for hub in hubs {
        for device in revoked {
          #expect(try await hub.device(digest: device.digest) == nil)
          #expect(try await hub.access(.device, digest: device.digest) == nil)
        }
        let refused = try await logErrorCode {
          let found = try await hub.access(.device, digest: person.device.digest)
          #expect(found == person.device, "before step \(step)")
        }
        #expect(refused == nil || refused == .busy)
      }
      await fresh.close()
      step += 1
    }
    #expect(revoked.count > 4 && step > 8)
    await world.close()
  }

  @Test("A process that started before a group was added finds the people who moved there")
  func laterGroup() async throws {
    let server = try PostgresServer.shared.get()
    let (home, second) = (try server.newDatabase(), try server.newDatabase())
    let early = try PostgresHub(home)
    let (person, device) = try await HubConformance.person(in: early)
    let later = try PostgresHub(home, groups: ["second": second.database])
    try await later.move(Int(person.shard), to: "second")
    #expect(try await early.device(digest: device.digest)?.access == device)
    for hub in [early, later] { await hub.close() }
  }

  @Test("While an earlier group has a copy of a moved shard, an erasure is refused")
  func leftCopy() async throws {
    let world = try await MovedWorld()
    try await world.move(to: "second")
    // As a move leaves it that ends before it has removed the old rows.
    let old = try PostgresConnection(world.home)
    _ = try old.rows(
      PostgresStatement("INSERT INTO held VALUES (\(world.shard), 'fenced', 1)"))
    old.close()
    let person = world.people[0].id
    let refused = try await logErrorCode { _ = try await world.hubs[0].erase(person) }
    #expect(refused == .busy)
    #expect(try await world.hubs[0].person(person) != nil)
    let held = await world.hubs[0].groups().map { $0.heldShards[Int(world.shard)] != nil }
    #expect(held == [true, true])
    try await world.move(to: "second")
    let erasure = try await world.hubs[0].erase(person)
    #expect(erasure.tables.allSatisfy { $0.rowsAfter == 0 })
    await world.close()
  }
}

extension PostgresMoveTests {
  @Test("An interrupted move can be given up until the new group has opened")
  func givenUp() async throws {
    let world = try await MovedWorld()
    let writers = world.startWriters()
    var step = 1
    while try await !world.move(to: "second", endingBefore: step) {
      let isUnfinished = try await world.place().target != nil
      let code = try await logErrorCode { try await world.move(to: "main") }
      let place = try await world.place()
      if code == nil {
        #expect(place.group == "main" && place.target == nil, "before step \(step)")
      } else {
        // The new group is open already.
        #expect(code == .busy && isUnfinished && place.target == "second", "before step \(step)")
        try await world.move(to: "second")
        try await world.move(to: "main")
      }
      step += 1
    }
    #expect(step > 8)
    try await world.move(to: "main")
    try await world.finish(writers, in: "main")
  }

  @Test("Giving a move up, interrupted anywhere, is continued by the same call")
  func interruptedGivingUp() async throws {
    let world = try await MovedWorld()
    let writers = world.startWriters()
    var step = 1
    while true {
      #expect(try await !world.move(to: "second", endingBefore: 7))
      if try await world.move(to: "main", endingBefore: step) { break }
      try await world.move(to: "main")
      step += 1
    }
    #expect(step > 4)
    try await world.finish(writers, in: "main")
  }

  @Test("If the new group's database is lost, the move is given up, and a later one ends")
  func lostGroup() async throws {
    let world = try await MovedWorld()
    let writers = world.startWriters()
    #expect(try await !world.move(to: "second", endingBefore: 7))
    let second = try PostgresConnection(world.second)
    _ = try second.rows(PostgresStatement("UPDATE hub SET name = 'lost'"))
    try await world.move(to: "main")
    let place = try await world.place()
    #expect(place.group == "main" && place.target == nil)
    _ = try second.rows(PostgresStatement("UPDATE hub SET name = 'second'"))
    second.close()
    try await world.move(to: "second")
    try await world.move(to: "main")
    try await world.finish(writers, in: "main")
  }

  @Test("Rows that a group still has after a move to it was given up answer nobody")
  func leftRows() async throws {
    let world = try await MovedWorld()
    let person = world.people[0]
    // The new group opens, and the list does not name it.
    var step = 1
    while try !world.opened() {
      #expect(try await !world.move(to: "second", endingBefore: step))
      step += 1
    }
    let second = try PostgresConnection(world.second)
    _ = try second.rows(PostgresStatement("UPDATE hub SET name = 'lost'"))
    try await world.move(to: "main")
    #expect(try await world.hubs[0].revoke(person.device.id, of: person.id))
    _ = try second.rows(PostgresStatement("UPDATE hub SET name = 'second'"))
    second.close()
    let hub = try world.open()
    #expect(try await hub.device(digest: person.device.digest) == nil)
    #expect(try await hub.access(.device, digest: person.device.digest) == nil)
    let held = await hub.groups().map { $0.heldShards[Int(world.shard)] != nil }
    #expect(held == [true, true])
    try await hub.move(Int(world.shard), to: "main")
    #expect(await hub.groups()[1].heldShards.isEmpty)
    await hub.close()
    await world.close()
  }

  @Test("A group that was restored from an older copy fails, and ends nobody's access")
  func olderGroup() async throws {
    let world = try await MovedWorld()
    try await world.move(to: "second")
    let second = try PostgresConnection(world.second)
    for table in ["log", "held"] {
      _ = try second.rows(PostgresStatement("DELETE FROM \(table)"))
    }
    second.close()
    let fresh = try world.open()
    for hub in world.hubs + [fresh] {
      for digest in [world.people[0].device.digest, [UInt8](repeating: 1, count: 32)] {
        let code = try await logErrorCode { _ = try await hub.device(digest: digest) }
        #expect(code == .busy)
      }
      #expect(await hub.groups()[1].failure?.message.contains("older copy") == true)
    }
    await fresh.close()
    await world.close()
  }

  @Test("While another group has a later copy than the restored list, an erasure is refused")
  func olderList() async throws {
    let world = try await MovedWorld()
    try await world.move(to: "second")
    let home = try PostgresConnection(world.home)
    for sql in [
      "UPDATE shard SET name = 'main', epoch = 1 WHERE number = \(world.shard)",
      "INSERT INTO held VALUES (\(world.shard), 'here', 1)",
    ] { _ = try home.rows(PostgresStatement(sql)) }
    home.close()
    let person = world.people[0].id
    let hub = try world.open()
    let refused = try await logErrorCode { _ = try await hub.erase(person) }
    #expect(refused == .busy)
    #expect(await hub.groups()[1].heldShards[Int(world.shard)] == 2)
    try await world.move(to: "second")
    let erasure = try await hub.erase(person)
    #expect(erasure.tables.allSatisfy { $0.rowsAfter == 0 })
    #expect(try await hub.person(person) == nil)
    await hub.close()
    await world.close()
  }

  @Test("A person is not erased beside a move of the shard, nor the shard moved beside an erasure")
  func besideErasure() async throws {
    let world = try await MovedWorld()
    let other = try PostgresConnection(world.home)
    let key = "hashtext('shard of a hub'), \(world.shard)"
    _ = try other.rows(PostgresStatement("SELECT pg_advisory_lock(\(key))"))
    let refused = try await logErrorCode { _ = try await world.hubs[0].erase(world.people[0].id) }
    #expect(refused == .busy)
    for lock in ["unlock", "lock_shared"] {
      _ = try other.rows(PostgresStatement("SELECT pg_advisory_\(lock)(\(key))"))
    }
    let stayed = try await logErrorCode { try await world.move(to: "second") }
    #expect(stayed == .busy)
    // Two erasures may run side by side.
    let erasure = try await world.hubs[0].erase(world.people[0].id)
    #expect(erasure.tables.allSatisfy { $0.rowsAfter == 0 })
    other.close()
    await world.close()
  }
}

/// Two groups, and people of one shard whose devices write through two processes.
private struct MovedWorld: Sendable {
  let home: PostgresOptions
  let second: PostgresOptions
  let hubs: [PostgresHub]
  let people: [Person]
  let shard: UInt64

  struct Person: Sendable {
    let id: StoreID
    let device: HubAccess
  }

  init() async throws {
    let server = try PostgresServer.shared.get()
    home = try server.newDatabase(connectionCount: 4)
    second = try server.newDatabase(connectionCount: 4)
    let groups = ["second": second.database]
    let options = home
    hubs = try (0..<2).map { _ in try PostgresHub(options, groups: groups) }
    var people: [Person] = []
    let first = StoreID.random()
    shard = first.shard
    while people.count < 3 {
      var id = people.isEmpty ? first : StoreID.random()
      while id.shard != first.shard { id = .random() }
      try await hubs[0].add(id, quota: HubQuota())
      let invitation = HubConformance.entry(.invitation, of: id)
      let device = HubConformance.entry(.device, of: id)
      try await hubs[0].add(invitation, at: HubConformance.noon)
      #expect(try await hubs[0].exchange(invitation, for: device))
      people.append(Person(id: id, device: device))
    }
    self.people = people
  }

  /// Where the shard is, as a new process sees it.
  func place() async throws -> HubShard {
    let hub = try open()
    let shards = try await hub.shards()
    await hub.close()
    return shards[Int(shard)]
  }

  /// Whether the second group answers for the shard.
  func opened() throws -> Bool {
    let connection = try PostgresConnection(second)
    defer { connection.close() }
    return try HeldShard(shard, on: connection).isHere
  }

  /// Opens the databases as a further process does.
  func open() throws -> PostgresHub { try PostgresHub(home) }

  /// Adds a device that each hub finds, revokes it, and returns it; nil if the shard is fenced.
  func addAndRevoke(_ person: StoreID, in hubs: [PostgresHub]) async throws -> HubAccess? {
    let invitation = HubConformance.entry(.invitation, of: person)
    let device = HubConformance.entry(.device, of: person)
    let refused = try await logErrorCode { try await hubs[0].add(invitation, at: invitation.since) }
    guard refused == nil else {
      #expect(refused == .busy)
      return nil
    }
    #expect(try await hubs[0].exchange(invitation, for: device))
    for hub in hubs {
      #expect(try await hub.access(.device, digest: device.digest) == device)
    }
    #expect(try await hubs[0].revoke(device.id, of: person))
    return device
  }

  func close() async {
    for hub in hubs { await hub.close() }
  }

  /// Writers that append until they are stopped, each with what was acknowledged.
  final class Writers: Sendable {
    let isStopped = Atomic(false)
    let tasks = Mutex<[Task<[EventID], any Error>]>([])
  }

  func startWriters() -> Writers {
    let writers = Writers()
    for (number, person) in people.enumerated() {
      let task = Task {
        var history = EventHistory(.random())
        var written: [EventID] = []
        while !writers.isStopped.load(ordering: .relaxed) {
          let run = history.run(count: 5)
          // A device sends again what was not acknowledged, perhaps to another process.
          var attempt = number
          while true {
            let hub = hubs[attempt % 2]
            attempt += 1
            let code = try await logErrorCode {
              let found = try await hub.access(.device, digest: person.device.digest)
              #expect(found == person.device)
              try await HubConformance.append(run, to: person.id, in: hub)
            }
            if code == nil { break }
            #expect(code == .busy || code == .unknownOutcome, "\(String(describing: code))")
            try await Task.sleep(for: .milliseconds(5))
          }
          written.append(run.lastID)
        }
        return written
      }
      writers.tasks.withLock { $0.append(task) }
    }
    return writers
  }

  /// Moves the shard by a process of its own.
  ///
  /// - Parameter step: The number of the transaction before which it ends.
  /// - Returns: Whether it came to its end.
  @discardableResult
  func move(to group: String, endingBefore step: Int = .max) async throws -> Bool {
    let mover = try open()
    let count = Atomic(0)
    struct Ended: Error {}
    do {
      try await mover.move(Int(shard), to: group) {
        if count.add(1, ordering: .relaxed).newValue == step { throw Ended() }
      }
      await mover.close()
      return true
    } catch {
      await mover.close()
      guard error is Ended else { throw error }
      return false
    }
  }

  /// Stops the writers, and checks that a group has what they wrote, once, and no other group has
  /// anything.
  func finish(_ writers: Writers, in group: String) async throws {
    writers.isStopped.store(true, ordering: .relaxed)
    for (person, task) in zip(people, writers.tasks.withLock { $0 }) {
      let written = try await task.value
      let log = try #require(try await hubs[0].log(of: person.id) as? PostgresEventLog)
      let ids = try log.ids()
      #expect(ids.count == 5 * written.count)
      #expect(Set(ids).count == ids.count)
      #expect(Set(ids).isSuperset(of: written))
      #expect(try log.verify().isEmpty)
      #expect(hubs[0].group(of: person.id) == group)
    }
    let other = try PostgresConnection(group == "main" ? second : home)
    let rows = try other.rows(
      PostgresStatement("SELECT count(*) FROM log"), PostgresStatement("SELECT count(*) FROM run"),
      PostgresStatement("SELECT count(*) FROM access"))
    for row in rows { #expect(try row.integer(0, 0) == 0) }
    other.close()
    await close()
  }
}
#endif
