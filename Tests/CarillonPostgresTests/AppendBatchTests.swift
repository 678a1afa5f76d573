#if Service
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Testing

@testable import CarillonPostgres

/// Appends of many stores that share transactions.
@Suite(.disabled(if: PostgresServer.whyMissing != nil, PostgresServer.whyMissing))
struct AppendBatchTests {
  @Test("Writers of many stores in two processes append each event once, to its own store")
  func many() async throws {
    let options = try PostgresServer.shared.get().newDatabase(connectionCount: 6)
    let pools = [try PostgresPool(options), try PostgresPool(options)]
    let stores = try (0..<12).map { _ in try Self.store(in: pools[0]) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        for pool in pools {
          group.addTask {
            let log = try PostgresEventLog.open(in: pool, storeID: store)
            var history = EventHistory(.random())
            for _ in 1...12 { try await Self.append(history.run(count: 3), to: log) }
          }
        }
      }
      try await group.waitForAll()
    }
    for store in stores {
      let log = try PostgresEventLog.open(in: pools[0], storeID: store)
      let ids = try log.ids()
      #expect(ids.count == 72)
      #expect(Set(ids).count == 72)
      #expect(try log.branches().map(\.headSequence.rawValue) == [36, 36])
      #expect(try log.verify().isEmpty)
    }
    for pool in pools { pool.close() }
  }

  /// Appends, and again if the other process had the row for long.
  private static func append(_ run: EventRun, to log: PostgresEventLog) async throws {
    while try await logErrorCode({ _ = try await log.append(run) }) == .busy {}
  }

  private static func store(in pool: PostgresPool) throws -> StoreID {
    let store = StoreID.random()
    _ = try PostgresEventLog.create(in: pool, storeID: store, replica: .random())
    return store
  }

  @Test("While a store's row is locked, appends to others do not wait, and its own comes after")
  func locked() async throws {
    let options = try PostgresServer.shared.get().newDatabase(connectionCount: 8)
    let pool = try PostgresPool(options)
    defer { pool.close() }
    let logs = try (0..<8).map { _ in
      try PostgresEventLog.create(in: pool, storeID: .random(), replica: .random())
    }
    var histories = logs.map { _ in EventHistory(.random()) }
    // The first append of a log reads its state, and locks it.
    for index in logs.indices { _ = try await logs[index].append(histories[index].run(count: 1)) }
    let holder = try PostgresConnection(options)
    holder.add(PostgresStatement("BEGIN"))
    _ = try holder.rows(
      PostgresStatement(
        "SELECT 1 FROM log WHERE store = $1 FOR UPDATE", .bytes(logs[0].storeID.bytes)))
    let runs = histories.indices.map { histories[$0].run(count: 2) }
    async let waiting = logs[0].append(runs[0])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (log, run) in zip(logs, runs).dropFirst() {
        group.addTask { _ = try await log.append(run) }
      }
      try await group.waitForAll()
    }
    #expect(try logs.dropFirst().allSatisfy { try $0.ids().count == 3 })
    #expect(try logs[0].ids().count == 1)
    holder.close()
    _ = try await waiting
    #expect(try logs[0].ids().count == 3)
  }

  @Test("A store whose rows refuse an append does not refuse those of others")
  func refused() async throws {
    let server = try PostgresServer.shared.get()
    let options = try server.newDatabase(connectionCount: 6)
    let pool = try PostgresPool(options)
    defer { pool.close() }
    let logs = try (0..<6).map { _ in
      try PostgresEventLog.create(in: pool, storeID: .random(), replica: .random())
    }
    var histories = logs.map { _ in EventHistory(.random()) }
    for index in logs.indices { _ = try await logs[index].append(histories[index].run(count: 1)) }
    // At the place of the next event.
    let damaged = try PostgresConnection(options)
    _ = try damaged.rows(
      PostgresStatement(
        "INSERT INTO run SELECT store, 2, 9, 1, 1, ids, contents, is_deflated FROM run "
          + "WHERE store = $1", .bytes(logs[0].storeID.bytes)))
    damaged.close()
    for round in 1...5 {
      let runs = histories.indices.map { histories[$0].run(count: 1) }
      let codes = try await withThrowingTaskGroup(of: (Int, LogError.Code?).self) { group in
        for (index, log) in logs.enumerated() {
          let run = runs[index]
          group.addTask { (index, try await logErrorCode { _ = try await log.append(run) }) }
        }
        var codes: [Int: LogError.Code] = [:]
        for try await (index, code) in group { codes[index] = code }
        return codes
      }
      #expect(codes == [0: .corrupt])
      histories[0] = EventHistory(.random())
      #expect(try logs.dropFirst().allSatisfy { try $0.ids().count == 1 + round })
    }
  }
}
#endif
