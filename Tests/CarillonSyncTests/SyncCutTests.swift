import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonWire
import Testing

/// Transports that end early or change the bytes they carry.
struct SyncCutTests {
  @Test(
    "A sync of 5,000 events that was cut resumes and resends only undelivered events",
    arguments: [1, 4])
  func cuts(window: Int) async throws {
    let options = SyncOptions(maxMessageBytes: 20_000, window: window)
    var cut = 0
    var isIntact = false
    while !isIntact {
      var fixture = SyncFixture(seed: 9)
      let (left, right) = (fixture.log(), fixture.log())
      try fixture.write(3_000, to: left)
      try fixture.write(2_000, to: right)
      var first = try fixture.simulation(left, right, options: options)
      isIntact = try await first.run(cutAfter: cut) != nil
      // The events of a message that was cut did not arrive.
      let onItsWay = Self.eventCount(first.undelivered)
      var second = try fixture.simulation(left, right, options: options)
      _ = try #require(try await second.run())
      #expect(left.isEqual(to: right), "cut after \(cut)")
      let sent = Self.eventCount((first.transcript + second.transcript).map(\.bytes))
      #expect(sent == 5_000 + onItsWay, "cut after \(cut)")
      #expect(first.undelivered.count <= 2 * window, "cut after \(cut)")
      cut += 1
    }
    #expect(cut > 10)
  }

  @Test("A flipped bit in a message never corrupts a log", arguments: 1...12)
  func flips(seed: UInt64) async throws {
    for round in 0..<40 {
      var fixture = SyncFixture(seed: seed &* 1_000 &+ UInt64(round))
      let left = fixture.log()
      try fixture.write(30, to: left)
      let right = seed % 3 == 0 ? fixture.copy(left) : fixture.log()
      try fixture.write(25, to: left)
      try fixture.write(25, to: right)
      let honest = Set(left.saved.events.joined()).union(right.saved.events.joined())
      let (place, bit) = (Int(fixture.generator.next() % 8), fixture.generator.next())
      var simulation = try fixture.simulation(left, right)
      simulation.tamper = { index, bytes in
        guard index == place, !bytes.isEmpty else { return bytes }
        var bytes = bytes
        bytes[Int(bit >> 3) % bytes.count] ^= 1 << UInt8(bit & 7)
        return bytes
      }
      do {
        _ = try await simulation.run(maxSteps: 500)
      } catch let error as SyncError {
        #expect(error.code != .log, "seed \(seed), round \(round): \(error)")
      }
      // Events that a log wrote under a new ReplicaID in the meantime are its own.
      let old = Set(honest.map(\.replica))
      for log in [left, right] {
        let held = Set(log.saved.events.joined()).filter { old.contains($0.replica) }
        #expect(held.isSubset(of: honest), "seed \(seed), round \(round)")
      }
      for _ in 0..<2 { _ = try #require(try await fixture.synchronize(left, right)) }
      #expect(left.isEqual(to: right), "seed \(seed), round \(round)")
    }
  }

  @Test(
    "No message exceeds the smaller of both sides' limits",
    arguments: [20_000, 20_001, 60_000, 4_194_304], [20_000, 60_000, 4_194_304])
  func limits(left: Int, right: Int) async throws {
    var fixture = SyncFixture(seed: 4)
    let (initiator, responder) = (fixture.log(), fixture.log())
    for log in [initiator, responder] {
      try fixture.write(8, to: log) { SyncFixture.bytes(16_384, &$0) }
      try fixture.write(700, to: log)
    }
    var simulation = try SyncSimulation(
      initiator: initiator, responder: responder, wallClock: Instant(milliseconds: fixture.clock),
      seed: 1, options: (SyncOptions(maxMessageBytes: left), SyncOptions(maxMessageBytes: right)))
    let report = try #require(try await simulation.run())
    #expect(simulation.transcript.allSatisfy { $0.bytes.count <= min(left, right) })
    #expect(report.eventsSent == 708 && report.eventsReceived == 708)
    #expect(initiator.isEqual(to: responder))
  }

  @Test("Events that deflate would not shrink are sent uncompressed")
  func stored() async throws {
    var fixture = SyncFixture(seed: 5)
    let (left, right) = (fixture.log(), fixture.log())
    try fixture.write(12, to: left) { SyncFixture.bytes(3_000, &$0) }
    var simulation = try fixture.simulation(left, right)
    _ = try #require(try await simulation.run())
    let events = try simulation.transcript.filter { $0.bytes.count > 4 }.map {
      try SyncMessage(bytes: $0.bytes).events
    }
    #expect(events.contains { if case .stored = $0 { true } else { false } })
    #expect(left.isEqual(to: right))
  }

  private static func eventCount(_ messages: [[UInt8]]) -> Int {
    messages.reduce(0) { sum, bytes in
      guard bytes.count > 4, let message = try? SyncMessage(bytes: bytes) else { return sum }
      let plain: [UInt8]? =
        switch message.events {
        case .none: nil
        case .stored(let bytes): bytes
        case .deflated(let bytes): Deflate.inflated(bytes, limit: 480_000)
        }
      return sum + (plain.flatMap { try? SyncRun.decode($0) } ?? []).reduce(0) { $0 + $1.count }
    }
  }
}
