import CarillonLMDB
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// The port's contract, kept by the log on LMDB and by the one in memory.
struct LMDBEventLogTests {
  @Test("The log on LMDB conforms", arguments: EventLogConformance.checks)
  func conforms(_ check: EventLogConformance.Check) async throws {
    let directory = try TemporaryDirectory()
    try await check.run { store, replica in
      try LMDBEventLog.create(at: directory.url, storeID: store, replica: replica)
    }
  }

  @Test("The log in memory conforms", arguments: EventLogConformance.checks)
  func memoryConforms(_ check: EventLogConformance.Check) async throws {
    try await check.run { InMemoryEventLog(storeID: $0, replica: $1) }
  }
}
