#if Service
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

@testable import CarillonPostgres

/// Checks of a log on PostgreSQL, the joining of its rows, and connections after failures.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresMaintenanceTests {
  // MARK: Verification

  @Test("A log with forks, redactions and joined rows verifies without problems")
  func intact() async throws {
    let fixture = try await filled()
    #expect(try fixture.log.verify().isEmpty)
    _ = try await fixture.log.compactRows()
    #expect(try fixture.log.verify().isEmpty)
  }

  @Test(
    "Each changed row is found",
    arguments: [
      "UPDATE run SET ids = set_byte(ids, 20, get_byte(ids, 20) # 1) WHERE position = 1",
      "UPDATE run SET contents = set_byte(contents, 9, get_byte(contents, 9) # 1) "
        + "WHERE position = 1",
      "UPDATE run SET contents = substring(contents FOR 5) WHERE position = 1",
      "UPDATE run SET sequence = sequence + 1000 WHERE position = 1",
      "UPDATE run SET branch = 9 WHERE position = 1",
      "UPDATE run SET count = count + 1 WHERE position = 1",
      "DELETE FROM run WHERE position = 1",
      "UPDATE head SET value = set_byte(value, 40, get_byte(value, 40) # 1) WHERE branch = 0",
      "UPDATE head SET value = set_byte(value, 34, get_byte(value, 34) # 1) WHERE branch = 0",
      "UPDATE log SET last_position = last_position - 1",
    ])
  func damaged(_ sql: String) async throws {
    let fixture = try await filled()
    let connection = try PostgresConnection(fixture.pool.options)
    defer { connection.close() }
    _ = try connection.rows(PostgresStatement(sql))
    do {
      let problems = try fixture.log.verify()
      #expect(!problems.isEmpty)
    } catch let error as LogError {
      #expect(error.code == .corrupt)
    }
  }

  @Test("A row that cannot be read is named, and hides no other row")
  func named() async throws {
    let fixture = try await filled()
    let connection = try PostgresConnection(fixture.pool.options)
    defer { connection.close() }
    let second = try connection.rows(
      PostgresStatement(
        """
        UPDATE run SET contents = substring(contents FOR 5) WHERE position = (
          SELECT min(position) FROM run WHERE position > 1
        ) RETURNING position, count
        """))[0]
    let (first, count) = (try second.integer(0, 0), try second.integer(0, 1))
    let problems = try fixture.log.verify(maxProblemCount: 10_000)
    let unreadable = problems.filter { $0.message.contains("cannot be read") }
    #expect(unreadable.map { $0.position?.rawValue } == (first..<first + count).map { $0 })
    #expect(unreadable.allSatisfy { $0.message.contains(fixture.store.description) })
  }

  // MARK: Joining rows

  @Test("Joining rows keeps events, IDs and positions, and appends go on meanwhile")
  func joining() async throws {
    let fixture = try PostgresFixture(PostgresServer.shared.get().newDatabase())
    var history = EventHistory(ReplicaID.random())
    for _ in 0..<200 { _ = try await fixture.log.append(history.run(count: 3)) }
    let before = try fixture.log.ids()
    let pool = try PostgresPool(fixture.pool.options)
    let other = try PostgresEventLog.open(in: pool, storeID: fixture.store)
    async let joined = other.compactRows()
    for _ in 0..<50 { _ = try await fixture.log.append(history.run(count: 1)) }
    #expect(try await joined > 190)
    #expect(Array(try fixture.log.ids().prefix(600)) == before)
    #expect(try fixture.log.ids().count == 650)
    #expect(try other.ids() == fixture.log.ids())
    _ = try await other.compactRows()
    // At most 512 events a row, and none left that could be joined.
    let rows = try pool.read { try $0.rows(PostgresStatement("SELECT count(*) FROM run"))[0] }
    #expect(try rows.integer(0, 0) == 2)
    #expect(try await fixture.log.compactRows() == 0)
    #expect(try fixture.log.verify().isEmpty)
    _ = try await fixture.log.append(history.run(count: 1))
    #expect(try other.ids().count == 651)
    pool.close()
  }

  @Test("A cancelled joining of rows leaves an intact log, and is continued")
  func cancelled() async throws {
    let fixture = try await filled()
    let before = try fixture.log.ids()
    for _ in 0..<3 {
      let task = Task { try await fixture.log.compactRows() }
      task.cancel()
      _ = await task.result
      #expect(try fixture.log.ids() == before)
      #expect(try fixture.log.verify().isEmpty)
    }
    _ = try await fixture.log.compactRows()
    #expect(try fixture.log.ids() == before)
  }

  // MARK: Connections

  @Test("A transaction that failed is not left to the next caller of the connection")
  func failed() async throws {
    var options = try PostgresServer.shared.get().newDatabase()
    options.connectionCount = 2
    let pool = try PostgresPool(options)
    defer { pool.close() }
    struct Failure: Error {}
    for sql in ["SELECT 1/0", "SELECT 1"] {
      for isSent in [true, false] {
        #expect(throws: (any Error).self) {
          try pool.read { connection in
            connection.add(PostgresStatement(sql))
            if isSent { _ = try connection.rows() }
            throw Failure()
          }
        }
        #expect(throws: (any Error).self) {
          try pool.write { connection in
            connection.add(PostgresStatement(sql))
            if isSent { _ = try connection.rows() }
            throw Failure()
          }
        }
        let rows = try pool.read { try $0.rows(PostgresStatement("SELECT 7::bigint"))[0] }
        #expect(try rows.integer(0, 0) == 7)
      }
    }
  }

  @Test("A connection that the server ended inside a transaction leaves the pool")
  func ended() async throws {
    let server = try PostgresServer.shared.get()
    var options = try server.newDatabase()
    options.connectionCount = 2
    let pool = try PostgresPool(options)
    defer { pool.close() }
    #expect(throws: (any Error).self) {
      try pool.read { connection in
        let rows = try connection.rows(PostgresStatement("SELECT pg_backend_pid()::bigint"))[0]
        try server.run("SELECT pg_terminate_backend(\(rows.integer(0, 0))::int)")
        _ = try connection.rows(PostgresStatement("SELECT 1"))
      }
    }
    for _ in 0..<4 {
      let rows = try pool.read { try $0.rows(PostgresStatement("SELECT 7::bigint"))[0] }
      #expect(try rows.integer(0, 0) == 7)
    }
  }

  // MARK: -

  /// A log with three branches, one of them a fork, small and large rows, and redacted events.
  private func filled() async throws -> PostgresFixture {
    let fixture = try PostgresFixture(PostgresServer.shared.get().newDatabase())
    var (phone, watch) = (EventHistory(.random()), EventHistory(.random()))
    for round in 1...12 { _ = try await fixture.log.append(phone.run(count: round)) }
    _ = try await fixture.log.append(watch.run(count: 600))
    var clone = watch
    _ = try await fixture.log.append(watch.run(count: 3))
    _ = try await fixture.log.append(clone.run(count: 2, text: "clone"))
    _ = try await fixture.log.erase(
      (20...30).map { ErasedPayload(position: LogPosition(rawValue: $0), erasure: phone.last) })
    return fixture
  }
}
#endif
