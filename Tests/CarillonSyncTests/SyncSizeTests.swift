import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// The bytes of syncs of "done" events, which are the same in every run.
///
/// Compressed sizes differ a little between versions of deflate.
struct SyncSizeTests {
  enum Order: Sendable {
    /// In turn, at equal distances.
    case rounds
    /// In random order, at equal distances.
    case random
    /// In random order and at random milliseconds, which take 490 bytes however they are encoded.
    case randomTimes
  }

  @Test(
    "100 + 100 new events on 100,000 take two round trips and fewer bytes than a document",
    arguments: [
      (.rounds, 20, 500), (.rounds, 100, 500), (.random, 20, 700), (.random, 100, 700),
      (.randomTimes, 20, 1_250), (.randomTimes, 100, 1_250),
    ] as [(Order, Int, Int)])
  func news(order: Order, habitCount: Int, limit: Int) async throws {
    var fixture = SyncFixture(seed: 1)
    let habits = (0..<1_000).map { _ in HabitID.random(using: &fixture.generator) }
    let phone = fixture.log()
    for first in stride(from: 0, to: 99_999, by: 1_000) {
      fixture.clock += 1_000_000
      try phone.recordBlocking(
        (first..<min(first + 1_000, 99_999)).map {
          try Self.done(habits[$0 % 1_000], day: 15_000 + $0 / 1_000)
        }, wallClock: Instant(milliseconds: fixture.clock))
    }
    let watch = fixture.copy(phone)
    watch.rename(to: .random(using: &fixture.generator))
    try Self.record(1, of: habits[...0], .rounds, in: watch, &fixture)
    _ = try await fixture.synchronize(phone, watch)
    #expect(phone.eventCount == 100_000)
    for (log, first) in [(phone, 0), (watch, habitCount)] {
      try Self.record(100, of: habits[first..<first + habitCount], order, in: log, &fixture)
    }
    let report = try #require(try await fixture.synchronize(phone, watch))
    #expect(report.eventsSent == 100 && report.eventsReceived == 100)
    #expect(report.roundTrips == 2)
    let bytes = report.bytesSent + report.bytesReceived
    #expect(bytes <= limit)
    #expect(phone.isEqual(to: watch))
    let equal = try #require(try await fixture.synchronize(phone, watch))
    #expect(equal.roundTrips == 1 && equal.bytesSent + equal.bytesReceived <= 64)
  }

  @Test(
    "A cold sync takes at most 8 bytes for each event",
    arguments: [Order.rounds, .random, .randomTimes], [false, true])
  func cold(order: Order, leads: Bool) async throws {
    var fixture = SyncFixture(seed: 2)
    let (full, cold) = (fixture.log(), fixture.log())
    let habits = (0..<20).map { _ in HabitID.random(using: &fixture.generator) }
    try Self.record(20_000, of: habits[...], order, in: full, &fixture)
    let report = try #require(
      try await fixture.synchronize(leads ? cold : full, leads ? full : cold))
    #expect(report.bytesSent + report.bytesReceived <= 8 * 20_000)
    #expect(full.isEqual(to: cold))
  }

  /// Records habits as done.
  private static func record(
    _ count: Int, of habits: ArraySlice<HabitID>, _ order: Order, in log: InMemoryEventLog,
    _ fixture: inout SyncFixture
  ) throws {
    for place in 0..<count {
      let index =
        order == .rounds
        ? habits.startIndex + place % habits.count
        : Int.random(in: habits.indices, using: &fixture.generator)
      fixture.clock +=
        order == .randomTimes ? Int64.random(in: 1...874_000, using: &fixture.generator) : 437_000
      try log.recordBlocking(
        [done(habits[index], day: 20_781 + place / habits.count)],
        wallClock: Instant(milliseconds: fixture.clock))
    }
  }

  private static func done(_ habit: HabitID, day: Int) throws -> NewEvent {
    let entry = EntryRecorded(habit: habit, date: CivilDate(rawValue: Int32(day)))
    return NewEvent(payload: try PayloadCoding.encode(.entryRecorded(entry)))
  }
}
