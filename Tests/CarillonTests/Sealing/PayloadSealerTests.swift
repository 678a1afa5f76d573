import Carillon
import CarillonLog
import CarillonModel
import CarillonSealing
import CarillonTesting
import Testing

/// The sealing of payloads inside the transaction that writes them.
struct PayloadSealerTests {
  @Test("A transaction that is repeated seals its payloads again, with other nonces")
  func nonces() async throws {
    let sealer = RecordingSealer()
    let log = InMemoryEventLog(storeID: .random(), replica: .random())
    log.handle.rules.sealer = sealer
    let now = ManualClock("2026-11-23T08:00:00Z").now
    let payload = NewEvent(payload: [1, 2, 3])
    await #expect(throws: (any Error).self) {
      _ = try await log.record(
        wallClock: now, deciding: { [payload, payload] }, noting: { _ in throw CancellationError() }
      )
    }
    _ = try await log.record([payload, payload], wallClock: now, expecting: nil)
    let sealed = sealer.sealed
    #expect(sealed.count == 4 && Set(sealed.map(\.nonce)).count == 4)
    // The same places, since the first transaction left none.
    #expect(sealed[0].place == sealed[2].place && sealed[1].place == sealed[3].place)
    await log.close()
  }
}

/// Seals with a key of its own, and keeps what it returned.
private final class RecordingSealer: PayloadSealer {
  struct Sealed: Hashable {
    let place: SequenceNumber
    let nonce: [UInt8]
  }

  private let kept = Locked<[Sealed]>([])

  var sealed: [Sealed] { kept.value }

  func seal(
    _ payloads: [(bytes: [UInt8], timestamp: Timestamp)], of replica: ReplicaID,
    from sequence: SequenceNumber
  ) throws -> [[UInt8]] {
    var ring = KeyRing(store: .random())
    try ring.add(ring.next())
    return try payloads.enumerated().map { index, payload in
      let place = SequenceNumber(rawValue: sequence.rawValue + UInt64(index))
      let bytes = try ring.seal(
        payload.bytes,
        at: SealedPlace(
          store: ring.store, replica: replica, sequence: place, timestamp: payload.timestamp))
      kept.set(kept.value + [Sealed(place: place, nonce: Array(bytes[12..<24]))])
      return bytes
    }
  }
}
