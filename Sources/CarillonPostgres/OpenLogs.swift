#if Service
internal import CarillonHub
internal import CarillonLog
internal import CarillonModel
internal import Synchronization

/// The logs that were used last, open.
///
/// An open log costs memory only: each use asks the database whether what it remembers is current.
final class OpenLogs: Sendable {
  private let logs = Mutex<[StoreID: PostgresEventLog]>([:])

  /// The number of logs above which some are forgotten.
  private static let maxCount = 4_096

  /// The log of a store in a group, if it is open.
  subscript(store: StoreID, in pool: PostgresPool) -> PostgresEventLog? {
    logs.withLock { logs in logs[store].flatMap { $0.backend.pool === pool ? $0 : nil } }
  }

  /// Returns the open log of a store in a group, or opens it.
  func log(of store: StoreID, in pool: PostgresPool) throws -> PostgresEventLog {
    if let log = self[store, in: pool] { return log }
    let opened = try PostgresEventLog.open(in: pool, storeID: store)
    opened.handle.rules = .hub
    return logs.withLock { logs in
      // Callers of the same log should share one writer, and so its commits.
      if let log = logs[store], log.backend.pool === pool { return log }
      while logs.count >= Self.maxCount, let other = logs.keys.randomElement() {
        logs[other] = nil
      }
      logs[store] = opened
      return opened
    }
  }

  func remove(_ store: StoreID) {
    logs.withLock { $0[store] = nil }
  }

  func removeAll() -> [PostgresEventLog] {
    logs.withLock { logs in
      defer { logs = [:] }
      return Array(logs.values)
    }
  }
}
#endif
