import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

@Suite struct FilesInPlaceTests {
  @Test(
    "Nothing is written or read after the lock file or the data file was removed",
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
    #expect(try await logErrorCode { _ = try log.lastPosition() } == .io)
    await log.close()
  }

  @Test("The next check detects that an open log's data file was truncated or overwritten")
  func writtenOver() async throws {
    let (fixture, other) = (try LogFixture(), try LogFixture())
    try await fixture.fill(rounds: 2)
    let older = try Data(contentsOf: fixture.dataFile)
    let log = try fixture.open()
    try await log.record("more")
    try await log.record("and more")
    let whole = try Data(contentsOf: fixture.dataFile)
    let another = try LMDBEventLog.create(
      at: other.url, storeID: .random(), replica: fixture.replica)
    for count in 0..<20 { try await another.record("event \(count)") }
    await another.close()
    let damages: [(String, (FileHandle) throws -> Void)] = [
      ("cut to nothing", { try $0.truncate(atOffset: 0) }),
      ("cut by a page", { try $0.truncate(atOffset: UInt64(whole.count - 4_096)) }),
      ("zeros at its start", { try $0.write(contentsOf: Data(count: 8_192)) }),
      (
        "zeros after its start",
        {
          try $0.seek(toOffset: 8_192)
          try $0.write(contentsOf: Data(count: whole.count - 8_192))
        }
      ),
      ("an older one", { try $0.write(contentsOf: older) }),
      ("another log's", { try $0.write(contentsOf: Data(contentsOf: other.dataFile)) }),
    ]
    for (name, damage) in damages {
      try log.checkFiles()
      let file = try FileHandle(forWritingTo: fixture.dataFile)
      try damage(file)
      #expect(try await logErrorCode { try log.checkFiles() } == .corrupt, "\(name)")
      #expect(try await logErrorCode { try log.checkFiles() } == .corrupt, "\(name), again")
      try file.seek(toOffset: 0)
      try file.write(contentsOf: whole)
      try file.close()
    }
    try log.checkFiles()
    try await log.record("the last")
    try log.checkFiles()
    #expect(try log.verify() == [])
    await log.close()
    try log.checkFiles()
  }
}
