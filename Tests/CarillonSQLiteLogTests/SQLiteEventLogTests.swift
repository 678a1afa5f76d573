import CarillonModel
import CarillonSQLiteLog
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The port's rules, tested on the log on SQLite.
struct SQLiteEventLogTests {
  @Test("The log on SQLite conforms", arguments: EventLogConformance.checks)
  func conforms(_ check: EventLogConformance.Check) async throws {
    let directory = try TemporaryDirectory()
    try await check.run { store, replica in
      try SQLiteEventLog.create(at: directory.url, storeID: store, replica: replica)
    }
  }

  @Test("The log on SQLite repairs as the port asks", arguments: EventLogConformance.damageChecks)
  func repairs(_ check: EventLogConformance.DamageCheck) async throws {
    let directory = try TemporaryDirectory()
    try await check.run {
      try SQLiteEventLog.create(at: directory.url, storeID: $0, replica: $1)
    } damage: { log, position in
      let event = try #require(try log.events().dropFirst(Int(position.rawValue) - 1).first)
      await log.close()
      let file = directory.appending("log.sqlite")
      var bytes = try Data(contentsOf: file)
      // A row stores its payload after its ID.
      let row = try #require(bytes.range(of: Data(event.id.bytes + event.payload)))
      bytes[row.upperBound - 2] ^= 0x20
      try bytes.write(to: file)
      return try SQLiteEventLog.open(at: directory.url)
    }
  }
}
