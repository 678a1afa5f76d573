#if Service
import CarillonHub
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

@testable import CarillonPostgres

/// The port's rules, tested on the log on PostgreSQL, and what several processes share.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresEventLogTests {
  @Test("The log on PostgreSQL conforms")
  func conforms() async throws {
    let server = try PostgresServer.shared.get()
    let database = try server.newDatabase()
    let pool = try PostgresPool(database)
    defer { pool.close() }
    for check in EventLogConformance.checks {
      try await check.run { try PostgresEventLog.create(in: pool, storeID: $0, replica: $1) }
      // Each check creates a store with the same ID.
      try server.run("DELETE FROM log", in: database)
    }
  }

  @Test(
    "The log on PostgreSQL repairs as the port asks", arguments: EventLogConformance.damageChecks)
  func repairs(_ check: EventLogConformance.DamageCheck) async throws {
    let database = try PostgresServer.shared.get().newDatabase()
    let pool = try PostgresPool(database)
    defer { pool.close() }
    try await check.run {
      try PostgresEventLog.create(in: pool, storeID: $0, replica: $1)
    } damage: { log, position in
      try Self.damage(position.rawValue, in: database)
      await log.close()
      return try PostgresEventLog.open(in: pool, storeID: log.storeID)
    }
  }

  /// Changes a byte of the payload at a position of a database's only store.
  private static func damage(_ position: UInt64, in database: PostgresOptions) throws {
    let connection = try PostgresConnection(database)
    defer { connection.close() }
    let rows = try connection.rows(
      PostgresStatement(
        """
        SELECT \(RunRow.columns) FROM run WHERE position <= $1 ORDER BY position DESC LIMIT 1
        """, .integer(position)))
    var row = try RunRow(rows[0], 0, of: .random())
    let event = row.event(at: position)
    guard case .payload(var payload) = event.content else { return }
    payload[payload.count - 2] ^= 0x20
    row.replace(at: position, by: HeldEvent(header: event.header, content: .payload(payload)))
    let (contents, isDeflated) = row.contentBytes()
    _ = try connection.rows(
      PostgresStatement(
        "UPDATE run SET contents = $2, is_deflated = $3 WHERE position = $1",
        .integer(row.run.firstPosition), .bytes(contents), .flag(isDeflated)))
  }

  @Test("A handle that another process has overtaken sees the other's events, and follows them")
  func overtaken() async throws {
    let one = try PostgresFixture(try PostgresServer.shared.get().options)
    let pool = try PostgresPool(try PostgresServer.shared.get().options)
    defer { pool.close() }
    let other = try PostgresEventLog.open(in: pool, storeID: one.store)
    var history = EventHistory(ReplicaID.random())
    for round in 1...5 {
      for log in [one.log, other] { _ = try await log.append(history.run(count: 3)) }
      #expect(try one.log.ids().count == 6 * round)
      #expect(try other.ids() == one.log.ids())
    }
    #expect(try one.log.branches().count == 1)
  }

  @Test("Stores of one database do not see each other's events")
  func apart() async throws {
    let options = try PostgresServer.shared.get().options
    let (one, other) = (try PostgresFixture(options), try PostgresFixture(options))
    var history = EventHistory(ReplicaID.random())
    let run = history.run(count: 700)
    _ = try await one.log.append(run)
    #expect(try one.log.ids().count == 700)
    #expect(try other.log.ids().isEmpty)
    _ = try await other.log.append(run.slice(0..<2))
    #expect(try other.log.ids().count == 2)
  }

  @Test("A database with a migration that the program does not know is refused")
  func newer() async throws {
    let server = try PostgresServer.shared.get()
    let database = try server.newDatabase()
    try PostgresPool(database).close()
    try server.run("INSERT INTO migration VALUES (99)", in: database)
    let code = try await logErrorCode { _ = try PostgresPool(database) }
    #expect(code == .unsupportedFormat)
  }

  @Test("Of many processes that start together, one migrates and all go on")
  func migrating() async throws {
    let database = try PostgresServer.shared.get().newDatabase()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 { group.addTask { try PostgresPool(database).close() } }
      try await group.waitForAll()
    }
  }

  @Test("While another writer holds the store, a call is refused as busy and says when to return")
  func busy() async throws {
    let server = try PostgresServer.shared.get()
    var options = server.options
    options.deadline = .milliseconds(400)
    let fixture = try PostgresFixture(options)
    let holder = try PostgresConnection(server.options)
    defer { holder.close() }
    holder.add(PostgresStatement("BEGIN"))
    _ = try holder.rows(PostgresStatement("SELECT 1 FROM log FOR UPDATE"))
    var history = EventHistory(ReplicaID.random())
    let run = history.run(count: 1)
    let error = await #expect(throws: LogError.self) { _ = try await fixture.log.append(run) }
    #expect(error?.code == .busy)
    #expect(error?.retryAfter == options.retryAfter)
    holder.close()
    while try await logErrorCode({ _ = try await fixture.log.append(run) }) != nil {}
    #expect(try fixture.log.ids().count == 1)
  }
}
#endif
