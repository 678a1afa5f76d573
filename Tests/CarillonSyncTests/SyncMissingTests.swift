import CarillonLog
import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// One damaged event costs one event: only its ID is sent, and another replica repairs it.
struct SyncMissingTests {
  /// Returns a log of one replica and a copy of it with damaged payloads at the given indices.
  private static func damaged(
    _ fixture: inout SyncFixture, count: Int = 1_101, _ indices: [Int]
  ) throws -> (whole: InMemoryEventLog, damaged: InMemoryEventLog) {
    let whole = fixture.log()
    try fixture.write(count, to: whole)
    let copy = fixture.copy(whole)
    for index in indices { try copy.damagePayload(0, index) }
    return (whole, copy)
  }

  private static func missing(_ log: InMemoryEventLog) -> [Int] {
    (log.saved.events.first ?? []).indices.filter { log.saved.events[0][$0].isMissing }
  }

  @Test(
    "One damaged event costs one event, which any intact replica repairs",
    arguments: [false, true],
    [0, 1, 550, 1_099])
  func one(leads: Bool, index: Int) async throws {
    var fixture = SyncFixture(seed: 1)
    let (whole, damaged) = try Self.damaged(&fixture, [index])
    let cold = fixture.log()
    let report = try #require(
      try await fixture.synchronize(leads ? cold : damaged, leads ? damaged : cold))
    #expect(cold.eventCount == 1_101)
    #expect(Self.missing(cold) == [index])
    #expect((leads ? report.missingHere : report.missingThere) == 1)
    #expect(report.refused.isEmpty)
    // A missing event is passed on as missing, and a peer that lacks it too is not asked for it.
    let second = fixture.log()
    _ = try await fixture.synchronize(second, cold)
    #expect(Self.missing(second) == [index])
    let repaired = try #require(
      try await fixture.synchronize(cold, whole, options: SyncOptions(audits: true)))
    #expect(repaired.repaired == 1 && cold.isEqual(to: whole))
    #expect(try cold.damagedEvents().isEmpty)
  }

  @Test(
    "Several damaged events cost as many events, even if they are consecutive",
    arguments: TestSeed.first(12))
  func several(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    var indices: Set<Int> = []
    for _ in 0..<Int.random(in: 1...6, using: &fixture.generator) {
      let first = Int.random(in: 0..<390, using: &fixture.generator)
      indices.formUnion(first..<first + Int.random(in: 1...4, using: &fixture.generator))
    }
    let (whole, damaged) = try Self.damaged(&fixture, count: 400, indices.sorted())
    let cold = fixture.log()
    let limit = [20_000, 60_000][Int(seed % 2)]
    let report = try #require(
      try await fixture.synchronize(
        cold, damaged, options: SyncOptions(maxMessageBytes: limit)))
    #expect(Self.missing(cold) == indices.sorted(), "seed \(seed)")
    #expect(report.missingHere == indices.count && report.refused.isEmpty, "seed \(seed)")
    _ = try await fixture.synchronize(cold, whole, options: SyncOptions(audits: true))
    #expect(cold.isEqual(to: whole), "seed \(seed)")
  }

  @Test(
    "A damaged event at the end of a branch is not sent, and is reported", arguments: [false, true])
  func last(leads: Bool) async throws {
    var fixture = SyncFixture(seed: 2)
    let (_, damaged) = try Self.damaged(&fixture, count: 30, [29])
    let cold = fixture.log()
    let report = try #require(
      try await fixture.synchronize(leads ? damaged : cold, leads ? cold : damaged))
    #expect(cold.eventCount == 29 && Self.missing(cold).isEmpty)
    #expect(report.refused.count == 1)
  }

  @Test("An event whose ID alone is damaged is sent with its payload", arguments: [1, 8, 15])
  func id(index: Int) async throws {
    var fixture = SyncFixture(seed: 3)
    let whole = fixture.log()
    try fixture.write(20, to: whole)
    let damaged = fixture.copy(whole)
    damaged.damageID(0, index, byte: 20)
    let cold = fixture.log()
    let report = try #require(try await fixture.synchronize(cold, damaged))
    #expect(cold.isEqual(to: whole) && report.missingHere == 0)
  }

  @Test("A run that ends with an ID alone is refused")
  func refused() throws {
    var fixture = SyncFixture(seed: 4)
    let log = fixture.log()
    try fixture.write(3, to: log)
    let events = log.saved.events[0]
    func run(missing place: Int) -> OutgoingRun {
      var run = OutgoingRun(
        branch: BranchIndex(rawValue: 0), reference: .full(events[0].replica), firstSequence: 1,
        previous: nil)
      for (index, event) in events.enumerated() {
        if index == place {
          run.append(missing: event.id)
        } else {
          event.payload.withUnsafeBytes { run.append(id: event.id, payload: $0) }
        }
      }
      return run
    }
    let inner = run(missing: 1)
    let decoded = try SyncRun.decode(SyncRun.encode([inner.run]))
    #expect(decoded == [inner.run])
    #expect(
      #expect(throws: ModelError.self) {
        _ = try SyncRun.decode(SyncRun.encode([run(missing: 2).run]))
      }?.code == .malformed)
    #expect(run(missing: 2).vouched.run.count == 2)
  }

  @Test("An audit of equal logs with equal states takes one round trip and at most 96 bytes")
  func audit() async throws {
    var fixture = SyncFixture(seed: 5)
    let left = fixture.log()
    let right = fixture.copy(left)
    for replicas in 1...3 {
      let writer = fixture.log()
      try fixture.write(50, to: writer)
      _ = try await fixture.synchronize(left, writer)
      _ = try await fixture.synchronize(right, writer)
      let report = try await Self.audit(&fixture, left, right, states: (7, 7))
      #expect(report.method == .equal && report.messages == 2 && report.roundTrips == 1)
      let bytes = report.bytesSent + report.bytesReceived
      #expect(bytes <= 96, "\(replicas) replicas: \(bytes) bytes")
      #expect(!report.statesDiffer)
    }
  }

  @Test("An audit of equal logs with different states reports it and requests all redacted events")
  func states() async throws {
    var fixture = SyncFixture(seed: 6)
    let left = fixture.log()
    try fixture.write(30, to: left)
    let right = fixture.copy(left)
    let erasure = left.saved.events[0][29].id
    _ = try await right.erase([ErasedPayload(position: LogPosition(rawValue: 4), erasure: erasure)])
    for leads in [false, true] {
      let (initiator, responder) = leads ? (left, right) : (right, left)
      let report = try await Self.audit(&fixture, initiator, responder, states: (7, 8))
      #expect(report.statesDiffer)
      #expect(report.messages > 2)
      let plain = try await fixture.synchronize(initiator, responder)
      #expect(plain?.statesDiffer == false)
    }
  }

  private static func audit(
    _ fixture: inout SyncFixture, _ initiator: InMemoryEventLog, _ responder: InMemoryEventLog,
    states: (UInt8, UInt8)
  ) async throws -> SyncReport {
    func contents(_ state: UInt8) -> SyncContents {
      SyncContents(
        unconfirmed: { [] }, erasures: nil,
        stateDigest: { StateDigest(bytes: Array(repeating: state, count: 32)) })
    }
    var simulation = try SyncSimulation(
      initiator: initiator, responder: responder, wallClock: Instant(milliseconds: fixture.clock),
      seed: fixture.generator.next(),
      options: (SyncOptions(audits: true), SyncOptions()),
      contents: (contents(states.0), contents(states.1)))
    return try #require(try await simulation.run())
  }
}
