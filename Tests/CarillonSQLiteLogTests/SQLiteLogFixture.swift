import CarillonLog
import CarillonModel
import CarillonSQLiteLog
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The store directory of one test, with the operations that most tests need.
struct SQLiteLogFixture {
  let directory: TemporaryDirectory
  let url: URL
  let store = StoreID(high: 1, low: 2)
  let replica = ReplicaID(high: 3, low: 4)

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.appending("store")
  }

  var file: URL { url.appendingPathComponent("log.sqlite") }

  func create(_ options: LogOptions = LogOptions()) throws -> SQLiteEventLog {
    try SQLiteEventLog.create(at: url, storeID: store, replica: replica, options: options)
  }

  func open(_ options: LogOptions = LogOptions()) throws -> SQLiteEventLog {
    try SQLiteEventLog.open(at: url, options: options)
  }

  /// Creates a closed log with three branches, one of them a fork, with small and large payloads.
  @discardableResult
  func fill(rounds: Int = 20) async throws -> LogPosition {
    try await create().fillAndClose(rounds: rounds)
  }
}
