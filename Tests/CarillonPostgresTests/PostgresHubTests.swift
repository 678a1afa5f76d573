#if Service
import CarillonHub
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

@testable import CarillonPostgres

/// The port of a hub's database, tested on PostgreSQL with one group.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresHubTests {
  @Test("A hub on PostgreSQL conforms", arguments: HubConformance.checks)
  func conforms(_ check: HubConformance) async throws {
    let options = try PostgresServer.shared.get().newDatabase(connectionCount: 4)
    try await check.run { try PostgresHub(options) }
  }

  @Test("After an erasure, no row of any table has the ID of the person")
  func erased() async throws {
    let options = try PostgresServer.shared.get().newDatabase(connectionCount: 4)
    let hub = try PostgresHub(options)
    let (person, _) = try await HubConformance.person(in: hub)
    var history = EventHistory(.random())
    try await HubConformance.append(history.run(count: 9), to: person, in: hub)
    let before = try rows(with: person, in: options)
    #expect(Set(before.keys).isSuperset(of: ["log", "meta", "head", "run", "access"]))
    let erasure = try await hub.erase(person)
    #expect(try rows(with: person, in: options) == [:])
    for table in erasure.tables {
      #expect(table.rowsBefore == before[table.name] ?? 0, "\(table.name)")
    }
    await hub.close()
  }

  /// Counts the rows of all tables in which a person's ID stands in any column.
  private func rows(
    with person: StoreID, in options: PostgresOptions
  ) throws -> [String: Int] {
    let connection = try PostgresConnection(options)
    defer { connection.close() }
    let tables = try connection.rows(
      PostgresStatement("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"))[0]
    var counts: [String: Int] = [:]
    for row in 0..<tables.count {
      let name = tables.text(row, 0)
      let rows = try connection.rows(
        PostgresStatement(
          """
          SELECT count(*) FROM \(name) AS found
          WHERE found::text LIKE '%' || encode($1, 'hex') || '%'
          """, .bytes(person.bytes)))[0]
      let count = Int(clamping: try rows.integer(0, 0))
      if count > 0 { counts[name] = count }
    }
    return counts
  }

  @Test("The counted bytes are those of the rows, whatever was appended, redacted and joined")
  func counted() async throws {
    let options = try PostgresServer.shared.get().newDatabase(connectionCount: 4)
    let hub = try PostgresHub(options)
    let (person, _) = try await HubConformance.person(in: hub)
    let log = try #require(try await hub.log(of: person) as? PostgresEventLog)
    var (phone, watch) = (EventHistory(.random()), EventHistory(.random()))
    for round in 1...30 {
      let count = Int.random(in: 1...9)
      _ = try await log.append([phone.run((0..<count).map { _ in HubConformance.random(50) })])
      if round.isMultiple(of: 4) { _ = try await log.append(watch.run(count: 600)) }
    }
    _ = try await log.erase(
      (1...40).map {
        ErasedPayload(position: LogPosition(rawValue: $0), erasure: phone.last)
      })
    try await expectCounted(person, in: hub, options)
    #expect(try await log.compactRows() > 0)
    try await expectCounted(person, in: hub, options)
    #expect(try log.verify().isEmpty)
    await hub.close()
  }

  private func expectCounted(
    _ person: StoreID, in hub: PostgresHub, _ options: PostgresOptions
  ) async throws {
    let connection = try PostgresConnection(options)
    defer { connection.close() }
    let rows = try connection.rows(
      PostgresStatement(
        "SELECT sum(octet_length(ids) + octet_length(contents))::bigint FROM run"))[0]
    #expect(try await hub.person(person)?.byteCount == rows.integer(0, 0))
  }

  @Test("A database that is another group of a hub is refused")
  func strangers() async throws {
    let server = try PostgresServer.shared.get()
    let (home, second) = (
      try server.newDatabase(connectionCount: 4), try server.newDatabase(connectionCount: 4)
    )
    let hub = try PostgresHub(home, groups: ["second": second.database])
    try await hub.move(1, to: "second")
    await hub.close()
    let error = #expect(throws: LogError.self) { try PostgresHub(second) }
    #expect(error?.obstacle == .otherGroup)
    // Another hub cannot take the database as a group of its own.
    let other = try server.newDatabase(connectionCount: 4)
    let taken = #expect(throws: LogError.self) {
      try PostgresHub(other, groups: ["second": second.database])
    }
    #expect(taken?.obstacle == .otherGroup)
    #expect(try other.text("SELECT count(*)::text FROM member") == "1")
  }

  @Test("The URL of an empty or another database never replaces that of a group with shards")
  func wrongURLs() async throws {
    let server = try PostgresServer.shared.get()
    let (home, second, empty) = (
      try server.newDatabase(connectionCount: 4), try server.newDatabase(connectionCount: 4),
      try server.newDatabase()
    )
    let hub = try PostgresHub(home, groups: ["second": second.database])
    try await hub.move(1, to: "second")
    let stored = "SELECT database FROM member WHERE name = 'second'"
    for (options, problem) in [
      (empty, "the group second has shards, and the database has none"),
      (home, "it is the group main of this hub, and not second"),
    ] {
      let error = #expect(throws: LogError.self) {
        try PostgresHub(home, groups: ["second": options.database])
      }
      #expect(error?.obstacle == .otherGroup)
      #expect(error?.message.hasSuffix(problem) == true, "\(String(describing: error))")
      #expect(try home.text(stored) == second.database)
    }
    // As an earlier version stored it.
    try server.run("UPDATE member SET database = '\(empty.quoted)' WHERE name = 'second'", in: home)
    let wrong = try PostgresHub(home)
    let moved = await #expect(throws: LogError.self) { try await wrong.move(2, to: "second") }
    #expect(moved?.obstacle == .otherGroup)
    #expect(await wrong.groups().map(\.failure?.obstacle) == [nil, .otherGroup])
    #expect(try empty.text("SELECT coalesce(to_regclass('hub')::text, 'none')") == "none")
    let right = try PostgresHub(home, groups: ["second": second.database])
    #expect(try home.text(stored) == second.database)
    #expect(await right.groups().allSatisfy { $0.failure == nil })
    for hub in [hub, wrong, right] { await hub.close() }
  }

  @Test("The URL of a database that cannot be asked replaces that of a group once it can")
  func laterURL() async throws {
    let server = try PostgresServer.shared.get()
    let (home, second) = (
      try server.newDatabase(connectionCount: 4), try server.newDatabase(connectionCount: 4)
    )
    let first = try PostgresHub(home, groups: ["second": second.database])
    try await first.move(1, to: "second")
    await first.close()
    var renamed = second
    renamed.database.replace(second.name, with: second.name + "_new")
    let hub = try PostgresHub(home, groups: ["second": renamed.database])
    let stored = "SELECT database FROM member WHERE name = 'second'"
    #expect(await hub.groups().map(\.failure?.obstacle) == [nil, .noDatabase])
    #expect(try home.text(stored) == second.database)
    try server.run(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        + "WHERE datname = '\(second.name)'")
    try server.run("ALTER DATABASE \(second.name) RENAME TO \(renamed.name)")
    #expect(await hub.groups().allSatisfy { $0.failure == nil })
    #expect(try home.text(stored) == renamed.database)
    await hub.close()
  }

  @Test("A move does not go on in an empty database after the old group was fenced")
  func lostTarget() async throws {
    let server = try PostgresServer.shared.get()
    let (home, second, empty) = (
      try server.newDatabase(connectionCount: 4), try server.newDatabase(connectionCount: 4),
      try server.newDatabase()
    )
    let hub = try PostgresHub(home, groups: ["second": second.database])
    struct Ended: Error {}
    await #expect(throws: Ended.self) {
      try await hub.move(1, to: "second") {
        let state = try second.text(
          "SELECT coalesce((SELECT state FROM held WHERE shard = 1), 'none')")
        if state == "here" { throw Ended() }
      }
    }
    await hub.close()
    let other = try PostgresHub(home, groups: ["second": empty.database])
    let error = await #expect(throws: LogError.self) { try await other.move(1, to: "second") }
    #expect(error?.obstacle == .otherGroup)
    await other.close()
    let right = try PostgresHub(home, groups: ["second": second.database])
    try await right.move(1, to: "second")
    #expect(try await right.shards()[1].group == "second")
    await right.close()
  }

  @Test("A group is removed once it has no shard, also if its database cannot be reached")
  func removedGroups() async throws {
    let server = try PostgresServer.shared.get()
    let (home, second) = (
      try server.newDatabase(connectionCount: 4), try server.newDatabase(connectionCount: 4)
    )
    let groups = ["second": second.database, "typo": "host=/nowhere"]
    let (hub, other) = (try PostgresHub(home, groups: groups), try PostgresHub(home))
    #expect(try await !hub.removeGroup("typo"))
    let (person, device) = try await HubConformance.person(in: hub)
    let shard = Int(person.shard)
    try await other.move(shard, to: "second")
    for (name, expected) in [
      ("second", LogError.Code.invalidValue), ("main", .invalidValue), ("typo", .notFound),
    ] {
      let code = try await logErrorCode { _ = try await hub.removeGroup(name) }
      #expect(code == expected, "\(name)")
    }
    // A move that was interrupted before the old group was cleaned.
    struct Ended: Error {}
    await #expect(throws: Ended.self) {
      try await hub.move(shard, to: "main") {
        let isMoved = try home.text("SELECT name FROM shard WHERE number = \(shard)") == "main"
        if isMoved { throw Ended() }
      }
    }
    #expect(try await hub.shards().allSatisfy { $0.group == "main" && $0.target == nil })
    let left = try await logErrorCode { _ = try await hub.removeGroup("second") }
    #expect(left == .invalidValue)
    try await hub.move(shard, to: "main")
    #expect(try await hub.removeGroup("second"))
    // Another process forgets it, too.
    _ = try await other.shards()
    for hub in [hub, other] {
      #expect(await hub.groups().map(\.name) == ["main"])
      #expect(try await hub.device(digest: device.digest)?.person == person)
      let code = try await logErrorCode { try await hub.move(shard, to: "second") }
      #expect(code == .notFound)
    }
    await hub.close()
    await other.close()
  }
}

extension PostgresOptions {
  /// The connection string in a literal of SQL.
  fileprivate var quoted: String { database.replacing("'", with: "''") }

  /// Returns the text of a row with one column.
  fileprivate func text(_ sql: String) throws -> String {
    let connection = try PostgresConnection(self)
    defer { connection.close() }
    return try connection.rows(PostgresStatement(sql))[0].text(0, 0)
  }
}

extension PostgresServer {
  /// Creates an empty database for a hub, of which a test opens several.
  func newDatabase(connectionCount: Int) throws -> PostgresOptions {
    var options = try newDatabase()
    options.connectionCount = connectionCount
    return options
  }
}

extension EventLog {
  fileprivate func append(_ runs: [EventRun]) async throws -> [AppendOutcome] {
    try await append(runs, wallClock: HubConformance.noon, erasures: nil)
  }
}
#endif
