#if Service
import CarillonLog
import CarillonModel
import CarillonPostgres
import CarillonTesting

/// A new store on a server, and what most tests do with it.
struct PostgresFixture {
  let pool: PostgresPool
  let store = StoreID.random()
  let log: PostgresEventLog

  static let noon = Instant(milliseconds: 1_790_000_000_000)

  init(_ options: PostgresOptions) throws {
    pool = try PostgresPool(options)
    log = try PostgresEventLog.create(in: pool, storeID: store, replica: ReplicaID.random())
  }
}

extension EventLog {
  /// Appends one run, and returns its outcome.
  func append(_ run: EventRun) async throws -> AppendOutcome? {
    try await append([run], wallClock: PostgresFixture.noon, erasures: nil).first
  }

  /// The IDs of all events, by position.
  func ids() throws -> [EventID] {
    var ids: [EventID] = []
    try scan(after: .start) { event in
      ids.append(event.id)
      return true
    }
    return ids
  }
}
#endif
