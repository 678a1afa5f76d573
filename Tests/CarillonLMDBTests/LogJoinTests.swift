import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// A log takes the ID of another store.
struct LogJoinTests {
  @Test("A log takes another store's ID and keeps its identity, its events and their IDs")
  func takes() async throws {
    let fixture = try LogFixture()
    var log = try fixture.create()
    try await log.record("first")
    let (old, identity, branches) = (log.storeID, try log.identity(), try log.branches())
    await log.close()
    let new = StoreID.random()
    #expect(try LMDBEventLog.setStoreID(new, at: fixture.url))
    #expect(try !LMDBEventLog.setStoreID(new, at: fixture.url))
    log = try LMDBEventLog.open(at: fixture.url)
    #expect(log.storeID == new && new != old)
    #expect(try log.identity() == identity)
    #expect(try log.branches() == branches)
    #expect(try log.projectionGeneration() == 1)
    try await log.record("second")
    #expect(try log.texts() == ["first", "second"])
    #expect(try log.verify() == [])
    await log.close()
  }

  @Test("Taking a store's ID fails with busy while the log is open, and succeeds afterwards")
  func busy() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    try await log.record("first")
    let error = #expect(throws: LogError.self) {
      try LMDBEventLog.setStoreID(.random(), at: fixture.url, options: .impatient)
    }
    #expect(error?.code == .busy)
    await log.close()
    #expect(try LMDBEventLog.setStoreID(.random(), at: fixture.url))
  }

  @Test("Taking a store's ID without a log fails with notFound")
  func missing() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: LogError.self) {
      try LMDBEventLog.setStoreID(.random(), at: directory.url)
    }
    #expect(error?.code == .notFound)
  }
}
