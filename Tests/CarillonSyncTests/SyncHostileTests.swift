import CarillonLog
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

/// Bytes that no conforming peer sends: they end in a refusal or an error, never in a crash.
struct SyncHostileTests {
  @Test(
    "A tampered message to a responder is refused or does no harm",
    arguments: TestSeed.first(10))
  func toResponder(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let (left, right) = try await Self.diverged(&fixture)
    var simulation = try fixture.simulation(left, right)
    _ = try await simulation.run()
    let honest = simulation.transcript.filter(\.toResponder).map(\.bytes)
    let target = fixture.log()
    for _ in 0..<60 {
      let bytes = Self.changed(honest, using: &fixture.generator)
      let answer = try await SyncSimulation.answer(
        to: bytes, of: target, wallClock: Instant(milliseconds: fixture.clock))
      #expect((1...60_000).contains(answer.count), "seed \(seed)")
    }
    try fixture.write(1, to: target)
    _ = try await fixture.synchronize(right, target)
    #expect(right.isEqual(to: target), "seed \(seed)")
  }

  @Test("A message with wantedRemaining but no wanted events survives a round trip")
  func wantsWithoutNames() throws {
    var message = SyncMessage()
    message.wantedRemaining = 1
    #expect(try SyncMessage(bytes: message.encoded()) == message)
  }

  @Test("A tampered answer at worst ends a sync with an error", arguments: TestSeed.first(10))
  func toInitiator(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let (left, right) = try await Self.diverged(&fixture)
    var honest = try fixture.simulation(fixture.copy(left), fixture.copy(right))
    _ = try await honest.run()
    let answers = honest.transcript.filter { !$0.toResponder }.map(\.bytes)
    for _ in 0..<40 {
      let log = fixture.copy(left)
      let executor = SyncSimulation.leading(log, wallClock: Instant(milliseconds: fixture.clock))
      var stream = fixture.generator
      do {
        try await executor.run(answers: 30) { Self.changed(answers, using: &stream) }
      } catch let error as SyncError {
        #expect(!error.message.isEmpty, "seed \(seed)")
      }
      fixture.generator = stream
    }
  }

  @Test("Random bytes do not change a log", arguments: TestSeed.first(10))
  func noise(seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let log = fixture.log()
    try fixture.write(10, to: log)
    for _ in 0..<100 {
      let count = Int.random(in: 0...200, using: &fixture.generator)
      let bytes = SyncFixture.bytes(count, &fixture.generator)
      _ = try await SyncSimulation.answer(
        to: bytes, of: log, wallClock: Instant(milliseconds: fixture.clock))
    }
    #expect(log.eventCount == 10)
  }

  @Test(
    "A redacted event with a false digest arrives as its ID alone; an intact copy repairs it",
    arguments: [true, false], 1...5)
  func falseDigest(leads: Bool, seed: UInt64) async throws {
    var fixture = SyncFixture(seed: seed)
    let whole = fixture.log()
    try fixture.write(60, to: whole)
    let liar = fixture.copy(whole)
    let index = Int.random(in: 0..<60, using: &fixture.generator)
    let named = whole.saved.events[0][Int.random(in: 0..<60, using: &fixture.generator)].id
    liar.lie(0, index, digest: PayloadDigest([1]), erasure: named)
    // A log that holds the event keeps it unchanged.
    for audits in [false, true] {
      let before = whole.saved.events
      _ = try await fixture.synchronize(
        leads ? whole : liar, leads ? liar : whole, options: SyncOptions(audits: audits))
      #expect(whole.saved.events == before, "seed \(seed)")
      liar.lie(0, index, digest: PayloadDigest([1]), erasure: named)
    }
    let empty = fixture.log()
    let report = try #require(
      try await fixture.synchronize(leads ? empty : liar, leads ? liar : empty))
    // The next event confirms the ID; no event confirms the ID of the last one.
    let isLast = index == 59
    #expect(report.missingHere + report.missingThere == (isLast ? 0 : 1), "seed \(seed)")
    #expect(!report.isComplete, "seed \(seed)")
    #expect(empty.eventCount == (isLast ? 59 : 60), "seed \(seed)")
    _ = try await fixture.synchronize(empty, whole, options: SyncOptions(audits: true))
    #expect(empty.isEqual(to: whole), "seed \(seed)")
  }

  private static func diverged(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, other) = (fixture.log(), fixture.log())
    try fixture.write(60, to: left)
    try fixture.write(40, to: other)
    _ = try await fixture.synchronize(left, other)
    let right = fixture.copy(left)
    try fixture.write(30, to: left)
    try fixture.write(30, to: right)
    return (left, right)
  }

  /// A message with some bytes changed, cut or duplicated, or with fields set to extreme values.
  private static func changed(
    _ messages: [[UInt8]], using generator: inout SeededGenerator
  ) -> [UInt8] {
    guard var bytes = messages.randomElement(using: &generator), !bytes.isEmpty else { return [] }
    if generator.next() % 3 == 0, let message = try? SyncMessage(bytes: bytes) {
      return extreme(message, using: &generator).encoded()
    }
    for _ in 0...Int(generator.next() % 4) where !bytes.isEmpty {
      let place = Int.random(in: bytes.indices, using: &generator)
      switch generator.next() % 4 {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
      case 1: bytes[place] ^= 1 << UInt8(generator.next() % 8)
      case 2: bytes.removeLast(bytes.count - place)
      default: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
      }
    }
    return bytes
  }

  private static func extreme(
    _ message: SyncMessage, using generator: inout SeededGenerator
  ) -> SyncMessage {
    var message = message
    let numbers: [UInt64] = [1, 2, 1 << 31, 1 << 32, (1 << 53) - 1, 1 << 53]
    let number = numbers.randomElement(using: &generator) ?? 1
    func extreme(_ points: [SyncPoint]?) -> [SyncPoint] {
      (points ?? []).map { SyncPoint(prefix: $0.prefix, sequence: number, suffix: $0.suffix) }
    }
    switch generator.next() % 7 {
    case 0:
      let heads = extreme(message.vector?.heads)
      message.vector?.heads = heads
    case 1: message.vector?.remaining = Int(UInt32.max)
    case 2:
      let targets = extreme(message.request?.targets)
      message.request?.targets = targets
    case 3: message.acknowledged = extreme(message.acknowledged)
    case 4: message.vectorFrom = Int(UInt32.max)
    case 5:
      message.locators = [
        SyncLocator(
          replica: .prefix(UInt32(truncatingIfNeeded: generator.next())), sequence: 0, suffixes: [])
      ]
    default:
      message.locators = [
        SyncLocator(
          replica: .prefix(message.acknowledged.first?.prefix ?? 1), sequence: number,
          suffixes: [1, 2])
      ].filter { $0.sequence > 2 }
    }
    return message
  }
}
