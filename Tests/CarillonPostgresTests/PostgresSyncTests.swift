#if Service
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

@testable import CarillonPostgres

/// Syncs of replicas in memory with a log on PostgreSQL, over a transport with faults.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct PostgresSyncTests {
  @Test(
    "Replicas that sync only with a log on PostgreSQL end with the same events",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func converging(_ seed: UInt64) async throws {
    let fixture = try PostgresFixture(try PostgresServer.shared.get().options)
    defer { fixture.pool.close() }
    var random = SeededGenerator(seed: seed)
    let replicas = (0..<3).map { _ in
      InMemoryEventLog(storeID: fixture.store, replica: ReplicaID.random(using: &random))
    }
    for round in 0..<24 {
      let replica = replicas[Int.random(in: replicas.indices, using: &random)]
      let events = (0..<Int.random(in: 1...40, using: &random)).map {
        NewEvent(payload: Array("\(round) \($0)".utf8))
      }
      _ = try await replica.record(events, wallClock: PostgresFixture.noon, expecting: nil)
      // Some syncs are cut off; others meet the answering process of the moment.
      let isCut = round.isMultiple(of: 3)
      try await sync(
        replica, with: fixture, seed: random.next(), cutAfter: isCut ? round % 7 : nil)
    }
    for replica in replicas + replicas {
      try await sync(replica, with: fixture, seed: random.next(), cutAfter: nil)
    }
    let all = Set(try fixture.log.ids())
    #expect(try fixture.log.ids().count == all.count)
    for replica in replicas { #expect(Set(try replica.ids()) == all) }
  }

  /// Syncs a replica with a handle of its own, as a new process does.
  private func sync(
    _ replica: InMemoryEventLog, with fixture: PostgresFixture, seed: UInt64, cutAfter: Int?
  ) async throws {
    let log = try PostgresEventLog.open(in: fixture.pool, storeID: fixture.store)
    var simulation = try SyncSimulation(
      initiator: replica, responder: log, wallClock: PostgresFixture.noon, seed: seed,
      faults: .watch)
    _ = try await simulation.run(cutAfter: cutAfter)
    await log.close()
  }
}
#endif
