import CarillonLMDB
import CarillonModel
import CarillonTesting
import Foundation
import Testing

@Suite struct FilesInPlaceTests {
  @Test(
    "Where the lock file or the data file was taken away, nothing is acknowledged any more",
    arguments: ["lock.mdb", "data.mdb"])
  func takenAway(name: String) async throws {
    let directory = try TemporaryDirectory()
    let log = try LMDBEventLog.create(at: directory.url, storeID: .random(), replica: .random())
    let event = NewEvent(payload: [1])
    _ = try await log.record([event], wallClock: Instant(milliseconds: 1), expecting: nil)
    try FileManager.default.removeItem(at: directory.url.appending(path: "log/\(name)"))
    await #expect {
      try await log.record([event], wallClock: Instant(milliseconds: 2), expecting: nil)
    } throws: {
      ($0 as? LogError)?.code == .io
    }
    await log.close()
  }
}
