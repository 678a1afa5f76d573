import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Many callers and handles on one log.
struct LogSharingTests {
  @Test("64 callers with 100 events each need at most one commit for 20 events")
  func groupCommit() async {
    // In a separate process, so that no other test delays the callers.
    await #expect(processExitsWith: .success) {
      let fixture = try LogFixture()
      let log = try fixture.create()
      try await withThrowingTaskGroup { group in
        for caller in 0..<64 {
          group.addTask {
            for number in 0..<100 { try await log.record("\(caller) \(number)") }
          }
        }
        try await group.waitForAll()
      }
      #expect(try log.lastPosition().rawValue == 6_400)
      #expect(log.commitCount <= 320)
      #expect(try log.verify() == [])
      await log.close()
    }
  }

  @Test("Concurrent batches, runs and decisions form one valid chain")
  func pipeline() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    try await withThrowingTaskGroup { group in
      for caller in 0..<4 {
        group.addTask {
          for number in 0..<25 {
            let events = (0..<40).map { NewEvent(payload: [UInt8(caller), UInt8(number), $0]) }
            _ = try await log.record(events, wallClock: .logTests, expecting: nil)
          }
        }
      }
      group.addTask {
        var history = EventHistory(ReplicaID(high: 8, low: 8))
        for number in 0..<25 {
          // Sometimes far ahead of the clock, so that prepared IDs are no longer valid.
          if number % 5 == 0 { history.milliseconds += Instant.logTests.milliseconds }
          _ = try await log.append([history.run(count: 3)], wallClock: .logTests)
          _ = try await log.record(wallClock: .logTests) {
            [NewEvent(payload: Array("at \(try log.lastPosition().rawValue)".utf8))]
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try log.lastPosition().rawValue == 4 * 25 * 40 + 25 * 4)
    #expect(try log.verify() == [])
    await log.close()
  }

  @Test("A process's second handle shares the log and works after the first is closed")
  func handles() async throws {
    let fixture = try LogFixture()
    let first = try fixture.create()
    let link = fixture.directory.appending("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.url)
    let second = try LMDBEventLog.open(at: link)
    try await first.record("first")
    try await second.record("second")
    #expect(try first.texts() == ["first", "second"])
    await first.close()
    #expect(try await logErrorCode { _ = try first.lastPosition() } == .closed)
    try await second.record("third")
    await second.close()
    let third = try fixture.open()
    #expect(try third.texts() == ["first", "second", "third"])
    #expect(try third.identity().replica == fixture.replica)
    await third.close()
  }

  @Test("Many tasks can open and close a log at the same time")
  func churn() async throws {
    let fixture = try LogFixture()
    try await fixture.create().close()
    try await withThrowingTaskGroup { group in
      for caller in 0..<8 {
        group.addTask {
          for number in 0..<10 {
            let log = try fixture.open()
            try await log.record("\(caller) \(number)")
            if number % 2 == 0 { await log.close() }
          }
        }
      }
      try await group.waitForAll()
    }
    let log = try fixture.open()
    #expect(try log.lastPosition().rawValue == 80)
    #expect(try log.verify() == [])
    await log.close()
  }

  @Test("A reader continues while the map grows")
  func growth() async throws {
    let fixture = try LogFixture()
    var options = LMDBLogOptions()
    options.initialMapByteCount = 1 << 18
    let log = try fixture.create(options)
    try await log.record("first")
    try await log.record("second")
    let gate = AsyncStream.makeStream(of: Void.self)
    // On a separate thread, because it blocks until the writers below have finished.
    let queue = DispatchQueue(label: "reader")
    async let texts = withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Result { try readSlowly(log, until: 2_002) { gate.continuation.finish() } })
      }
    }
    for await _ in gate.stream {}
    for _ in 0..<20 {
      let events = (0..<100).map { NewEvent(payload: [UInt8](repeating: $0, count: 1_000)) }
      _ = try await log.record(events, wallClock: .logTests, expecting: nil)
    }
    #expect(try await texts == ["first", "second"])
    #expect(try log.fileByteCount > options.initialMapByteCount * 4)
    #expect(try log.verify() == [])
    await log.close()
  }

  /// Scans the log, and waits in the first event until another position is reached.
  private func readSlowly(
    _ log: LMDBEventLog, until position: UInt64, started: () -> Void
  ) throws -> [String] {
    var texts: [String] = []
    try log.scan(after: .start) { event in
      if texts.isEmpty {
        started()
        while try log.lastPosition().rawValue < position { sched_yield() }
      }
      texts.append(String(decoding: event.payload, as: UTF8.self))
      return true
    }
    return texts
  }
}
