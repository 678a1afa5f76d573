import CarillonLMDB
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// Many callers, many handles, one log.
struct LogSharingTests {
  @Test("64 callers with 100 events each share commits: at most one for 20 events")
  func groupCommit() async {
    // In a process of its own, whose callers no other test keeps from coming back in time.
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

  @Test("Batches in flight, runs and decisions between them, still chain")
  func pipeline() async throws {
    let fixture = try LogFixture()
    let log = try fixture.create()
    try await withThrowingTaskGroup { group in
      for caller in 0..<4 {
        group.addTask {
          for number in 0..<25 {
            let events = (0..<40).map { NewEvent(payload: [UInt8(caller), UInt8(number), $0]) }
            _ = try await log.record(events, wallClock: LogFixture.noon, expecting: nil)
          }
        }
      }
      group.addTask {
        var history = EventHistory(ReplicaID(high: 8, low: 8))
        for number in 0..<25 {
          // Now and then far ahead of the clock, so that what was prepared no longer holds.
          if number % 5 == 0 { history.milliseconds += LogFixture.noon.milliseconds }
          _ = try await log.append([history.run(count: 3)], wallClock: LogFixture.noon)
          _ = try await log.record(wallClock: LogFixture.noon) {
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

  @Test("A second handle of the process shares the log, and outlives the first")
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

  @Test("A log can be opened and closed by many at once")
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

  @Test("The map grows while a reader is at work, and the reader reads on")
  func growth() async throws {
    let fixture = try LogFixture()
    var options = LMDBLogOptions()
    options.initialMapByteCount = 1 << 18
    let log = try fixture.create(options)
    try await log.record("first")
    try await log.record("second")
    let gate = AsyncStream.makeStream(of: Void.self)
    // On a thread of its own: it blocks until the writers below are done.
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
      _ = try await log.record(events, wallClock: LogFixture.noon, expecting: nil)
    }
    #expect(try await texts == ["first", "second"])
    #expect(try log.fileByteCount > options.initialMapByteCount * 4)
    #expect(try log.verify() == [])
    await log.close()
  }

  /// Scans the log, and within the first event waits until another position is reached.
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
