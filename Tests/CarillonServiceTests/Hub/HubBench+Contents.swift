#if Service
import CarillonModel
import Foundation
import Testing

@testable import CarillonPostgres

extension HubBench {
  /// Returns all bytes of the hub's files, or all payloads in its rows of a person, inflated.
  func contents(of person: String) async throws -> Data {
    var bytes = Data()
    guard database.hasPrefix("postgres:") else {
      let files = FileManager.default.enumerator(atPath: database)
      while let name = files?.nextObject() as? String {
        bytes += (try? Data(contentsOf: URL(filePath: "\(database)/\(name)"))) ?? Data()
      }
      return bytes
    }
    let pool = try PostgresPool(PostgresOptions(database))
    let store = try #require(StoreID(person))
    let log: any EventLog = try PostgresEventLog.open(in: pool, storeID: store)
    try log.scan(after: .start) { event in
      bytes += Data(event.payload)
      return true
    }
    await log.close()
    pool.close()
    return bytes
  }
}
#endif
