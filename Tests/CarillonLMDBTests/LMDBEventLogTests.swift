import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The contract of the port, for the log on LMDB.
struct LMDBEventLogTests {
  @Test("The log on LMDB conforms to the port", arguments: EventLogConformance.checks)
  func conforms(_ check: EventLogConformance.Check) async throws {
    let directory = try TemporaryDirectory()
    try await check.run { store, replica in
      try LMDBEventLog.create(at: directory.url, storeID: store, replica: replica)
    }
  }

  @Test(
    "The log on LMDB repairs events as the port requires",
    arguments: EventLogConformance.damageChecks)
  func repairs(_ check: EventLogConformance.DamageCheck) async throws {
    let directory = try TemporaryDirectory()
    try await check.run {
      try LMDBEventLog.create(at: directory.url, storeID: $0, replica: $1)
    } damage: { log, position in
      var record: DamagedFile.Record?
      try log.scan(after: LogPosition(rawValue: position.rawValue - 1)) { event in
        record = DamagedFile.Record(event)
        return false
      }
      await log.close()
      try DamagedFile.flip(.content, 3, of: #require(record), in: directory.url)
      return try LMDBEventLog.open(at: directory.url)
    }
  }
}
