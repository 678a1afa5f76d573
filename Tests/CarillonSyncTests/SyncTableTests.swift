import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// The cost of a sync compared with other systems on the same work: 10,000 shared events and the
/// given number of new events, half of them on each side.
///
/// The other systems' bytes only determine which events are missing; ours include the events.
struct SyncTableTests {
  struct Row: Sendable, CustomStringConvertible {
    let news: Int
    /// The bytes of our messages with uncompressed events.
    ///
    /// Compressed sizes differ between versions of deflate. Nil if compression determines the
    /// number of messages.
    let stored: Int?
    let messages: Int
    /// The bytes of range-based set reconciliation, with the differences anywhere in the log.
    let ranges: Int
    /// The same, with all differences in the newest 1 %.
    let newestRanges: Int

    var description: String { "\(news) new" }
  }

  private static let rows = [
    Row(news: 0, stored: 54, messages: 2, ranges: 367, newestRanges: 367),
    Row(news: 1, stored: 191, messages: 4, ranges: 1_230, newestRanges: 1_189),
    Row(news: 10, stored: 407, messages: 4, ranges: 7_700, newestRanges: 2_500),
    Row(news: 1_000, stored: 13_289, messages: 4, ranges: 175_547, newestRanges: 27_564),
    Row(news: 10_000, stored: nil, messages: 10, ranges: 439_011, newestRanges: 234_657),
  ]

  @Test("A sync takes fewer bytes than others need to find the missing events", arguments: rows)
  func row(_ row: Row) async throws {
    var fixture = SyncFixture(seed: 1)
    let (left, right) = (fixture.log(), fixture.log())
    for log in [left, right] { try record(5_000, in: log, &fixture) }
    _ = try await fixture.synchronize(left, right)
    try record(row.news / 2, in: left, &fixture)
    try record(row.news - row.news / 2, in: right, &fixture)
    var simulation = try fixture.simulation(left, right)
    let report = try #require(try await simulation.run())
    let bytes = report.bytesSent + report.bytesReceived
    #expect(bytes <= min(row.ranges, row.newestRanges))
    let stored = try simulation.transcript.reduce(0) { try $0 + self.stored($1.bytes) }
    if let expected = row.stored { #expect(stored == expected, "\(bytes) as sent") }
    #expect(report.messages <= row.messages)
    #expect(left.isEqual(to: right))
  }

  private func record(
    _ count: Int, in log: InMemoryEventLog, _ fixture: inout SyncFixture
  ) throws {
    for place in 0..<count {
      fixture.clock += 437_000
      let habit = HabitID(high: UInt64(place % 20), low: 0x1234_5678_9ABC_DEF0)
      let payload = Payload.entryRecorded(
        EntryRecorded(habit: habit, date: CivilDate(rawValue: Int32(20_400 + place / 20))))
      try log.recordBlocking(
        [NewEvent(payload: try PayloadCoding.encode(payload))],
        wallClock: Instant(milliseconds: fixture.clock))
    }
  }

  /// The size of a message with uncompressed events.
  private func stored(_ bytes: [UInt8]) throws -> Int {
    var message = try SyncMessage(bytes: bytes)
    if case .deflated(let deflated) = message.events {
      message.events = .stored(try #require(Deflate.inflated(deflated, limit: 480_000)))
    }
    return message.encoded().count
  }
}
