#if Service
import CarillonHub
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

@testable import CarillonPostgres

/// Two versions of a hub on one database: the newer one knows one more step of its tables.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresUpgradeTests {
  /// The options of both versions for one empty database.
  private func versions() throws -> (older: PostgresOptions, newer: PostgresOptions) {
    let older = try PostgresServer.shared.get().newDatabase(connectionCount: 4)
    var newer = older
    let step = Array("COMMENT ON TABLE log IS 'written by new rules';\n".utf8)
    newer.migrations = Migrations(steps: older.migrations.steps + [step])
    return (older, newer)
  }

  @Test("Once a newer process has migrated, an older one acknowledges no event, and still reads")
  func appends() async throws {
    let (older, newer) = try versions()
    let fixture = try PostgresFixture(older)
    var history = EventHistory(ReplicaID.random())
    let first = history.run(count: 2)
    _ = try await fixture.log.append(first)
    let pool = try PostgresPool(newer)
    let log = try PostgresEventLog.open(in: pool, storeID: fixture.store)
    let next = history.run(count: 3)
    // Also events that are there already, whose commit writes no row.
    for run in [next, first, next] {
      let error = await #expect(throws: LogError.self) { try await fixture.log.append(run) }
      #expect(error?.code == .busy)
      #expect(error?.obstacle == .olderProcess)
      #expect(try fixture.log.ids().count == 2)
    }
    _ = try await log.append(next)
    #expect(try fixture.log.ids() == log.ids())
    #expect(try log.ids().count == 5)
    pool.close()
  }

  @Test("A transaction of an older process that was open during the migration is not committed")
  func openTransaction() async throws {
    let (older, newer) = try versions()
    let fixture = try PostgresFixture(older)
    let error = #expect(throws: LogError.self) {
      try fixture.pool.write { connection in
        _ = try LogRow(of: fixture.store, on: connection, locking: true)
        try PostgresPool(newer).close()
        connection.add(PostgresStatement("UPDATE log SET last_position = 9"))
      }
    }
    #expect(error?.obstacle == .olderProcess)
    let row = try fixture.pool.read { try LogRow(of: fixture.store, on: $0) }
    #expect(row.lastPosition == 0)
  }

  @Test("An older process changes nothing else of a hub either, and cannot start")
  func hub() async throws {
    let (older, newer) = try versions()
    let (old, new) = (try PostgresHub(older), try PostgresHub(newer))
    let (person, device) = try await HubConformance.person(in: new)
    let invitation = HubConformance.entry(.invitation, of: person)
    try await new.add(invitation, at: HubConformance.noon)
    let calls: [@Sendable () async throws -> Void] = [
      { try await old.add(.random(), quota: HubQuota()) },
      { try await old.setQuota(HubQuota(devices: 1), of: person) },
      {
        try await old.add(
          HubConformance.entry(.invitation, of: person), at: HubConformance.noon)
      },
      {
        _ = try await old.exchange(
          invitation, for: HubConformance.entry(.device, of: person))
      },
      { _ = try await old.revoke(device.id, of: person) },
      { _ = try await old.erase(person) },
    ]
    for (number, call) in calls.enumerated() {
      let error = await #expect(throws: LogError.self) { try await call() }
      #expect(error?.obstacle == .olderProcess, "call \(number)")
    }
    #expect(try await Set(old.access(of: person, includingKeys: true)) == [device, invitation])
    #expect(try await old.people(after: nil, limit: 9).map(\.id) == [person])
    #expect(try await new.revoke(device.id, of: person))
    let code = try await logErrorCode { _ = try PostgresHub(older) }
    #expect(code == .unsupportedFormat)
    await old.close()
    await new.close()
  }
}
#endif
