import CarillonModel
import CarillonTestSupport
import Crypto
import Testing

@testable import CarillonSealing

/// Payloads that are sealed for one place.
struct SealedPayloadTests {
  @Test("A payload of every length opens as it was, and its sealed form shows 64 bytes a step")
  func lengths() throws {
    var random = SeededGenerator(seed: TestSeed.value)
    let ring = try Fixtures.ring()
    let largest = SealedPayload.maxPayloadBytes
    for count in Array(1...450) + Array(16_000...largest) {
      let payload = Fixtures.bytes(count, using: &random)
      let sealed = try ring.seal(payload, at: Fixtures.place)
      #expect(try ring.open(sealed, at: Fixtures.place) == payload)
      let overhead = sealed.count < 131 ? 40 : 41
      #expect((sealed.count - overhead).isMultiple(of: 64), "\(count)")
      #expect(sealed.count - overhead - count < 66, "\(count)")
      #expect(sealed.count <= StoredEvent.maxPayloadBytes)
    }
  }

  @Test("A payload that does not fit, and one without bytes, cannot be sealed")
  func tooLarge() throws {
    let ring = try Fixtures.ring()
    for count in [0, SealedPayload.maxPayloadBytes + 1, StoredEvent.maxPayloadBytes] {
      let payload = [UInt8](repeating: 1, count: count)
      #expect(
        code { () throws(SealingError) in try ring.seal(payload, at: Fixtures.place) }
          == .payloadTooLarge)
    }
  }

  @Test("A sealed payload with any one bit changed is refused")
  func bits() throws {
    let ring = try Fixtures.ring(2)
    for count in [1, 62, 63, 200] {
      let payload = [UInt8](repeating: 0x0A, count: count)
      let sealed = try ring.seal(payload, at: Fixtures.place)
      for bit in 0..<sealed.count * 8 {
        var changed = sealed
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        let refusal = code { () throws(SealingError) in
          try ring.open(changed, at: Fixtures.place)
        }
        #expect(refusal != nil, "bit \(bit) of \(count) bytes")
      }
    }
  }

  @Test("A sealed payload that is cut or continued anywhere is refused")
  func cuts() throws {
    let ring = try Fixtures.ring()
    let sealed = try ring.seal([UInt8](repeating: 1, count: 100), at: Fixtures.place)
    let inputs = (0..<sealed.count).map { Array(sealed.prefix($0)) } + [sealed + [0]]
    for input in inputs {
      #expect(code { () throws(SealingError) in try ring.open(input, at: Fixtures.place) } != nil)
    }
  }

  @Test("A sealed payload at another place is refused")
  func places() throws {
    let (ring, place) = (try Fixtures.ring(), Fixtures.place)
    let sealed = try ring.seal([1, 2, 3], at: place)
    let moved = [
      SealedPlace(
        store: place.store, replica: ReplicaID(high: 1, low: 3), sequence: place.sequence,
        timestamp: place.timestamp),
      SealedPlace(
        store: place.store, replica: place.replica, sequence: place.sequence.next,
        timestamp: place.timestamp),
      SealedPlace(
        store: place.store, replica: place.replica, sequence: place.sequence,
        timestamp: Timestamp(rawValue: place.timestamp.rawValue + 1)),
    ]
    for place in moved {
      #expect(code { () throws(SealingError) in try ring.open(sealed, at: place) } == .damaged)
    }
  }

  @Test("A sealed payload in another store is refused, even with a key of the same bytes")
  func stores() throws {
    let ring = try Fixtures.ring()
    let sealed = try ring.seal([1, 2, 3], at: Fixtures.place)
    let place = SealedPlace(
      store: Fixtures.otherStore, replica: Fixtures.place.replica,
      sequence: Fixtures.place.sequence, timestamp: Fixtures.place.timestamp)
    #expect(code { () throws(SealingError) in try ring.open(sealed, at: place) } == .otherStore)
    var other = KeyRing(store: Fixtures.otherStore)
    try other.add(Fixtures.key(1, of: Fixtures.otherStore))
    #expect(code { () throws(SealingError) in try other.open(sealed, at: place) } == .unknownEpoch)
  }

  @Test("A sealed payload under the name of another epoch is refused")
  func epochs() throws {
    let ring = try Fixtures.ring(2)
    let sealed = try ring.seal([1, 2, 3], at: Fixtures.place)
    let start = Envelope.tag.count + 2
    var moved = sealed
    moved.replaceSubrange(start..<start + KeyEpoch.byteCount, with: Fixtures.key(1).epoch.bytes)
    #expect(
      code { () throws(SealingError) in try ring.open(moved, at: Fixtures.place) } == .damaged)
    let older = try Fixtures.ring(1)
    #expect(
      code { () throws(SealingError) in try older.open(sealed, at: Fixtures.place) }
        == .unknownEpoch)
  }

  @Test("A payload that another store's protocol wrote plainly is reported as not sealed")
  func plain() throws {
    let ring = try Fixtures.ring()
    let seeds = TestSeed.first(20)
    for seed in seeds {
      var generator = PayloadGenerator(SeededGenerator(seed: seed))
      for _ in 0..<100 {
        let payload = try generator.encode(generator.payload())
        guard !payload.starts(with: Envelope.tag) else { continue }
        #expect(
          code { () throws(SealingError) in try ring.open(payload, at: Fixtures.place) }
            == .notSealed, "seed \(seed)")
      }
    }
  }

  @Test("Nothing of a payload is in its sealed form, and two sealings of it share nothing")
  func secrecy() throws {
    let ring = try Fixtures.ring()
    for seed in TestSeed.first(20) {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 8...500, using: &random)
      let payload = Fixtures.bytes(count, using: &random)
      let (one, two) = (
        try ring.seal(payload, at: Fixtures.place), try ring.seal(payload, at: Fixtures.place)
      )
      for start in stride(from: 0, through: count - 8, by: 8) {
        let part = payload[start..<start + 8]
        #expect(!one.contains(part) && !two.contains(part), "seed \(seed)")
      }
      // After the epoch, chance alone makes bytes equal: 1 of 256.
      let equal = zip(one, two).dropFirst(13).filter { $0 == $1 }.count
      #expect(equal * 8 < one.count, "seed \(seed)")
    }
  }

  @Test("A text with another padding than zeros, or more of it, is refused by a holder of the key")
  func padding() throws {
    let ring = try Fixtures.ring()
    let key = try #require(ring.newest)
    var texts = [[UInt8]](repeating: [UInt8](repeating: 0, count: 64), count: 3)
    texts[0][1] = 3
    texts[0][63] = 1
    texts[1][1] = 63
    texts.append([0, 3, 1, 2, 3] + [UInt8](repeating: 0, count: 123))
    for text in texts {
      let sealed = try Fixtures.sealed(text: text, with: key)
      #expect(
        code { () throws(SealingError) in try ring.open(sealed, at: Fixtures.place) } == .damaged)
    }
    let right = try Fixtures.sealed(text: [0, 62] + [UInt8](repeating: 0, count: 62), with: key)
    #expect(try ring.open(right, at: Fixtures.place).count == 62)
  }
}

extension Fixtures {
  /// Seals a text as it is, as no writer does.
  static func sealed(text: [UInt8], with key: SealingKey) throws -> [UInt8] {
    let place = Fixtures.place
    let data =
      Array("carillon.sealed.v1".utf8) + key.epoch.bytes + place.store.bytes + place.replica.bytes
      + place.sequence.rawValue.bigEndianBytes + place.timestamp.rawValue.bigEndianBytes
    let box = try ChaChaPoly.seal(text, using: key.payloadKey, authenticating: data)
    return Envelope.payload(.payload, key.epoch.bytes + box.combined)
  }
}
