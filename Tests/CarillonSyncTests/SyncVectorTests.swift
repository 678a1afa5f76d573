import CarillonModel
import CarillonSync
import CarillonTesting
import CarillonWire
import Foundation
import Testing

/// `protocol/vectors/sync.json`: whole transcripts, which any implementation can replay.
///
/// With `CARILLON_WRITE_VECTORS` in the environment the file is written instead of compared.
struct SyncVectorTests {
  @Test("The transcripts are those of the vectors, message by message")
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
      #expect(expected.leader == produced.leader, "\(expected.name)")
      #expect(expected.answerer == produced.answerer, "\(expected.name)")
      #expect(
        expected.messages.map(\.stored) == produced.messages.map(\.stored), "\(expected.name)")
    }
  }

  @Test("What travels in the vectors inflates to what they say is in it")
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
    /// The events of each side before the sync.
    var leader: [Written]
    var answerer: [Written]
    var messages: [Message]
  }

  struct Written: Codable, Equatable {
    var replica: String
    var sequence: UInt64
    var timestamp: UInt64
    var payload: String
    var id: String
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
    for (name, make) in scenarios {
      var fixture = SyncFixture(seed: 1)
      let (leader, answerer) = try await make(&fixture)
      let before = (written(leader), written(answerer))
      var simulation = try fixture.simulation(leader, answerer)
      // A refusal is a transcript too.
      do { _ = try await simulation.run() } catch is SyncError {}
      let messages = try simulation.transcript.map { message in
        Message(
          from: message.toAnswerer ? "leader" : "answerer", bytes: message.bytes.hexadecimal,
          stored: try stored(message.bytes).hexadecimal)
      }
      transcripts.append(
        Transcript(name: name, leader: before.0, answerer: before.1, messages: messages))
    }
    return Vectors(
      about: [
        "Transcripts of sync, see protocol/SYNC.md. All bytes are hexadecimal.",
        "bytes: the message as it was sent; what deflate makes differs between its versions.",
        "stored: the same message with its events inflated, in the field events; compare this.",
      ],
      store: SyncFixture.store.description, transcripts: transcripts)
  }

  private static func written(_ log: CopyableLog) -> [Written] {
    log.saved.order.map { place in
      let event = log.saved.events[place.branch][place.index]
      return Written(
        replica: event.replica.description, sequence: event.sequence.rawValue,
        timestamp: event.timestamp.rawValue, payload: event.payload.hexadecimal,
        id: event.id.description)
    }
  }

  /// The message with its events as they are; `Equal` is no protobuf and stays.
  private static func stored(_ bytes: [UInt8]) throws -> [UInt8] {
    guard bytes.count != 4 else { return bytes }
    var message = try SyncMessage(bytes: bytes)
    if case .deflated(let deflated) = message.events {
      message.events = .stored(try #require(Deflate.inflated(deflated, limit: 480_000)))
    }
    return message.encoded()
  }

  // MARK: - Scenarios

  private typealias Scenario =
    @Sendable (inout SyncFixture) async throws -> (CopyableLog, CopyableLog)

  private static let scenarios: [(String, Scenario)] = [
    ("nothing to do, two heads", { try await shared(&$0, replicas: 2) }),
    ("nothing to do, three heads", { try await shared(&$0, replicas: 3) }),
    ("news on both sides", news),
    ("news on both sides, three heads", manyHeads),
    ("a cold answerer", cold),
    ("a fork", fork),
    ("another store", otherStore),
  ]

  private static func text(_ generator: inout SeededGenerator) -> [UInt8] {
    Array("event \(generator.next() % 100)".utf8)
  }

  /// A store in which some replicas wrote two events each, held by two logs.
  private static func shared(
    _ fixture: inout SyncFixture, replicas: Int
  ) async throws -> (CopyableLog, CopyableLog) {
    let logs = (0..<replicas).map { _ in fixture.log() }
    for log in logs { try fixture.write(2, to: log, payload: text) }
    for log in logs + logs { _ = try await fixture.synchronize(logs[0], log) }
    return (logs[0], logs[1])
  }

  private static func news(
    _ fixture: inout SyncFixture
  ) async throws -> (CopyableLog, CopyableLog) {
    let (left, right) = try await shared(&fixture, replicas: 2)
    try fixture.write(3, to: left, payload: text)
    try fixture.write(2, to: right, payload: text)
    return (left, right)
  }

  private static func manyHeads(
    _ fixture: inout SyncFixture
  ) async throws -> (CopyableLog, CopyableLog) {
    let (left, right) = try await shared(&fixture, replicas: 3)
    try fixture.write(1, to: left, payload: text)
    try fixture.write(1, to: right, payload: text)
    return (left, right)
  }

  private static func cold(
    _ fixture: inout SyncFixture
  ) async throws -> (CopyableLog, CopyableLog) {
    let log = fixture.log()
    try fixture.write(4, to: log, payload: text)
    return (log, fixture.log())
  }

  private static func fork(
    _ fixture: inout SyncFixture
  ) async throws -> (CopyableLog, CopyableLog) {
    let left = fixture.log()
    try fixture.write(12, to: left, payload: text)
    let right = fixture.copy(left)
    try fixture.write(2, to: left, payload: text)
    try fixture.write(3, to: right, payload: text)
    // Both write under other names by now, so that none is taken on the way.
    left.rename(to: ReplicaID(high: 0xAAAA_AAAA_0000_0000, low: 1))
    right.rename(to: ReplicaID(high: 0xBBBB_BBBB_0000_0000, low: 1))
    return (left, right)
  }

  private static func otherStore(
    _ fixture: inout SyncFixture
  ) async throws -> (CopyableLog, CopyableLog) {
    let left = fixture.log()
    try fixture.write(1, to: left, payload: text)
    return (
      left,
      CopyableLog(
        store: StoreID(high: 0x0F0E_0D0C_0B0A_0908, low: 7), replica: ReplicaID(high: 1, low: 1))
    )
  }
}
