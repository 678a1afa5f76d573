import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Compactions of the data file.
struct CompactedLogTests {
  @Test("A compacted file contains no erased payload, and everything else is unchanged")
  func erased() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    for number in 0..<200 { try await log.record("a secret of number \(number)") }
    let erasure = try await log.record("the erasure").events[0].id
    let erased = (1...200).map {
      ErasedPayload(position: LogPosition(rawValue: $0), erasure: erasure)
    }
    #expect(try await log.erase(erased) == 200)
    let branches = try log.branches()
    await log.close()
    #expect(try Data(contentsOf: fixture.dataFile).range(of: Data("secret".utf8)) != nil)
    let (before, after) = try LMDBEventLog.compact(at: fixture.url)
    #expect(after < before)
    #expect(try Data(contentsOf: fixture.dataFile).range(of: Data("secret".utf8)) == nil)
    let again = try fixture.open()
    #expect(try again.branches() == branches)
    #expect(try again.texts() == [String](repeating: "", count: 200) + ["the erasure"])
    #expect(try again.verify().isEmpty)
    try await again.record("it goes on")
    #expect(try again.lastPosition().rawValue == 202)
    #expect(try again.identity().predecessor == nil)
    await again.close()
  }

  @Test("A log that any process has open is not compacted")
  func open() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    try await log.record("a")
    let code = try await logErrorCode {
      try LMDBEventLog.compact(at: fixture.url, options: .impatient)
    }
    #expect(code == .busy)
    await log.close()
    try LMDBEventLog.compact(at: fixture.url)
    let again = try fixture.open()
    #expect(try again.texts() == ["a"])
    await again.close()
  }

  @Test("Compacting fails without a log, and leaves a damaged log unchanged")
  func refused() async throws {
    let fixture = try LogFixture()
    #expect(
      try await logErrorCode { try LMDBEventLog.compact(at: fixture.url) } == .notFound)
    try await fixture.fill()
    var file = try Data(contentsOf: fixture.dataFile)
    file.replaceSubrange(12_288..<16_384, with: [UInt8](repeating: 0x5A, count: 4_096))
    try file.write(to: fixture.dataFile)
    let code = try await logErrorCode { try LMDBEventLog.compact(at: fixture.url) }
    #expect(code == nil || code == .corrupt)
    if code != nil { #expect(try Data(contentsOf: fixture.dataFile) == file) }
    let names = try FileManager.default.contentsOfDirectory(
      atPath: fixture.dataFile.deletingLastPathComponent().path)
    #expect(!names.contains("data.mdb.compacted"))
  }

  @Test("Opening a log removes the file that a killed compaction left")
  func leftover() async throws {
    let fixture = try LogFixture()
    try await begin(fixture)
    let leftover = fixture.dataFile.appendingPathExtension("compacted")
    // Truncated anywhere, even before the written bytes reached the disk.
    let copy = try Data(contentsOf: fixture.dataFile)
    for left in [copy.prefix(5_000), Data(count: 5_000), Data()] {
      try left.write(to: leftover)
      let log = try fixture.open()
      #expect(!FileManager.default.fileExists(atPath: leftover.path))
      #expect(try log.texts() == ["first"])
      await log.close()
      try left.write(to: leftover)
      try LMDBEventLog.compact(at: fixture.url)
      #expect(!FileManager.default.fileExists(atPath: leftover.path))
    }
  }

  @Test("Opening and writing a log during repeated compactions loses no event")
  func race() async throws {
    let fixture = try LogFixture()
    try await begin(fixture)
    let count = 60
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<count {
          let log = try fixture.open()
          try await log.record("event \(number)")
          await log.close()
        }
      }
      group.addTask {
        var done = 0
        while done < 20 {
          let code = try await logErrorCode {
            try LMDBEventLog.compact(at: fixture.url, options: .impatient)
          }
          if code == nil { done += 1 } else { #expect(code == .busy) }
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
    let log = try fixture.open()
    #expect(try log.texts() == ["first"] + (0..<count).map { "event \($0)" })
    #expect(try log.verify().isEmpty)
    await log.close()
  }

  private func begin(_ fixture: LogFixture) async throws {
    let log = try fixture.create()
    try await log.record("first")
    await log.close()
  }
}
