#if Service
import CarillonHub
import CarillonModel
import CarillonTesting
import Testing

@testable import CarillonPostgres

/// What a server's refusals mean, which a server with room and memory cannot make on its own: here,
/// statements and triggers raise them.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresRefusalTests {
  /// A SQLSTATE, and what it means for a statement and for a commit.
  struct Case: CustomTestStringConvertible {
    let state: String
    let code: LogErrorCode
    var commit: LogErrorCode?
    var obstacle: HubObstacle?

    var testDescription: String { state }
  }

  private static let cases = [
    Case(state: "08006", code: .busy, commit: .unknownOutcome),
    Case(state: "22P02", code: .corrupt), Case(state: "23505", code: .corrupt),
    Case(state: "25006", code: .busy, obstacle: .readOnly), Case(state: "40P01", code: .busy),
    Case(state: "40003", code: .busy, commit: .unknownOutcome),
    Case(state: "42P01", code: .corrupt), Case(state: "25P03", code: .busy),
    Case(state: "42501", code: .busy, obstacle: .noPrivilege),
    Case(state: "53000", code: .busy, obstacle: .noResources),
    Case(state: "53100", code: .busy, obstacle: .fullDisk),
    Case(state: "53200", code: .busy, obstacle: .noResources),
    Case(state: "53300", code: .busy, obstacle: .noConnections),
    Case(state: "54000", code: .io), Case(state: "55P03", code: .busy),
    Case(state: "57014", code: .busy, commit: .unknownOutcome),
    Case(state: "57P01", code: .busy, commit: .unknownOutcome),
    Case(state: "58030", code: .io, commit: .unknownOutcome),
    Case(state: "XX000", code: .io, commit: .unknownOutcome),
    Case(state: "XX001", code: .corrupt, commit: .unknownOutcome),
  ]

  @Test(
    "A refusal has a code, and leaves a commit unknown only if that may have happened",
    arguments: cases)
  func states(_ expected: Case) throws {
    let options = try PostgresServer.shared.get().options
    let raise = PostgresStatement(
      "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(expected.state)'; END $$")
    let connection = try PostgresConnection(options)
    defer { connection.close() }
    let refused = #expect(throws: LogError.self) { try connection.rows(raise) }
    #expect(refused?.code == expected.code)
    #expect(refused?.obstacle == expected.obstacle)
    #expect((refused?.retryAfter != nil) == (expected.code == .busy))
    connection.add(PostgresStatement("BEGIN"))
    connection.add(raise)
    let commit = #expect(throws: LogError.self) { try connection.commit() }
    #expect(commit?.code == expected.commit ?? expected.code)
    #expect(connection.isClosed == (expected.commit != nil))
  }

  @Test("A connection that the server refuses has the reason")
  func connecting() throws {
    let server = try PostgresServer.shared.get()
    let database = try server.newDatabase()
    let (few, reader) = (
      try server.newRole("CONNECTION LIMIT 1", in: database), try server.newRole(in: database)
    )
    try server.run("ALTER ROLE \(reader.role) SET default_transaction_read_only = on")
    let first = try PostgresConnection(few)
    defer { first.close() }
    let closed = try server.newRole(in: server.newDatabase())
    try server.run("REVOKE CONNECT ON DATABASE \(closed.name) FROM PUBLIC")
    var unknown = database
    unknown.database += " user=nobody"
    var missing = database
    missing.database += " dbname=missing"
    let barred = try server.newRole(in: database)
    try server.run("ALTER ROLE \(barred.role) NOLOGIN")
    for (options, obstacle, said) in [
      (few, HubObstacle.noConnections, "too many connections for role"),
      (reader, .readOnly, "session is read-only"), (closed, .noPrivilege, "CONNECT"),
      (unknown, .noLogin, "does not exist"), (missing, .noDatabase, "does not exist"),
      (barred, .noLogin, "not permitted to log in"),
    ] {
      let error = #expect(throws: LogError.self) { try PostgresConnection(options) }
      #expect(error?.code == .busy)
      #expect(error?.obstacle == obstacle, "\(String(describing: error))")
      #expect(error?.message.hasPrefix(obstacle.rawValue + ": ") == true)
      #expect(error?.message.contains(said) == true, "\(String(describing: error))")
    }
  }

  @Test("A database that another process uses alone says so, as all of its obstacles")
  func usedAlone() throws {
    let database = try PostgresServer.shared.get().newDatabase()
    var alone = database
    alone.use = .exclusive
    let pool = try PostgresPool(alone)
    defer { pool.close() }
    let error = #expect(throws: LogError.self) { try PostgresConnection(database) }
    #expect(error?.code == .busy && error?.obstacle == .usedAlone)
    #expect(error?.message == HubObstacle.usedAlone.rawValue)
  }

  @Test("A call that asks all groups names the one that fails")
  func groups() async throws {
    let database = try PostgresServer.shared.get().newDatabase()
    let hub = try PostgresHub(database, groups: ["two": "host=/nowhere"])
    let error = await #expect(throws: LogError.self) {
      try await hub.device(digest: [UInt8](repeating: 1, count: 32))
    }
    #expect(error?.group == "two" && error?.obstacle == .unreachable)
    await hub.close()
  }

  @Test("A look-up in all groups asks those that fail last, and after five failures once a second")
  func failingGroup() async throws {
    let server = try PostgresServer.shared.get()
    let (one, two) = (try server.newDatabase(), try server.newDatabase())
    let hub = try PostgresHub(one, groups: ["two": two.database])
    try server.run("UPDATE shard SET name = 'two'", in: one)
    try hub.groupList.reload()
    var failures = 0
    func find(isThere: Bool) throws -> Bool? {
      try hub.groupList.find(HubConformance.random(32), of: { _ in .random() }) { pool in
        guard pool.options.database == one.database else { return isThere ? true : nil }
        failures += 1
        throw LogError.refused(by: .silent)
      }
    }
    for _ in 1...20 { #expect(try find(isThere: true) == true) }
    #expect(failures == 1)
    for _ in 1...50 { #expect(throws: LogError.self) { try find(isThere: false) } }
    #expect(failures < 25)
    await hub.close()
  }

  /// When the server notices that its disk is full.
  enum Moment: String, CaseIterable {
    case insert = "CREATE TRIGGER refusal BEFORE INSERT ON run FOR EACH ROW"
    case commit = """
      CREATE CONSTRAINT TRIGGER refusal AFTER INSERT ON run DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW
      """
  }

  @Test(
    "On a full disk, appends are refused by that name, and succeed once there is room",
    arguments: Moment.allCases)
  func fullDisk(_ moment: Moment) async throws {
    let server = try PostgresServer.shared.get()
    let options = try server.newDatabase()
    let fixture = try PostgresFixture(options)
    var history = EventHistory(ReplicaID.random())
    _ = try await fixture.log.append(history.run(count: 2))
    try server.refuse(moment.rawValue, by: "53100", in: options)
    let run = history.run(count: 3)
    for _ in 0..<2 {
      let error = await #expect(throws: LogError.self) { try await fixture.log.append(run) }
      #expect(error?.code == .busy)
      #expect(error?.obstacle == .fullDisk)
      #expect(error?.message.hasPrefix("the disk of the database is full") == true)
      #expect(try fixture.log.ids().count == 2)
    }
    try server.run("DROP TRIGGER refusal ON run", in: options)
    _ = try await fixture.log.append(run)
    #expect(try fixture.log.ids().count == 5)
  }
}
#endif
