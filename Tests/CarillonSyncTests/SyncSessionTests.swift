import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonWire
import Testing

struct SyncSessionTests {
  @Test("Two empty logs are found equal in one round trip")
  func empty() async throws {
    var fixture = SyncFixture(seed: 1)
    let report = try #require(try await fixture.synchronize(fixture.log(), fixture.log()))
    #expect(report.method == .equal)
    #expect(report.messages == 2)
  }

  private static let options = [
    SyncOptions(), SyncOptions(maxMessageBytes: 4_194_304), .withinProcess,
  ]

  @Test(
    "A sync with nothing to do takes one round trip and at most 64 bytes",
    arguments: [1, 2, 3, 20], options)
  func nothing(replicas: Int, options: SyncOptions) async throws {
    var fixture = SyncFixture(seed: 2)
    let left = fixture.log()
    try fixture.write(3_000, to: left)
    for _ in 1..<replicas {
      let other = fixture.log()
      try fixture.write(50, to: other)
      _ = try await fixture.synchronize(left, other)
    }
    let right = fixture.log()
    _ = try await fixture.synchronize(right, left)
    let report = try #require(try await fixture.synchronize(left, right, options: options))
    #expect(report.method == .equal)
    #expect(report.messages == 2)
    #expect(report.roundTrips == 1)
    #expect(report.bytesSent + report.bytesReceived <= 64)
    #expect(report.bytesReceived == 7)
  }

  @Test("New events on both sides take four messages, and the last one confirms")
  func both() async throws {
    var fixture = SyncFixture(seed: 3)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(100, to: left)
    try fixture.write(100, to: right)
    _ = try await fixture.synchronize(left, right)
    try fixture.write(30, to: left)
    try fixture.write(20, to: right)
    let report = try #require(try await fixture.synchronize(left, right))
    #expect(report.method == .vector)
    #expect(report.messages == 4)
    #expect(report.roundTrips == 2)
    #expect(report.eventsSent == 30)
    #expect(report.eventsReceived == 20)
    #expect(left.isEqual(to: right))
  }

  @Test(
    "100 + 100 new done events on 100,000 shared events cost at most 3,500 bytes",
    arguments: options)
  func doneEvents(options: SyncOptions) async throws {
    var fixture = SyncFixture(seed: 4)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(50_000, to: left)
    try fixture.write(50_000, to: right)
    _ = try await fixture.synchronize(left, right)
    let habits = (0..<20).map { _ in HabitID.random(using: &fixture.generator) }
    for log in [left, right] {
      for place in 0..<100 {
        fixture.clock += Int64.random(in: 60_000...7_200_000, using: &fixture.generator)
        let habit = habits[Int(fixture.generator.next() % 20)]
        let payload = Payload.entryRecorded(
          EntryRecorded(habit: habit, date: CivilDate(rawValue: Int32(20_400 + place / 14))))
        try log.recordBlocking(
          [NewEvent(payload: try PayloadCoding.encode(payload))],
          wallClock: Instant(milliseconds: fixture.clock))
      }
    }
    let report = try #require(try await fixture.synchronize(left, right, options: options))
    #expect(report.bytesSent + report.bytesReceived <= 3_500)
    #expect(report.roundTrips == 2)
    #expect(report.eventsSent == 100 && report.eventsReceived == 100)
    #expect(left.isEqual(to: right))
  }

  @Test(
    "An empty log receives everything, and no message exceeds the limit", arguments: [false, true])
  func cold(leads: Bool) async throws {
    var fixture = SyncFixture(seed: 5)
    let (full, cold) = (fixture.log(), fixture.log())
    try fixture.write(20_000, to: full)
    var simulation = try fixture.simulation(leads ? cold : full, leads ? full : cold)
    let report = try #require(try await simulation.run())
    #expect((leads ? report.eventsReceived : report.eventsSent) == 20_000)
    #expect(simulation.transcript.allSatisfy { $0.bytes.count <= 60_000 })
    #expect(full.isEqual(to: cold))
  }

  @Test("The largest payloads fit the smallest message limit", arguments: [false, true])
  func largest(leads: Bool) async throws {
    var fixture = SyncFixture(seed: 6)
    let (full, cold) = (fixture.log(), fixture.log())
    try fixture.write(12, to: full) { SyncFixture.bytes(16_384, &$0) }
    try fixture.write(100, to: full)
    try fixture.write(12, to: cold) { SyncFixture.bytes(16_384, &$0) }
    var simulation = try fixture.simulation(
      leads ? cold : full, leads ? full : cold, options: SyncOptions(maxMessageBytes: 20_000))
    _ = try #require(try await simulation.run())
    #expect(simulation.transcript.allSatisfy { $0.bytes.count <= 20_000 })
    #expect(full.isEqual(to: cold))
  }

  @Test("Logs of more replicas than fit in one message become equal")
  func manyReplicas() async throws {
    var fixture = SyncFixture(seed: 7)
    let (left, right) = (fixture.log(), fixture.log())
    for _ in 0..<1_500 {
      let log = fixture.log()
      try fixture.write(2, to: log)
      for event in log.saved.events.joined() where event.sequence == .first {
        let run = EventRun(
          replica: event.replica, firstSequence: .first,
          previous: EventChain.root(of: event.replica),
          items: [.init(timestamp: event.timestamp, payload: event.payload)], lastID: event.id)
        _ = try await left.append(
          [run], wallClock: Instant(milliseconds: fixture.clock), erasures: nil)
      }
    }
    try fixture.write(3, to: right)
    var simulation = try fixture.simulation(
      right, left, options: SyncOptions(maxMessageBytes: 20_000))
    let report = try #require(try await simulation.run())
    #expect(report.eventsReceived == 1_500)
    #expect(simulation.transcript.allSatisfy { $0.bytes.count <= 20_000 })
    #expect(left.isEqual(to: right))
    #expect(report.warnings.count == 1)
  }
}
