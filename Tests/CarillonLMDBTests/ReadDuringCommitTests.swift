import CarillonLog
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import Testing

@Suite struct ReadDuringCommitTests {
  /// Reads continuously while single events are committed, each waiting for the disk.
  ///
  /// A read during such a wait must neither fail nor see part of a commit.
  @Test("Reading continues while a commit waits for the disk")
  func readDuringCommit() async throws {
    let directory = try TemporaryDirectory()
    let log = try LMDBEventLog.create(at: directory.url, storeID: .random(), replica: .random())
    let writing = Task {
      for number in 0..<300 {
        let event = NewEvent(payload: [UInt8(number & 0xFF)])
        _ = try await log.record(
          [event], wallClock: Instant(milliseconds: 1_000), expecting: nil)
      }
    }
    var last = LogPosition.start
    while last.rawValue < 300 {
      let next = try log.lastPosition()
      #expect(next >= last)
      #expect(try log.branches().first?.headSequence.rawValue ?? 0 >= next.rawValue)
      last = next
      // The writer needs a thread too.
      await Task.yield()
    }
    try await writing.value
    await log.close()
  }
}
