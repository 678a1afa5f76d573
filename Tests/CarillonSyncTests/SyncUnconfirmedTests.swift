import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// Redacted events, and redacted events whose erasing event is not held.
struct SyncUnconfirmedTests {
  /// Three logs for tests of redacted events.
  ///
  /// `redacted` holds some events of `whole` redacted, because of an erasing event that `erasing`
  /// wrote. `erased` lists those events.
  private struct World {
    var fixture: SyncFixture
    let whole: InMemoryEventLog
    let erasing: InMemoryEventLog
    let redacted: InMemoryEventLog
    var erased: Set<EventID> = []

    init(seed: UInt64, count: Int = 60, isErasureHeld: Bool) async throws {
      fixture = SyncFixture(seed: seed)
      whole = fixture.log()
      try fixture.write(count, to: whole)
      erasing = fixture.log()
      _ = try await fixture.synchronize(erasing, whole)
      try fixture.write(1, to: erasing)
      redacted = isErasureHeld ? fixture.copy(erasing) : fixture.log()
      let source = fixture.copy(erasing)
      let erasure = try #require(erasing.saved.events[1].last).id
      let places = source.saved.order.enumerated().filter { $0.element.branch == 0 }
      let chosen = places.filter { _ in Bool.random(using: &fixture.generator) }
      let payloads = chosen.map {
        ErasedPayload(position: LogPosition(rawValue: UInt64($0.offset) + 1), erasure: erasure)
      }
      erased = Set(chosen.map { whole.saved.events[0][$0.element.index].id })
      if isErasureHeld {
        _ = try await redacted.erase(payloads)
      } else {
        _ = try await source.erase(payloads)
        // Without the erasing event, as if the transport had been cut before it arrived.
        source.forget(branch: 1)
        _ = try await fixture.synchronize(redacted, source)
      }
    }

    mutating func synchronize(
      _ left: InMemoryEventLog, _ right: InMemoryEventLog, options: SyncOptions = SyncOptions()
    ) async throws -> SyncReport {
      var simulation = try SyncSimulation(
        initiator: left, responder: right, wallClock: Instant(milliseconds: fixture.clock),
        seed: fixture.generator.next(), options: (options, options),
        contents: (left.contents, right.contents))
      return try #require(try await simulation.run())
    }

    /// The redacted events of a log.
    static func redacted(_ log: InMemoryEventLog) -> Set<EventID> {
      Set(log.saved.events.joined().lazy.filter { $0.redacted != nil }.map(\.id))
    }
  }

  @Test("Redacted events are sent redacted and counted like any others", arguments: [false, true])
  func travel(leads: Bool) async throws {
    var world = try await World(seed: 1, isErasureHeld: true)
    let cold = world.fixture.log()
    let report = try await world.synchronize(
      leads ? cold : world.redacted, leads ? world.redacted : cold)
    #expect(World.redacted(cold) == world.erased)
    #expect(cold.isEqual(to: world.redacted))
    #expect((leads ? report.eventsReceived : report.eventsSent) == 61)
    let again = try await world.synchronize(cold, world.redacted)
    #expect(again.method == .equal && again.bytesReceived == 7)
  }

  @Test("A payload whose erasure is held is never restored", arguments: [false, true], 1...5)
  func erased(leads: Bool, seed: UInt64) async throws {
    var world = try await World(seed: seed, isErasureHeld: true)
    try world.fixture.write(5, to: world.whole)
    for audits in [false, true] {
      let options = SyncOptions(audits: audits)
      let report = try await world.synchronize(
        leads ? world.whole : world.redacted, leads ? world.redacted : world.whole, options: options
      )
      #expect(World.redacted(world.redacted) == world.erased, "seed \(seed)")
      #expect(report.repaired == 0 && report.unrepaired.isEmpty, "seed \(seed)")
    }
    // The peer's own payloads are erased only by the peer's store.
    #expect(World.redacted(world.whole).isEmpty)
  }

  @Test(
    "A payload whose erasure is not held is requested, restored and later erased",
    arguments: [false, true], 1...5)
  func unconfirmed(leads: Bool, seed: UInt64) async throws {
    var world = try await World(seed: seed, count: 60 + Int(seed) * 60, isErasureHeld: false)
    #expect(World.redacted(world.redacted) == world.erased)
    #expect(try world.redacted.unconfirmed.count == world.erased.count && !world.erased.isEmpty)
    // `whole` does not hold the erasing event either.
    let report = try await world.synchronize(
      leads ? world.redacted : world.whole, leads ? world.whole : world.redacted)
    #expect(World.redacted(world.redacted).isEmpty, "seed \(seed)")
    #expect(world.redacted.isEqual(to: world.whole), "seed \(seed)")
    #expect(report.repaired == (leads ? world.erased.count : 0), "seed \(seed)")
    #expect(report.repairedThere == (leads ? 0 : world.erased.count), "seed \(seed)")
    let equal = try await world.synchronize(world.redacted, world.whole)
    #expect(equal.method == .equal)
    // The erasing event arrives; the store erases the payloads again, and nothing is unconfirmed.
    _ = try await world.synchronize(world.redacted, world.erasing)
    let saved = world.redacted.saved
    let erasure = try #require(world.erasing.saved.events[1].last).id
    let places = saved.order.enumerated().filter {
      world.erased.contains(saved.events[$0.element.branch][$0.element.index].id)
    }
    _ = try await world.redacted.erase(
      places.map {
        ErasedPayload(position: LogPosition(rawValue: UInt64($0.offset) + 1), erasure: erasure)
      })
    #expect(try world.redacted.unconfirmed.isEmpty)
    let last = try await world.synchronize(world.redacted, world.erasing)
    #expect(last.method == .equal && World.redacted(world.redacted) == world.erased, "seed \(seed)")
  }

  @Test(
    "A payload that neither side holds is requested once per sync, and the sync ends",
    arguments: [false, true])
  func unsettled(leads: Bool) async throws {
    var world = try await World(seed: 7, count: 400, isErasureHeld: false)
    let other = world.fixture.copy(world.redacted)
    let report = try await world.synchronize(
      leads ? world.redacted : other, leads ? other : world.redacted)
    #expect(report.repaired == 0 && report.unrepaired.isEmpty)
    #expect(World.redacted(world.redacted) == world.erased)
    // 64 points in a message, each way, and none requested twice.
    #expect(report.messages <= 2 * (2 * (world.erased.count / 64 + 1) + 2))
  }

  @Test("A redacted event that arrives redacted again does not count as repaired")
  func comesRedacted() async throws {
    var world = try await World(seed: 8, isErasureHeld: false)
    let other = world.fixture.copy(world.redacted)
    for _ in 0..<2 {
      let report = try await world.synchronize(world.redacted, other)
      #expect(report.messages > 2 && report.repaired + report.repairedThere == 0)
    }
  }

  @Test("A run with redacted events never exceeds its estimated size", arguments: TestSeed.first(8))
  func budget(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func random() -> EventID {
      SyncFixture.bytes(32, &generator).withUnsafeBytes { EventID(loading: $0) }
    }
    let first = UInt64.random(in: 2...(1 << 52), using: &generator)
    var run = OutgoingRun(
      branch: BranchIndex(rawValue: 0), reference: .full(ReplicaID(high: 1, low: seed)),
      firstSequence: first, previous: random())
    for _ in 0..<Int.random(in: 1...300, using: &generator) {
      if seed % 3 == 0 || Bool.random(using: &generator) {
        let digest = SyncFixture.bytes(32, &generator).withUnsafeBytes {
          PayloadDigest(loading: $0)
        }
        run.append(
          id: random(), payload: UnsafeRawBufferPointer(start: nil, count: 0),
          redacted: RedactedContent(digest: digest, erasure: random()))
      } else {
        SyncFixture.bytes(Int.random(in: 1...300, using: &generator), &generator)
          .withUnsafeBytes { run.append(id: random(), payload: $0) }
      }
    }
    for budget in stride(from: 0, through: run.maxBytes, by: 977) {
      guard let cut = run.prefix(byteBudget: budget) else { continue }
      #expect(SyncRun.encode([cut.run]).count <= cut.maxBytes, "seed \(seed)")
      #expect(cut.maxBytes <= budget, "seed \(seed)")
      #expect(cut.run.redacted.count == cut.run.lengths.count { $0 == 0 }, "seed \(seed)")
    }
    #expect(SyncRun.encode([run.run]).count <= run.maxBytes, "seed \(seed)")
  }

  @Test("Inconsistent columns of redacted events are malformed", arguments: 1...40)
  func columns(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var run = SyncRun(replica: .prefix(7), firstSequence: 5, previousSuffix: 1)
    for index in 0..<6 {
      run.milliseconds.append(1)
      run.counters.append(0)
      run.lengths.append(index % 2 == 0 ? 0 : 3)
      if index % 2 == 0 {
        let bytes = SyncFixture.bytes(64, &generator)
        run.redacted.append(
          RedactedContent(
            digest: bytes[..<32].withUnsafeBytes { PayloadDigest(loading: $0) },
            erasure: bytes[32...].withUnsafeBytes { EventID(loading: $0) }))
      } else {
        run.payloads += [1, 2, 3]
      }
    }
    let honest = try SyncRun.decode(SyncRun.encode([run]))
    #expect(honest == [run])
    var damaged = run
    switch seed % 4 {
    case 0: damaged.redacted.removeLast()
    case 1: damaged.redacted += run.redacted
    case 2: damaged.lengths[0] = 3
    default: damaged.lengths[1] = 0
    }
    let error = #expect(throws: ModelError.self) {
      _ = try SyncRun.decode(SyncRun.encode([damaged]))
    }
    #expect(error?.code == .malformed)
  }
}
