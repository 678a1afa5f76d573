import CarillonLog
import CarillonModel
import CarillonSealing
import CarillonTesting
import Foundation
import Testing

@testable import Carillon

/// `protocol/vectors/sealed-store.json`: the events of a sealed store with two epochs, a pairing and
/// events of somebody without keys, and what its recovery phrase reads.
///
/// `tools/python_sealed.py` compares the same file, without any of our code.
struct SealedStoreVectorTests {
  private struct Vectors: Decodable {
    struct Event: Decodable {
      var replica: String
      var sequence: UInt64
      var timestamp: String
      var previous: String
      var id: String
      var payload: String
      /// The payload that was sealed; absent if the event has no effect.
      var plain: String?
    }

    var store: String
    var phrase: String
    var epochs: [String]
    var events: [Event]
  }

  private static func read() throws -> Vectors {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "protocol/vectors/sealed-store.json")
    return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
  }

  @Test("The recovery phrase opens the events of the vectors, and nothing that others wrote")
  func opens() async throws {
    let vectors = try Self.read()
    let store = try #require(StoreID(vectors.store))
    let log = InMemoryEventLog(storeID: store, replica: .random())
    for event in vectors.events {
      let timestamp = Timestamp(rawValue: try #require(UInt64(event.timestamp)))
      let item = EventRun.Item(
        timestamp: timestamp, payload: try #require([UInt8](hexadecimal: event.payload)))
      let run = EventRun(
        replica: try #require(ReplicaID(event.replica)),
        firstSequence: SequenceNumber(rawValue: event.sequence),
        previous: try #require(EventID(event.previous)), items: [item],
        lastID: try #require(EventID(event.id)))
      _ = try await log.append(
        [run], wallClock: Instant(milliseconds: timestamp.milliseconds), erasures: nil)
    }
    var epochs = Epochs(
      ring: KeyRing(store: store), device: try RecoveryPhrase(vectors.phrase).deviceKey)
    try epochs.read(log)
    let ring = epochs.ring
    #expect(ring.epochs.map(\.bytes.hexadecimal) == vectors.epochs)
    var index = 0
    try log.scan(after: .start) { raw in
      let plain = (try? ring.opened(raw)).flatMap { Envelope.isPlain(raw.payload) ? nil : $0 }
      let expected = vectors.events[index]
      #expect(raw.id.description == expected.id)
      #expect(plain?.hexadecimal == expected.plain, "event \(index)")
      index += 1
      return true
    }
    #expect(index == vectors.events.count && index > 8)
    await log.close()
  }
}
