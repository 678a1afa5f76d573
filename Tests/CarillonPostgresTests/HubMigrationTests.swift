#if Service
import CarillonHub
import CarillonHubFiles
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

@testable import CarillonPostgres

/// The move of all people from one kind of database to the other.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct HubMigrationTests {
  @Test("All people reach PostgreSQL and come back, with devices, quotas, forks and redactions")
  func bothWays() async throws {
    let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let files = try FileHub(at: one.url.path, creates: true)
    let postgres = try PostgresHub(PostgresServer.shared.get().newDatabase())
    let back = try FileHub(at: other.url.path, creates: true)
    let people = try await fill(files)
    for (from, to) in [(files as any HubDatabase, postgres as any HubDatabase), (postgres, back)] {
      let report = try await HubMigration(from: from, to: to).run()
      #expect(report.problems.isEmpty)
      #expect(report.people == people.count)
      #expect(report.devices == people.count)
      for person in people {
        #expect(try await events(of: person, in: to) == events(of: person, in: files))
        #expect(
          try await to.access(of: person, includingKeys: true)
            == files.access(of: person, includingKeys: true))
        #expect(try await to.person(person)?.quota == files.person(person)?.quota)
      }
      // Nothing is left to do.
      let error = await #expect(throws: LogError.self) {
        _ = try await HubMigration(from: from, to: to).run()
      }
      #expect(error?.obstacle == .moved)
    }
    for database in [files as any HubDatabase, postgres, back] { await database.close() }
  }

  @Test("A migration that is interrupted after any person continues")
  func interrupted() async throws {
    let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (from, to) = (
      try FileHub(at: one.url.path, creates: true), try FileHub(at: other.url.path, creates: true)
    )
    let people = try await fill(from)
    for count in 1...people.count {
      let task = Task {
        try await HubMigration(from: from, to: to).run { report in
          if report.people == count { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
      _ = await task.result
      #expect(try await to.people(after: nil, limit: 100).count == count)
    }
    #expect(try await HubMigration(from: from, to: to).run().people == people.count)
    await from.close()
    await to.close()
  }

  @Test("Hubs refuse a database until all people are in it, and the other one from then on")
  func marks() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.path
    let options = try PostgresServer.shared.get().newDatabase(connectionCount: 4)
    let files = { @Sendable (use: HubUse) -> any HubDatabase in
      try FileHub(at: path, creates: true, use: use)
    }
    let postgres = { @Sendable (use: HubUse) -> any HubDatabase in
      var options = options
      options.use = use
      return try PostgresHub(options)
    }
    try await files(.shared).closing { hub in
      for _ in 1...2 { _ = try await HubConformance.person(in: hub) }
    }
    // And back.
    for (from, to) in [(files, postgres), (postgres, files)] {
      let migration = { @Sendable (count: Int) in
        try await from(.exclusive).closing { from in
          try await to(.exclusive).closing { to in
            try await HubMigration(from: from, to: to).run { report in
              if report.people == count { withUnsafeCurrentTask { $0?.cancel() } }
            }
          }
        }
      }
      _ = await Task { try await migration(1) }.result
      #expect(obstacle { try to(.shared) } == .incomplete)
      try await from(.shared).close()
      _ = try await migration(.max)
      #expect(obstacle { try from(.shared) } == .moved)
      try await to(.shared).close()
    }
  }

  @Test("Whoever was erased since does not come back on the way back")
  func erasedSince() async throws {
    let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (old, new) = (
      try FileHub(at: one.url.path, creates: true), try FileHub(at: other.url.path, creates: true)
    )
    let (person, _) = try await HubConformance.person(in: old)
    let (kept, _) = try await HubConformance.person(in: old)
    _ = try await HubMigration(from: old, to: new).run()
    _ = try await new.erase(person)
    let error = await #expect(throws: LogError.self) {
      _ = try await HubMigration(from: new, to: old).run()
    }
    #expect(
      error?.message.contains("\(person) was erased in the database to copy from") == true,
      "\(String(describing: error))")
    #expect(try await old.state() == .moved)
    try await old.setState(.serving)
    _ = try await old.erase(person)
    _ = try await HubMigration(from: new, to: old).run()
    #expect(try await old.people(after: nil, limit: 9).map(\.id) == [kept])
    await old.close()
    await new.close()
  }

  @Test("A migration also copies who was erased, so that nobody of them can be added again")
  func erasedBefore() async throws {
    let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let files = try FileHub(at: one.url.path, creates: true)
    let server = try PostgresServer.shared.get()
    let second = try server.newDatabase(connectionCount: 4)
    let postgres = try PostgresHub(server.newDatabase(), groups: ["second": second.database])
    let back = try FileHub(at: other.url.path, creates: true)
    let people = (0..<4).map { _ in StoreID.random() }
    try await postgres.move(Int(people[0].shard), to: "second")
    for (number, person) in people.enumerated() {
      try await files.add(person, quota: HubQuota())
      if number < 3 { _ = try await files.erase(person) }
    }
    for (from, to) in [(files as any HubDatabase, postgres as any HubDatabase), (postgres, back)] {
      #expect(try await HubMigration(from: from, to: to).run().people == 1)
      for person in people.prefix(3) {
        let code = try await logErrorCode { try await to.add(person, quota: HubQuota()) }
        #expect(code == .alreadyExists)
      }
      #expect(try await to.erased(after: nil, limit: 9) == files.erased(after: nil, limit: 9))
    }
    for database in [files as any HubDatabase, postgres, back] { await database.close() }
  }

  @Test("Whoever was copied and then erased in the old database does not come back in the new one")
  func erasedBetween() async throws {
    let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (from, to) = (
      try FileHub(at: one.url.path, creates: true), try FileHub(at: other.url.path, creates: true)
    )
    let (person, _) = try await HubConformance.person(in: from)
    _ = await Task {
      try await HubMigration(from: from, to: to).run { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }.result
    _ = try await from.erase(person)
    for _ in 1...2 {
      let error = await #expect(throws: LogError.self) {
        _ = try await HubMigration(from: from, to: to).run()
      }
      guard case .leftover(person, isRefused: true) = error?.cause as? HubMigration.Conflict
      else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    try await to.setState(.serving)
    _ = try await to.erase(person)
    #expect(try await HubMigration(from: from, to: to).run().people == 0)
    #expect(try await to.people(after: nil, limit: 9).isEmpty)
    await from.close()
    await to.close()
  }

  @Test(
    "A migration from another hub does not end one that was interrupted", arguments: [true, false])
  func otherSource(isToPostgres: Bool) async throws {
    let directories = try (0..<3).map { _ in try TemporaryDirectory() }
    defer { withExtendedLifetime(directories) {} }
    let (first, third) = (
      try FileHub(at: directories[0].url.path, creates: true),
      try FileHub(at: directories[1].url.path, creates: true)
    )
    let open: @Sendable () throws -> any HubDatabase
    if isToPostgres {
      let options = try PostgresServer.shared.get().newDatabase(connectionCount: 4)
      open = { try PostgresHub(options) }
    } else {
      let path = directories[2].url.path
      open = { try FileHub(at: path, creates: true) }
    }
    let to = try open()
    for hub in [first, first, third] { _ = try await HubConformance.person(in: hub) }
    _ = await Task {
      try await HubMigration(from: first, to: to).run { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }.result
    #expect(try await to.state() == .filling(from: first.id))
    #expect(first.id != third.id)
    let error = await #expect(throws: LogError.self) {
      _ = try await HubMigration(from: third, to: to).run()
    }
    #expect(error?.obstacle == .incomplete)
    #expect(error?.message.contains("from the hub \(first.id)") == true)
    #expect(try await to.state() == .filling(from: first.id))
    #expect(try await third.state() == .serving)
    #expect(try await HubMigration(from: first, to: to).run().people == 2)
    #expect(try await to.state() == .serving)
    for database in [first as any HubDatabase, third, to] { await database.close() }
  }

  @Test("An unfinished migration of a version that did not store its source is continued")
  func unknownSource() async throws {
    let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (from, to) = (
      try FileHub(at: one.url.path, creates: true), try FileHub(at: other.url.path, creates: true)
    )
    _ = try await HubConformance.person(in: from)
    try await to.setState(.filling(from: nil))
    #expect(try await HubMigration(from: from, to: to).run().people == 1)
    await from.close()
    await to.close()
  }

  @Test("A hub process that had lost its connections does not serve people who were moved")
  func lostConnections() async throws {
    let directory = try TemporaryDirectory()
    let server = try PostgresServer.shared.get()
    var options = try server.newDatabase(connectionCount: 4)
    let second = try server.newDatabase(connectionCount: 4)
    let hub = try PostgresHub(options, groups: ["second": second.database])
    let (person, _) = try await HubConformance.person(in: hub)
    try server.run(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        + "WHERE datname IN ('\(options.name)', '\(second.name)')")
    options.use = .exclusive
    let sole = try PostgresHub(options)
    let files = try FileHub(at: directory.url.path, creates: true)
    _ = try await HubMigration(from: sole, to: files).run()
    await sole.close()
    var obstacle: HubObstacle?
    for _ in 1...5 where obstacle == nil {
      obstacle = await #expect(throws: LogError.self) { try await hub.person(person) }?.obstacle
    }
    #expect(obstacle == .moved)
    // Of several groups, each is marked.
    #expect(self.obstacle { try PostgresPool(second) } == .moved)
    try await PostgresHub(options).closing { try await $0.setState(.serving) }
    #expect(try await hub.person(person)?.id == person)
    await hub.close()
    await files.close()
  }

  @Test("What was revoked or used since an earlier copy has no access in the other database either")
  func revoked() async throws {
    let directory = try TemporaryDirectory()
    let from = try PostgresHub(PostgresServer.shared.get().newDatabase())
    let to = try FileHub(at: directory.url.path, creates: true)
    let (person, device) = try await HubConformance.person(in: from)
    let invitation = HubConformance.entry(.invitation, of: person)
    try await from.add(invitation, at: HubConformance.noon)
    _ = try await HubMigration(from: from, to: to).run()
    #expect(try await to.access(of: person, includingKeys: true).count == 2)
    try await from.setState(.serving)
    #expect(try await from.revoke(device.id, of: person))
    #expect(
      try await from.exchange(invitation, for: HubConformance.entry(.device, of: person)))
    let report = try await HubMigration(from: from, to: to).run()
    #expect(report.problems.isEmpty)
    let access = try await to.access(of: person, includingKeys: true)
    #expect(try await Set(access) == Set(from.access(of: person, includingKeys: true)))
    #expect(access.count == 1 && !access.contains(device) && !access.contains(invitation))
    await from.close()
    await to.close()
  }

  @Test("A person who differs in the other database is reported, and the others are copied")
  func different() async throws {
    let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (from, to) = (
      try FileHub(at: one.url.path, creates: true), try FileHub(at: other.url.path, creates: true)
    )
    let people = try await fill(from)
    try await to.add(people[2], quota: HubQuota())
    var history = EventHistory(.random())
    try await HubConformance.append(history.run(count: 1), to: people[2], in: to)
    let report = try await HubMigration(from: from, to: to).run()
    #expect(Array(report.problems.keys) == [people[2]])
    #expect(report.people == people.count - 1)
    await from.close()
    await to.close()
  }

  @Test("Nobody uses a database alone while another process uses it, and the other way round")
  func alone() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.appending("hub").path
    let server = try PostgresServer.shared.get()
    let (options, second) = (
      try server.newDatabase(connectionCount: 4), try server.newDatabase(connectionCount: 4)
    )
    try await PostgresHub(options, groups: ["second": second.database]).close()
    let kinds: [@Sendable (HubUse) throws -> any HubDatabase] = [
      { try FileHub(at: path, creates: true, use: $0) },
      { use in
        var options = options
        options.use = use
        return try PostgresHub(options)
      },
    ]
    for open in kinds {
      let (one, other) = (try open(.shared), try open(.shared))
      await one.close()
      #expect(try await logErrorCode { _ = try open(.exclusive) } == .busy)
      await other.close()
      let sole = try open(.exclusive)
      for use in [HubUse.shared, .exclusive] {
        #expect(try await logErrorCode { _ = try open(use) } == .busy)
      }
      try await sole.add(.random(), quota: HubQuota())
      try await sole.confirmUse()
      await sole.close()
      try await open(.shared).close()
    }
    // Of several groups, each counts.
    let connection = try PostgresConnection(second)
    #expect(try await logErrorCode { _ = try kinds[1](.exclusive) } == .busy)
    connection.close()
  }

  @Test("Two URLs of one database are recognized, also while a hub uses it")
  func sameDatabase() async throws {
    let server = try PostgresServer.shared.get()
    let (one, other) = (try server.newDatabase(), try server.newDatabase())
    let hub = try PostgresHub(one)
    let second = try server.newRole(in: one)
    #expect(try PostgresHub.isSame(one.database, second.database))
    #expect(try !PostgresHub.isSame(one.database, other.database))
    await hub.close()
  }

  @Test("A migration that lost its lock does not succeed")
  func lostLock() async throws {
    let directory = try TemporaryDirectory()
    let server = try PostgresServer.shared.get()
    var options = try server.newDatabase(connectionCount: 4)
    options.use = .exclusive
    let (from, to) = (
      try FileHub(at: directory.url.path, creates: true, use: .exclusive), try PostgresHub(options)
    )
    try server.run(
      """
      SELECT pg_terminate_backend(pid, 10000) FROM pg_locks JOIN pg_database ON oid = database
      WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND datname = '\(options.name)'
      """)
    let code = try await logErrorCode { _ = try await HubMigration(from: from, to: to).run() }
    #expect(code == .busy)
    await from.close()
    await to.close()
  }

  // MARK: -

  /// Returns what keeps a database from being opened; nil if it was opened.
  private func obstacle(_ open: () throws -> Any) -> HubObstacle? {
    #expect(throws: LogError.self) { _ = try open() }?.obstacle
  }

  /// Adds people with devices, and events of two replicas and a fork, one of them redacted.
  private func fill(_ database: any HubDatabase) async throws -> [StoreID] {
    var people: [StoreID] = []
    for number in 0..<5 {
      let (person, _) = try await HubConformance.person(
        in: database, quota: HubQuota(bytes: UInt64(number + 1) << 20, devices: number + 1))
      try await database.add(HubConformance.entry(.invitation, of: person), at: HubConformance.noon)
      let log = try await database.log(of: person)
      var (phone, watch) = (EventHistory(.random()), EventHistory(.random()))
      for round in 0..<10 {
        let run = watch.run(count: 7)
        _ = try await log.append(
          [phone.run(count: 60 + round), run], wallClock: HubConformance.noon, erasures: nil)
      }
      var clone = watch
      _ = try await log.append([watch.run(count: 3)], wallClock: HubConformance.noon, erasures: nil)
      _ = try await log.append(
        [clone.run(count: 2, text: "clone")], wallClock: HubConformance.noon, erasures: nil)
      _ = try await log.erase([
        ErasedPayload(position: LogPosition(rawValue: 5), erasure: phone.last)
      ])
      people.append(person)
    }
    return people.sorted()
  }

  private func events(of person: StoreID, in database: any HubDatabase) async throws
    -> [StoredEvent]
  {
    var events: [StoredEvent] = []
    try await database.log(of: person).scan(after: .start) { event in
      events.append(event.event)
      return true
    }
    return events
  }
}
#endif
