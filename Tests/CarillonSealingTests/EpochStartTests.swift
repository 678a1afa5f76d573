import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonSealing

/// A new key, granted to the devices that may read on.
struct EpochStartTests {
  private let phone = DeviceKey()
  private let watch = DeviceKey()
  private let lost = DeviceKey()
  private let phrase = RecoveryPhrase()

  /// The phone revokes the lost device.
  private func start(_ key: SealingKey) throws -> EpochStart {
    try EpochStart(
      of: key, by: phone,
      to: [phone.publicKey, watch.publicKey, phrase.deviceKey.publicKey],
      revoking: [lost.publicKey])
  }

  @Test("Every recipient, and the recovery phrase, opens the key; a revoked device does not")
  func recipients() throws {
    let key = try Fixtures.ring().next()
    let start = try EpochStart(try start(key).payload)
    #expect(start.epoch == key.epoch)
    #expect(start.revoked == [lost.publicKey])
    for device in [phone, watch, try phrase.deviceKey] {
      let opened = try start.key(
        for: device, of: Fixtures.store, trusting: [phone.publicKey])
      #expect(opened.secret == key.secret)
      try start.check(with: opened)
    }
    #expect(
      code { () throws(SealingError) in
        try start.key(for: lost, of: Fixtures.store, trusting: [phone.publicKey])
      } == .notGranted)
  }

  @Test("After a revocation, the revoked device reads what was sealed before and nothing after")
  func revocation() throws {
    var (ring, kept) = (try Fixtures.ring(), try Fixtures.ring())
    let before = try ring.seal([1], at: Fixtures.place)
    try ring.add(ring.next())
    let after = try ring.seal([2], at: Fixtures.place)
    #expect(try kept.open(before, at: Fixtures.place) == [1])
    #expect(
      code { () throws(SealingError) in try kept.open(after, at: Fixtures.place) }
        == .unknownEpoch)
    // A key of the same number does not help.
    try kept.add(kept.next())
    #expect(
      code { () throws(SealingError) in try kept.open(after, at: Fixtures.place) }
        == .unknownEpoch)
  }

  @Test("An epoch that an unknown device started is refused")
  func authors() throws {
    let key = try Fixtures.ring().next()
    let forged = try EpochStart(of: key, by: lost, to: [phone.publicKey, watch.publicKey])
    #expect(
      code { () throws(SealingError) in
        try forged.key(for: watch, of: Fixtures.store, trusting: [phone.publicKey])
      } == .unknownAuthor)
  }

  @Test("An epoch with one bit of any byte changed gives no key to a device")
  func bits() throws {
    let payload = try start(Fixtures.ring().next()).payload
    for bit in payload.indices.map({ $0 * 8 + $0 % 8 }) {
      var changed = payload
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(
        code { () throws(SealingError) in
          try EpochStart(changed).key(
            for: watch, of: Fixtures.store, trusting: [phone.publicKey])
        } != nil, "bit \(bit)")
    }
  }

  @Test("A service cannot add a device to an epoch, not even for one that has the key already")
  func confirmation() throws {
    let key = try Fixtures.ring().next()
    let start = try start(key)
    try start.check(with: key)
    let other = try EpochStart(
      of: .random(of: Fixtures.store, number: 2), by: phone, to: [lost.publicKey])
    #expect(code { () throws(SealingError) in try other.check(with: key) } == .damaged)
    // The last of the author's bytes, and one of the revoked device's.
    for place in [50, 250] {
      var changed = start.payload
      changed[place] ^= 1
      let read = try? EpochStart(changed)
      #expect(
        read.map { read in
          code { () throws(SealingError) in try read.check(with: key) } == .damaged
        } ?? true)
    }
    #expect(
      code { () throws(SealingError) in
        try start.key(for: watch, of: Fixtures.otherStore, trusting: [phone.publicKey])
      } == .damaged)
  }

  @Test("The largest epoch fits an event, and a larger one is refused")
  func limits() throws {
    let key = try Fixtures.ring().next()
    let devices = (0..<2 * EpochStart.maxRecipients + 1).map { _ in DeviceKey() }
    let keys = devices.map(\.publicKey)
    let recipients = Set(keys.prefix(EpochStart.maxRecipients))
    let revoked = Set(keys.dropFirst(EpochStart.maxRecipients).prefix(EpochStart.maxRevoked))
    let start = try EpochStart(of: key, by: devices[0], to: recipients, revoking: revoked)
    #expect(start.payload.count <= StoredEvent.maxPayloadBytes)
    #expect(try EpochStart(start.payload) == start)
    let refused: [(Set<DevicePublicKey>, Set<DevicePublicKey>)] = [
      ([], []), (recipients.union(keys.suffix(1)), []), (recipients, revoked.union(keys.suffix(1))),
      (recipients, [keys[0]]),
    ]
    for (recipients, revoked) in refused {
      #expect(
        code { () throws(SealingError) in
          try EpochStart(of: key, by: devices[0], to: recipients, revoking: revoked)
        } == .invalidKeys)
    }
  }

  @Test("A device's statement of its key reads back, and is no sealed payload")
  func statement() throws {
    let statement = phone.publicKey.statement
    #expect(try DevicePublicKey(statement: statement) == phone.publicKey)
    #expect(code { () throws(SealingError) in try SealedPayload(statement) } == .notSealed)
    #expect(
      code { () throws(SealingError) in try DevicePublicKey(statement: statement.dropLast()) }
        == .damaged)
  }

  @Test("A public key of few possible secrets is refused as recipient")
  func lowOrder() throws {
    let key = try Fixtures.ring().next()
    let zero = DevicePublicKey(bytes: [UInt8](repeating: 0, count: 32))
    #expect(
      code { () throws(SealingError) in try EpochStart(of: key, by: phone, to: [zero]) }
        == .damaged)
  }
}
