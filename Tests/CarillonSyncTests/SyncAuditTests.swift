import CarillonLog
import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// Audits find damaged events and repair them from the peer's copy.
struct SyncAuditTests {
  private static let audit = SyncOptions(audits: true)

  @Test(
    "An audit of equal, intact logs takes one round trip and at most 64 bytes",
    arguments: [1, 2, 3, 20])
  func nothing(replicas: Int) async throws {
    var fixture = SyncFixture(seed: 1)
    let left = try await Self.shared(&fixture, replicas: replicas, count: 500)
    let right = fixture.copy(left)
    let report = try #require(
      try await fixture.synchronize(left, right, options: Self.audit))
    #expect(report.method == .equal)
    #expect(report.messages == 2 && report.roundTrips == 1)
    #expect(report.bytesSent + report.bytesReceived <= 64)
    #expect(report.repaired == 0 && report.unrepaired.isEmpty)
  }

  @Test("Whether a message requests an audit is found without decoding the rest of it")
  func requestsAudit() {
    for isAudit in [false, true] {
      var message = SyncMessage()
      message.audit = isAudit
      message.events = .stored([UInt8](repeating: 14 << 3, count: 1_000))
      let bytes = message.encoded()
      #expect(SyncMessage.requestsAudit(bytes) == isAudit)
      #expect(!SyncMessage.requestsAudit(Array(bytes.dropLast())))
    }
    #expect(!SyncMessage.requestsAudit([]))
  }

  @Test("Events damaged on one side are repaired from the other", arguments: TestSeed.first(12))
  func repaired(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let left = try await Self.shared(&fixture, replicas: 3, count: 80)
    let right = fixture.copy(left)
    let whole = left.saved
    let count = Int.random(in: 1...(seed % 3 == 0 ? 100 : 12), using: &fixture.generator)
    var hurt = (left: 0, right: 0)
    let places = left.places.filter { ![2, 4].contains($0.index % 7) }
    for place in places.shuffled(using: &fixture.generator).prefix(count) {
      let isLeft = seed % 4 == 0 || Bool.random(using: &fixture.generator)
      try Self.damage(isLeft ? left : right, place, &fixture.generator)
      if isLeft { hurt.left += 1 } else { hurt.right += 1 }
    }
    try await Self.writeApart(seed, left, right, &fixture)
    let options = SyncOptions(maxMessageBytes: 20_000, audits: true)
    let report = try #require(try await fixture.synchronize(left, right, options: options))
    #expect(try left.damagedEvents().isEmpty, "seed \(seed)")
    #expect(try right.damagedEvents().isEmpty, "seed \(seed)")
    #expect(left.isEqual(to: right), "seed \(seed)")
    #expect(Self.holds(left, whole), "seed \(seed)")
    #expect(report.repaired == hurt.left, "seed \(seed)")
    #expect(report.unrepaired.isEmpty, "seed \(seed)")
    #expect(report.refused.isEmpty, "seed \(seed)")
  }

  @Test(
    "Events damaged on both sides are reported; all others are repaired",
    arguments: TestSeed.first(8))
  func unrepaired(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let left = try await Self.shared(&fixture, replicas: 2, count: 240)
    let right = fixture.copy(left)
    // Far enough apart that no damaged event keeps another from being repaired.
    let places = left.places.enumerated().filter { $0.element.index % 7 == 3 }.map(\.element)
      .shuffled(using: &fixture.generator)
    let both = places.prefix(1 + Int(seed % 20))
    for place in both {
      try left.damagePayload(place.branch, place.index)
      try right.damagePayload(place.branch, place.index)
    }
    for place in places.dropFirst(20).prefix(9) {
      try Self.damage(
        Bool.random(using: &fixture.generator) ? left : right, place, &fixture.generator)
    }
    let report = try #require(
      try await fixture.synchronize(left, right, options: Self.audit))
    #expect(try left.damagedEvents().count == both.count, "seed \(seed)")
    #expect(try right.damagedEvents().count == both.count, "seed \(seed)")
    #expect(report.unrepaired.count == 2 * both.count, "seed \(seed)")
    let expected = both.map { left.saved.events[$0.branch][$0.index] }
    for isRemote in [false, true] {
      let found = report.unrepaired.filter { $0.isRemote == isRemote }
      #expect(
        Set(found)
          == Set(
            expected.map {
              SyncDamage(replica: $0.replica, sequence: $0.sequence.rawValue, isRemote: isRemote)
            }), "seed \(seed)")
    }
  }

  @Test("More damaged events than fit in one message are all repaired", arguments: [true, false])
  func many(here: Bool) async throws {
    var fixture = SyncFixture(seed: 5)
    let left = try await Self.shared(&fixture, replicas: 2, count: 400)
    let right = fixture.copy(left)
    for place in left.places.prefix(700) {
      try (here ? left : right).damagePayload(place.branch, place.index)
    }
    let report = try #require(
      try await fixture.synchronize(left, right, options: Self.audit))
    #expect(left.isEqual(to: right))
    #expect(try left.damagedEvents().isEmpty && right.damagedEvents().isEmpty)
    #expect(report.repaired == (here ? 700 : 0))
    // 64 events in a message, plus the messages of the audit.
    #expect(report.messages <= 2 * (700 / 64 + 1) * 2 + 4)
  }

  @Test(
    "The largest events are repaired at the smallest message limit, even over a lossy transport",
    arguments: 1...6)
  func large(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let left = fixture.log()
    try fixture.write(30, to: left) { SyncFixture.bytes(16_384, &$0) }
    let right = fixture.copy(left)
    for place in left.places where place.index % 2 == 0 {
      try (place.index % 4 == 0 ? left : right).damagePayload(place.branch, place.index)
    }
    var simulation = try fixture.simulation(
      left, right, faults: seed % 2 == 0 ? .watch : .none,
      options: SyncOptions(maxMessageBytes: 20_000, audits: true))
    let report = try #require(try await simulation.run(maxSteps: 2_000), "seed \(seed)")
    #expect(simulation.transcript.allSatisfy { $0.bytes.count <= 20_000 })
    #expect(left.isEqual(to: right), "seed \(seed)")
    #expect(report.repaired == 8 && report.unrepaired.isEmpty, "seed \(seed)")
  }

  @Test("A damaged sequence number is repaired and never sent", arguments: [0, 1 << 60])
  func sequence(_ sequence: UInt64) async throws {
    var fixture = SyncFixture(seed: 8)
    let left = try await Self.shared(&fixture, replicas: 1, count: 20)
    let right = fixture.copy(left)
    left.damageSequence(0, 9, to: sequence)
    #expect(try left.damagedEvents().map(\.sequence.rawValue) == [10])
    let report = try #require(
      try await fixture.synchronize(left, right, options: Self.audit))
    #expect(report.repaired == 1 && report.unrepaired.isEmpty && left.isEqual(to: right))
    let other = try #require(
      try await fixture.synchronize(right, left, options: Self.audit))
    #expect(other.refused.isEmpty)
  }

  @Test("A sync without an audit does not look for damage")
  func withoutAudit() async throws {
    var fixture = SyncFixture(seed: 6)
    let left = try await Self.shared(&fixture, replicas: 1, count: 20)
    let right = fixture.copy(left)
    try left.damagePayload(0, 3)
    let report = try #require(try await fixture.synchronize(left, right))
    #expect(report.method == .equal && report.repaired == 0)
    #expect(try left.damagedEvents().count == 1)
  }

  @Test("A wanted event on a branch newer than the snapshot waits for the next sync")
  func laterBranch() throws {
    var fixture = SyncFixture(seed: 7)
    let log = fixture.log()
    try fixture.write(3, to: log)
    let executor = SyncExecutor(log: log, wallClock: Instant(milliseconds: fixture.clock))
    let later = WantedEvent(
      DamagedEvent(
        position: LogPosition(rawValue: 4), branch: BranchIndex(rawValue: 1), sequence: .first,
        id: nil), .incomplete)
    var initiator = SyncInitiator(
      store: log.storeID, log: try executor.snapshot(), options: SyncOptions())
    _ = try initiator.handle(.start)
    let hello = try message(of: initiator.handle(.wanted([later])))
    #expect(hello.wanted.isEmpty)
    var responder = SyncResponder(
      store: log.storeID, log: try executor.snapshot(), options: SyncOptions())
    _ = try responder.handle(.message(hello.encoded()))
    guard case .send(let answer)? = try responder.handle(.wanted([later])).first else {
      Issue.record("no answer")
      return
    }
    #expect(
      try !SyncMessage(bytes: answer).equal.isEmpty,
      "the logs are equal, and no known event is wanted")
  }

  private func message(of actions: [SyncAction]) throws -> SyncMessage {
    for case .send(let bytes) in actions { return try SyncMessage(bytes: bytes) }
    throw SyncError(code: .malformed, message: "nothing was sent")
  }

  // MARK: -

  /// A log with the events of several replicas and a fork.
  static func shared(
    _ fixture: inout SyncFixture, replicas: Int, count: Int
  ) async throws -> InMemoryEventLog {
    let log = fixture.log()
    try fixture.write(count, to: log)
    for place in 1..<max(replicas, 2) where replicas > 1 {
      let other = place == 1 && replicas > 2 ? fixture.copy(log) : fixture.log()
      try fixture.write(count / 2, to: other)
      if place == 1 { try fixture.write(count / 4, to: log) }
      _ = try await fixture.synchronize(log, other)
    }
    return log
  }

  private static func damage(
    _ log: InMemoryEventLog, _ place: (branch: Int, index: Int), _ generator: inout SeededGenerator
  ) throws {
    // The neighboring events decide whether the ID or the payload is damaged.
    if place.index % 7 == 3 {
      log.damageID(
        place.branch, place.index, byte: Int.random(in: 8..<32, using: &generator))
    } else {
      try log.damagePayload(place.branch, place.index)
    }
  }

  /// Makes both logs write more events, under new ReplicaIDs, for even seeds.
  private static func writeApart(
    _ seed: UInt64, _ left: InMemoryEventLog, _ right: InMemoryEventLog,
    _ fixture: inout SyncFixture
  ) async throws {
    guard seed % 2 == 0 else { return }
    for log in [left, right] {
      log.rename(to: .random(using: &fixture.generator))
      try fixture.write(Int(fixture.generator.next() % 90), to: log)
    }
  }

  /// Whether a log holds all events of a state, byte for byte.
  private static func holds(_ log: InMemoryEventLog, _ state: InMemoryEventLog.Contents) -> Bool {
    Set(state.events.joined()).isSubset(of: Set(log.saved.events.joined()))
  }
}
