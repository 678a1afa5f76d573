#if Service
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@testable import CarillonPostgres

/// Simulated worlds in which the log of one replica, and of its copies, lies on PostgreSQL.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresSimulationTests {
  @Test(
    "After any faults, a replica whose log lies on PostgreSQL agrees with the others",
    arguments: 1...6 as ClosedRange<UInt64>)
  func world(_ seed: UInt64) async throws {
    // Each log has connections of its own.
    let server = try PostgresServer(["max_connections=200"])
    var world = SimulatedWorld(seed: seed) { store, replica, makeReplicaID in
      var options = try server.newDatabase()
      options.makeReplicaID = makeReplicaID
      let pool = try PostgresPool(options)
      let log = try PostgresEventLog.create(in: pool, storeID: store, replica: replica)
      return PostgresDisk(log: log, server: server, pool: pool)
    }
    try await world.run()
  }
}

/// A log in a database of its own.
private struct PostgresDisk: SimulatedDisk {
  let log: any EventLog
  let server: PostgresServer
  let pool: PostgresPool

  var directory: URL? { nil }

  /// Nothing tells a copied database from its original, so no copy is noticed before a sync.
  func copy(isNoticed: Bool) throws -> any SimulatedDisk {
    var options = pool.options
    options.database = try server.newDatabase().database
    let copy = try PostgresPool(options)
    try pool.read { source in
      try copy.write { target in
        try PostgresCopy(log.storeID, from: source, to: target).run()
        target.add(PostgresStatement("UPDATE log SET is_fenced = false"))
      }
    }
    return PostgresDisk(
      log: try PostgresEventLog.open(in: copy, storeID: log.storeID), server: server, pool: copy)
  }

  func reopened(_ meanwhile: (URL) throws -> Void) async throws -> any SimulatedDisk {
    await log.close()
    pool.close()
    let again = try PostgresPool(pool.options)
    return PostgresDisk(
      log: try PostgresEventLog.open(in: again, storeID: log.storeID), server: server, pool: again)
  }
}
#endif
