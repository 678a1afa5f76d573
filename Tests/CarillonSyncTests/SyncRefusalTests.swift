import CarillonLog
import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Testing

struct SyncRefusalTests {
  @Test("Another store is refused with its ID, and no event is exchanged")
  func otherStore() async throws {
    var fixture = SyncFixture(seed: 1)
    let left = fixture.log()
    let right = SyncFixture.log(
      store: StoreID(high: 7, low: 7), replica: .random(using: &fixture.generator))
    try fixture.write(5, to: left)
    try fixture.write(5, to: right)
    let error = await #expect(throws: SyncError.self) {
      _ = try await fixture.synchronize(left, right)
    }
    #expect(error?.code == .otherStore)
    #expect(error?.message.contains("00000000-0000-0007") == true)
    #expect(left.eventCount == 5 && right.eventCount == 5)
  }

  @Test("A future version is refused with the greatest supported version")
  func version() throws {
    var question = try hello()
    question.version = 9
    let refusal = try #require(try ask(question.encoded()).refusals.first)
    #expect(refusal.code == .version)
    #expect(refusal.number == 9)
    #expect(refusal.limit == 2)
  }

  @Test(
    "A four-byte refusal without text or numbers ends a sync",
    arguments: [(UInt8(8), SyncError.Code.malformed), (9, .notInvited), (10, .revoked)])
  func fewBytes(number: UInt8, code: SyncError.Code) async throws {
    var fixture = SyncFixture(seed: 6)
    let log = fixture.log()
    try fixture.write(1, to: log)
    let initiator = SyncSimulation.leading(log, wallClock: Instant(milliseconds: fixture.clock))
    let error = await #expect(throws: SyncError.self) {
      try await initiator.run(answers: 1) { [0x6A, 2, 8, number] }
    }
    #expect(error?.code == code)
  }

  @Test("A message above the limit is refused unread, with its size and the limit")
  func tooLarge() throws {
    let refusal = try #require(try ask(Array(repeating: 1, count: 60_001)).refusals.first)
    #expect(refusal.code == .messageTooLarge)
    #expect(refusal.number == 60_001)
    #expect(refusal.limit == 60_000)
  }

  @Test("Bytes that inflate to more than eight times the message limit are refused")
  func bomb() throws {
    var question = try hello()
    question.vector = nil
    question.number = 1
    question.events = .deflated(
      try #require(Deflate.deflated(Array(repeating: 0, count: 10_000_000), level: 9)))
    #expect(try ask(question.encoded()).refusals.map(\.code) == [.malformed])
  }

  @Test("A log with more heads than a vector holds can neither initiate nor answer a sync")
  func tooManyHeads() throws {
    let branches = (0..<2_049).map { index in
      Branch(
        index: BranchIndex(rawValue: UInt32(index)),
        replica: ReplicaID(high: UInt64(index) << 32, low: 1), parent: nil,
        headSequence: .first, headID: EventID(words: (UInt64(index), 0, 0, 1)))
    }
    let log = LogSnapshot(branches: branches, identity: Self.log.identity)
    var initiator = SyncInitiator(store: SyncFixture.store, log: log, options: SyncOptions())
    let error = #expect(throws: SyncError.self) { _ = try initiator.handle(.start) }
    #expect(error?.code == .tooManyHeads)
    let refusal = try #require(try ask(try hello().encoded(), of: log).refusals.first)
    #expect(refusal.code == .tooManyHeads)
    #expect(refusal.number == 2_049 && refusal.limit == 2_048)
  }

  @Test("A refused run is named, and the other runs of the message are accepted")
  func corruptRun() async throws {
    var fixture = SyncFixture(seed: 2)
    let (left, right, other) = (fixture.log(), fixture.log(), fixture.log())
    try fixture.write(4, to: left)
    try fixture.write(4, to: other)
    let good = run(of: left)
    var bad = run(of: other)
    bad.lastSuffix ^= 1
    var late = run(of: other)
    late.milliseconds[2] = 1 << 60
    var question = try hello()
    question.vector = nil
    question.number = 1
    question.events = .stored(SyncRun.encode([bad, good, late]))
    let (_, answered) = try await SyncDriver.answers(
      to: question.encoded(), of: fixture.copy(right),
      wallClock: Instant(milliseconds: fixture.clock), options: SyncOptions())
    #expect(answered.refused.count == 2 && !answered.isComplete, "\(answered)")
    let answer = try await answer(to: question, of: right, clock: fixture.clock)
    #expect(answer.refusals.map(\.code) == [.corruptRun, .clock])
    #expect(answer.refusals.map(\.run) == [0, 2])
    #expect(answer.acknowledged == [good.end])
    #expect(right.eventCount == 4)
  }

  @Test("A run that follows no held event is answered with a locator")
  func locator() async throws {
    var fixture = SyncFixture(seed: 3)
    let left = fixture.log()
    try fixture.write(100, to: left)
    let right = fixture.copy(left)
    try fixture.write(10, to: left)
    let replica = left.saved.identity.replica
    let events = left.saved.events[0]
    var run = SyncRun(
      replica: .prefix(replica.prefix), firstSequence: 106, previousSuffix: events[104].id.suffix)
    run.milliseconds = [1]
    run.counters = [0]
    run.lengths = [1]
    run.payloads = [1]
    var question = try hello()
    question.vector = nil
    question.number = 1
    question.events = .stored(SyncRun.encode([run]))
    let answer = try await answer(to: question, of: right, clock: fixture.clock)
    let places: [UInt64] = [100, 99, 97, 93, 85, 69, 37]
    #expect(answer.locators.count == 1)
    #expect(answer.locators.first?.sequences == places)
    #expect(answer.locators.first?.suffixes == places.map { events[Int($0) - 1].id.suffix })
  }

  // MARK: - Messages by hand

  private static let log = LogSnapshot(
    branches: [],
    identity: ReplicaIdentity(
      replica: ReplicaID(high: 1, low: 1), predecessor: nil, isAnnounced: true))

  private func hello() throws -> SyncMessage {
    var message = SyncMessage()
    message.version = 1
    message.store = SyncFixture.store.high
    message.vector = SyncMessage.Vector(heads: [SyncPoint(prefix: 1, sequence: 1, suffix: 1)])
    return message
  }

  private func ask(_ bytes: [UInt8], of log: LogSnapshot = Self.log) throws -> SyncMessage {
    var responder = SyncResponder(store: SyncFixture.store, log: log, options: SyncOptions())
    guard case .send(let bytes)? = try responder.handle(.message(bytes)).last else {
      throw SyncError(code: .malformed, message: "no answer")
    }
    return try SyncMessage(bytes: bytes)
  }

  private func answer(
    to question: SyncMessage, of log: InMemoryEventLog, clock: Int64
  ) async throws -> SyncMessage {
    let bytes = try await SyncSimulation.answer(
      to: question.encoded(), of: log, wallClock: Instant(milliseconds: clock))
    return try SyncMessage(bytes: bytes)
  }

  /// All events of a log's own replica as one run.
  private func run(of log: InMemoryEventLog) -> SyncRun {
    var run = OutgoingRun(
      branch: BranchIndex(rawValue: 0), reference: .full(log.saved.identity.replica),
      firstSequence: 1, previous: nil)
    for event in log.saved.events[0] {
      event.payload.withUnsafeBytes { run.append(id: event.id, payload: $0) }
    }
    return run.run
  }
}
