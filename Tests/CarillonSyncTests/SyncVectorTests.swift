import CarillonLog
import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Foundation
import Testing

/// `protocol/vectors/sync.json`: complete transcripts that any implementation can replay.
///
/// If `CARILLON_WRITE_VECTORS` is set in the environment, the file is written instead of compared.
struct SyncVectorTests {
  @Test("The transcripts match the vectors, message by message")
  func transcripts() async throws {
    let file = Self.file
    let produced = try await Self.vectors()
    if ProcessInfo.processInfo.environment["CARILLON_WRITE_VECTORS"] != nil {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try (encoder.encode(produced) + Data("\n".utf8)).write(to: file)
    }
    let expected = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    #expect(expected.transcripts.map(\.name) == produced.transcripts.map(\.name))
    for (expected, produced) in zip(expected.transcripts, produced.transcripts) {
      #expect(expected.responderStore == produced.responderStore, "\(expected.name)")
      #expect(expected.initiator == produced.initiator, "\(expected.name)")
      #expect(expected.responder == produced.responder, "\(expected.name)")
      #expect(expected.staysDamaged == produced.staysDamaged, "\(expected.name)")
      #expect(
        expected.messages.map(\.stored) == produced.messages.map(\.stored), "\(expected.name)")
    }
  }

  @Test("The compressed messages of the vectors inflate to their stored form")
  func deflated() throws {
    let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: Self.file))
    for message in vectors.transcripts.flatMap(\.messages) {
      let bytes = try #require([UInt8](hexadecimal: message.bytes))
      #expect(try Self.stored(bytes).hexadecimal == message.stored)
    }
  }

  // MARK: - The file

  struct Vectors: Codable, Equatable {
    var about: [String]
    var store: String
    var transcripts: [Transcript]
  }

  struct Transcript: Codable, Equatable {
    var name: String
    /// The responder's store, if it differs from the initiator's.
    var responderStore: String?
    /// The events of each side before the sync.
    var initiator: [Written]
    var responder: [Written]
    var messages: [Message]
    /// Whether an event is still damaged or missing at the end.
    var staysDamaged: Bool?
  }

  struct Written: Codable, Equatable {
    var replica: String
    var sequence: UInt64
    var timestamp: UInt64
    /// Nil if the payload was erased or is missing; an erased event has `digest` and `erasure`.
    var payload: String?
    var digest: String?
    var erasure: String?
    var id: String
    /// Whether the content does not hash to the ID.
    var damaged: Bool?
  }

  struct Message: Codable, Equatable {
    var from: String
    var bytes: String
    var stored: String
  }

  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "protocol/vectors/sync.json")

  private static func vectors() async throws -> Vectors {
    var transcripts: [Transcript] = []
    for (name, options, make) in scenarios {
      var fixture = SyncFixture(seed: 1)
      let (initiator, responder) = try await make(&fixture)
      let before = (try written(initiator), try written(responder))
      var simulation = try SyncSimulation(
        initiator: initiator, responder: responder, wallClock: Instant(milliseconds: fixture.clock),
        seed: fixture.generator.next(), options: (options, SyncOptions()),
        contents: (
          contents(initiator, isOther: name == otherStates), contents(responder, isOther: false)
        ))
      // A refusal is a transcript too.
      do { _ = try await simulation.run() } catch is SyncError {}
      let messages = try simulation.transcript.map { message in
        Message(
          from: message.toResponder ? "initiator" : "responder", bytes: message.bytes.hexadecimal,
          stored: try stored(message.bytes).hexadecimal)
      }
      let isOther = initiator.storeID != responder.storeID
      transcripts.append(
        Transcript(
          name: name, responderStore: isOther ? responder.storeID.description : nil,
          initiator: before.0, responder: before.1, messages: messages,
          staysDamaged: try damage(in: initiator) || damage(in: responder) ? true : nil))
    }
    return Vectors(
      about: [
        "Transcripts of sync, see protocol/SYNC.md. All bytes are hexadecimal.",
        "bytes: the message as it was sent; what deflate makes differs between its versions.",
        "stored: the same message with its events inflated, in the field events; compare this.",
      ],
      store: SyncFixture.store.description, transcripts: transcripts)
  }

  private static let otherStates = "an audit of equal logs with different states"

  /// The known contents of a log: its payloads are unreadable, so its state is that of an empty
  /// log, or another state, as of damaged tables.
  private static func contents(_ log: InMemoryEventLog, isOther: Bool) -> SyncContents {
    let text = isOther ? String(emptyState.reversed()) : emptyState
    return SyncContents(
      unconfirmed: log.contents.unconfirmed, erasures: log.contents.erasures,
      stateDigest: { StateDigest(text) })
  }

  /// The state digest of an empty log, as in `protocol/vectors/state.json`.
  private static let emptyState =
    "fe8d5474b1d038a1d32c5a5202fac373732e66d5d22e57a4f164a22bf0354359"

  private static func damage(in log: InMemoryEventLog) throws -> Bool {
    try !log.damagedEvents().isEmpty
  }

  private static func written(_ log: InMemoryEventLog) throws -> [Written] {
    let damaged = Set(try log.damagedEvents().map(\.position.rawValue))
    return log.saved.order.enumerated().map { index, place in
      let event = log.saved.events[place.branch][place.index]
      return Written(
        replica: event.replica.description, sequence: event.sequence.rawValue,
        timestamp: event.timestamp.rawValue,
        payload: event.payload.isEmpty ? nil : event.payload.hexadecimal,
        digest: event.redacted?.digest.bytes.hexadecimal,
        erasure: event.redacted?.erasure.description, id: event.id.description,
        damaged: damaged.contains(UInt64(index) + 1) ? true : nil)
    }
  }

  /// The message with uncompressed events.
  private static func stored(_ bytes: [UInt8]) throws -> [UInt8] {
    var message = try SyncMessage(bytes: bytes)
    if case .deflated(let deflated) = message.events {
      message.events = .stored(try #require(Deflate.inflated(deflated, limit: 480_000)))
    }
    return message.encoded()
  }

  // MARK: - Scenarios

  private typealias Scenario =
    @Sendable (inout SyncFixture) async throws -> (InMemoryEventLog, InMemoryEventLog)

  private static let scenarios: [(String, SyncOptions, Scenario)] = [
    ("nothing to do, two heads", SyncOptions(), { try await shared(&$0, replicas: 2) }),
    ("nothing to do, three heads", SyncOptions(), { try await shared(&$0, replicas: 3) }),
    ("news on both sides", SyncOptions(), news),
    ("news on both sides, three heads", SyncOptions(), manyHeads),
    ("a cold responder", SyncOptions(), cold),
    ("a fork", SyncOptions(), fork),
    ("another store", SyncOptions(), otherStore),
    ("an audit, nothing to do", audit, { try await shared(&$0, replicas: 2) }),
    ("an audit that repairs both sides", audit, damaged),
    ("events whose payload was erased", SyncOptions(), erased),
    ("payloads that are wanted", SyncOptions(), wanted),
    ("a damaged event", SyncOptions(), damagedEvent),
    ("a missing event", SyncOptions(), missingEvent),
    (otherStates, audit, { try await shared(&$0, replicas: 2) }),
    ("another version", versions(1...3), news),
    ("identifiers that both know", SyncOptions(), identifiers),
    ("identifiers, version 1", versions(1...1), identifiers),
    ("an unknown dictionary", SyncOptions(), unknownDictionary),
  ]

  private static let audit = SyncOptions(audits: true)

  private static func versions(_ versions: ClosedRange<UInt32>) -> SyncOptions {
    var options = SyncOptions()
    options.versions = versions
    return options
  }

  /// Events that mention habits: three that both sides know, and a new one on each side.
  private static func identifiers(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, right) = (fixture.log(), fixture.log())
    let habits = (0..<5).map { _ in HabitID.random(using: &fixture.generator) }
    func mention(_ places: [Int], in log: InMemoryEventLog) throws {
      for place in places {
        let entry = EntryRecorded(habit: habits[place], date: CivilDate(rawValue: 20_400))
        let payload = try PayloadCoding.encode(.entryRecorded(entry))
        try fixture.write(1, to: log) { _ in payload }
      }
    }
    try mention([0, 1, 2, 0, 1, 2], in: left)
    try mention([1], in: right)
    for _ in 0..<2 { _ = try await fixture.synchronize(left, right) }
    try mention([0, 1, 2, 3, 3], in: left)
    try mention([4, 2, 1, 0, 4], in: right)
    return (left, right)
  }

  /// The same, but one of the initiator's events that both hold is damaged.
  private static func unknownDictionary(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, right) = try await identifiers(&fixture)
    try left.damagePayload(0, 0)
    return (left, right)
  }

  private static func damaged(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, right) = try await shared(&fixture, replicas: 2)
    try fixture.write(3, to: left, payload: text)
    _ = try await fixture.synchronize(left, right)
    try left.damagePayload(0, 2)
    try right.damagePayload(1, 1)
    return (left, right)
  }

  /// The responder's third event is damaged; the initiator holds none of its events.
  private static func damagedEvent(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let log = fixture.log()
    try fixture.write(5, to: log, payload: text)
    try log.damagePayload(0, 2)
    return (fixture.log(), log)
  }

  /// The initiator holds only the ID of the second event.
  private static func missingEvent(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, right) = try await shared(&fixture, replicas: 2)
    left.forgetContent(0, 1)
    return (left, right)
  }

  /// The responder's third and fourth event were erased by its fifth.
  private static func erased(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, right) = try await shared(&fixture, replicas: 2)
    try fixture.write(2, to: right, payload: text)
    let erasure = try PayloadCoding.encode(.dataErased(Erasure(.habit(HabitID(high: 1, low: 2)))))
    try fixture.write(1, to: right) { _ in erasure }
    let (branches, replica) = (right.saved.branches, right.saved.identity.replica)
    let own = try #require(branches.first { $0.replica == replica })
    let erased = try (3...4).map { sequence in
      try #require(
        try right.position(on: own.index, at: SequenceNumber(rawValue: UInt64(sequence))))
    }
    _ = try await right.erase(erased.map { ErasedPayload(position: $0, erasure: own.headID) })
    return (left, right)
  }

  /// The initiator's second event is redacted, and neither side holds its erasing event.
  private static func wanted(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, right) = try await shared(&fixture, replicas: 2)
    let erasure = EventID(words: (1 << 62, 1, 2, 3))
    _ = try await left.erase([ErasedPayload(position: LogPosition(rawValue: 2), erasure: erasure)])
    return (left, right)
  }

  private static func text(_ generator: inout SeededGenerator) -> [UInt8] {
    Array("event \(generator.next() % 100)".utf8)
  }

  /// Two logs that hold the same events, two from each replica.
  private static func shared(
    _ fixture: inout SyncFixture, replicas: Int
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let logs = (0..<replicas).map { _ in fixture.log() }
    for log in logs { try fixture.write(2, to: log, payload: text) }
    for log in logs + logs { _ = try await fixture.synchronize(logs[0], log) }
    return (logs[0], logs[1])
  }

  private static func news(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, right) = try await shared(&fixture, replicas: 2)
    try fixture.write(3, to: left, payload: text)
    try fixture.write(2, to: right, payload: text)
    return (left, right)
  }

  private static func manyHeads(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let (left, right) = try await shared(&fixture, replicas: 3)
    try fixture.write(1, to: left, payload: text)
    try fixture.write(1, to: right, payload: text)
    return (left, right)
  }

  private static func cold(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let log = fixture.log()
    try fixture.write(4, to: log, payload: text)
    return (log, fixture.log())
  }

  private static func fork(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let left = fixture.log()
    try fixture.write(12, to: left, payload: text)
    let right = fixture.copy(left)
    try fixture.write(2, to: left, payload: text)
    try fixture.write(3, to: right, payload: text)
    // Both already write under other ReplicaIDs, so neither takes a new one during the sync.
    left.rename(to: ReplicaID(high: 0xAAAA_AAAA_0000_0000, low: 1))
    right.rename(to: ReplicaID(high: 0xBBBB_BBBB_0000_0000, low: 1))
    return (left, right)
  }

  private static func otherStore(
    _ fixture: inout SyncFixture
  ) async throws -> (InMemoryEventLog, InMemoryEventLog) {
    let left = fixture.log()
    try fixture.write(1, to: left, payload: text)
    return (
      left,
      SyncFixture.log(
        store: StoreID(high: 0x0F0E_0D0C_0B0A_0908, low: 7), replica: ReplicaID(high: 1, low: 1))
    )
  }
}
