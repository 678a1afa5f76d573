import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonSealing

/// Keys by epoch, and how they reach a device by an invitation.
struct KeyRingTests {
  @Test("A ring reads back from its bytes, whatever the order in which keys were added")
  func bytes() throws {
    for count in [0, 1, 2, 40] {
      let ring = try Fixtures.ring(count)
      var reversed = KeyRing(store: Fixtures.store)
      for epoch in ring.epochs.reversed() { try reversed.add(#require(ring[epoch])) }
      #expect(reversed.bytes == ring.bytes)
      let read = try KeyRing(bytes: ring.bytes, of: Fixtures.store)
      #expect(read.epochs == ring.epochs)
      #expect(read.bytes == ring.bytes)
    }
  }

  @Test("A ring of another store, of another form, cut, or out of order is refused")
  func refused() throws {
    let bytes = try Fixtures.ring(3).bytes
    func refusal(_ bytes: [UInt8], _ store: StoreID = Fixtures.store) -> SealingErrorCode? {
      code { () throws(SealingError) in try KeyRing(bytes: bytes, of: store) }
    }
    #expect(refusal(bytes, Fixtures.otherStore) == .otherStore)
    #expect(refusal([2] + bytes.dropFirst()) == .unsupported)
    #expect(refusal([]) == .damaged)
    #expect(refusal(bytes.dropLast()) == .damaged)
    #expect(refusal(Array(bytes.prefix(17)) + bytes.suffix(36) + bytes[17..<89]) == .damaged)
    #expect(refusal(bytes + bytes.suffix(36)) == .damaged)
  }

  @Test("A new key seals what follows, and everything before it still opens")
  func epochs() throws {
    var ring = try Fixtures.ring()
    let before = try ring.seal([1, 2, 3], at: Fixtures.place)
    let next = ring.next()
    #expect(next.epoch.number == 2)
    try ring.add(next)
    let after = try ring.seal([4, 5, 6], at: Fixtures.place)
    #expect(try SealedPayload(after).epoch == next.epoch)
    #expect(try ring.open(before, at: Fixtures.place) == [1, 2, 3])
    #expect(try ring.open(after, at: Fixtures.place) == [4, 5, 6])
  }

  @Test("Two keys of one number, from devices that did not know each other, both open")
  func concurrent() throws {
    let ring = try Fixtures.ring()
    var (left, right) = (ring, ring)
    try left.add(ring.next())
    try right.add(ring.next())
    let sealed = [
      try left.seal([1], at: Fixtures.place), try right.seal([2], at: Fixtures.place),
    ]
    for epoch in right.epochs { try left.add(#require(right[epoch])) }
    for epoch in left.epochs { try right.add(#require(left[epoch])) }
    #expect(left.newest?.epoch == right.newest?.epoch)
    for ring in [left, right] {
      #expect(try sealed.map { try ring.open($0, at: Fixtures.place) } == [[1], [2]])
    }
  }

  @Test("A ring takes no key of another store, and no key over its limit")
  func limits() throws {
    var ring = try Fixtures.ring()
    let other = Fixtures.key(2, of: Fixtures.otherStore)
    #expect(code { () throws(SealingError) in try ring.add(other) } == .otherStore)
    while ring.epochs.count < KeyRing.maxKeys { try ring.add(ring.next()) }
    let last = ring.next()
    #expect(code { () throws(SealingError) in try ring.add(last) } == .invalidKeys)
    #expect(try KeyRing(bytes: ring.bytes, of: Fixtures.store).epochs == ring.epochs)
  }

  @Test("Without a key nothing is sealed, which is an error and not a plain payload")
  func empty() {
    let ring = KeyRing(store: Fixtures.store)
    #expect(
      code { () throws(SealingError) in try ring.seal([1], at: Fixtures.place) } == .invalidKeys)
  }

  @Test("The keys of an invitation open with its secret only, and only in their store")
  func invitation() throws {
    let (ring, secret) = (try Fixtures.ring(3), InvitationSecret())
    let sealed = try secret.seal(ring)
    #expect(try secret.open(sealed, of: Fixtures.store).bytes == ring.bytes)
    let other = InvitationSecret()
    for (secret, store) in [(other, Fixtures.store), (secret, Fixtures.otherStore)] {
      #expect(
        code { () throws(SealingError) in try secret.open(sealed, of: store) } == .damaged)
    }
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(
        code { () throws(SealingError) in try secret.open(changed, of: Fixtures.store) } != nil)
    }
    #expect(!sealed.contains([UInt8](repeating: 0x41, count: 8)))
  }
}
