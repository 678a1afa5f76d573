import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonWire
import Testing

/// Transports that lose, repeat, delay and cut messages.
struct SyncFaultTests {
  @Test(
    "Logs become equal over a transport that loses, repeats and reorders messages",
    arguments: TestSeed.first(12))
  func lossy(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let left = fixture.log()
    try fixture.write(100, to: left)
    let right = seed % 2 == 0 ? fixture.log() : fixture.copy(left)
    try fixture.write(400, to: left) { SyncFixture.bytes(150, &$0) }
    try fixture.write(400, to: right) { SyncFixture.bytes(150, &$0) }
    var simulation = try fixture.simulation(
      left, right, faults: .watch, options: SyncOptions(maxMessageBytes: 20_000))
    let report = try #require(try await simulation.run(maxSteps: 2_000), "seed \(seed)")
    #expect(left.isEqual(to: right), "seed \(seed)")
    #expect(report.eventsSent >= 400, "seed \(seed)")
  }

  @Test("An Equal message that answers a second copy of the hello is ignored")
  func lateEqual() async throws {
    var fixture = SyncFixture(seed: 7)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(3, to: left)
    try fixture.write(2, to: right)
    var simulation = try fixture.simulation(left, right)
    _ = try await simulation.run(cutAfter: 1)
    let wallClock = Instant(milliseconds: fixture.clock)
    let answer = try await SyncSimulation.answer(
      to: simulation.transcript[0].bytes, of: right, wallClock: wallClock)
    var equal = SyncMessage()
    equal.equal = [0xFF, 0xFF, 0xFF, 0xFF]
    var answers = [answer, equal.encoded(), equal.encoded()]
    let initiator = SyncSimulation.leading(left, wallClock: wallClock)
    try await initiator.run(answers: 3) { answers.removeFirst() }
    #expect(left.eventCount == 5)
  }

  @Test("Events that were sent twice are counted once", arguments: TestSeed.first(8))
  func counts(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(100, to: left)
    _ = try await fixture.synchronize(left, right)
    try fixture.write(600, to: left) { SyncFixture.bytes(150, &$0) }
    try fixture.write(400, to: right) { SyncFixture.bytes(150, &$0) }
    var simulation = try fixture.simulation(
      left, right, faults: .watch, options: SyncOptions(maxMessageBytes: 20_000))
    let report = try #require(try await simulation.run(maxSteps: 2_000), "seed \(seed)")
    #expect(report.eventsSent == 600, "seed \(seed)")
    #expect(report.eventsReceived == 400, "seed \(seed)")
  }

  @Test("A cut after any message costs at most the bytes in flight", arguments: [1, 4])
  func cuts(window: Int) async throws {
    let options = SyncOptions(maxMessageBytes: 20_000, window: window)
    var bytesUncut = 0
    for cut in (0...40).reversed() {
      var fixture = SyncFixture(seed: 9)
      let (left, right) = (fixture.log(), fixture.log())
      try fixture.write(1_000, to: left) { SyncFixture.bytes(100, &$0) }
      try fixture.write(600, to: right) { SyncFixture.bytes(100, &$0) }
      var first = try fixture.simulation(left, right, options: options)
      if try await first.run(cutAfter: cut) != nil {
        bytesUncut = first.byteCount
        continue
      }
      let (leftCount, rightCount) = (left.eventCount, right.eventCount)
      var second = try fixture.simulation(left, right, options: options)
      let report = try #require(try await second.run())
      #expect(left.isEqual(to: right), "cut after \(cut)")
      #expect(report.eventsSent == 1_600 - rightCount, "cut after \(cut)")
      #expect(report.eventsReceived == 1_600 - leftCount, "cut after \(cut)")
      let inFlight = (window + 1) * 20_000
      #expect(bytesUncut > 0)
      #expect(first.byteCount + second.byteCount <= bytesUncut + inFlight, "cut after \(cut)")
    }
  }

  @Test("A sync without any answer ends with an error")
  func noAnswer() async throws {
    var fixture = SyncFixture(seed: 10)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(3, to: left)
    var simulation = try fixture.simulation(left, right, faults: LossyTransport.Faults(loss: 1_000))
    let error = await #expect(throws: SyncError.self) { _ = try await simulation.run() }
    #expect(error?.code == .unreachable)
  }
}
