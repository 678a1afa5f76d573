import CarillonModel
import CarillonSealing
import Testing

/// What devices learn of a store's epochs, in whatever order the log tells them.
@Suite struct EpochsTests {
  private static let store = StoreID(high: 1, low: 2)

  /// A store with a phone and a recovery phrase, and the start of its first epoch.
  private struct Bench {
    let phrase: DeviceKey
    let first: EpochStart
    var phone: Epochs

    init() throws {
      let device = DeviceKey()
      phrase = try RecoveryPhrase().deviceKey
      var ring = KeyRing(store: EpochsTests.store)
      let key = ring.next()
      try ring.add(key)
      first = try EpochStart(of: key, by: phrase, to: [phrase.publicKey, device.publicKey])
      phone = Epochs(ring: ring, device: device)
      phone.note(first)
    }

    /// A device that was invited, and that the others know of.
    mutating func invite(_ others: inout [Epochs]) throws -> Epochs {
      var device = Epochs(ring: phone.ring, device: DeviceKey())
      device.note(first)
      let epoch = try #require(phone.writing)
      let replica = ReplicaID.random()
      device.note(device.device.publicKey, of: replica, under: epoch)
      phone.note(device.device.publicKey, of: replica, under: epoch)
      for index in others.indices {
        others[index].note(device.device.publicKey, of: replica, under: epoch)
        device.note(others[index].device.publicKey, of: .random(), under: epoch)
      }
      return device
    }
  }

  @Test(
    "A device that was invited writes with the same key, and is a member once it stated its own")
  func invited() throws {
    var bench = try Bench()
    var device = Epochs(ring: bench.phone.ring, device: DeviceKey())
    #expect(device.writing == bench.phone.writing && !device.isMember)
    device.note(bench.first)
    #expect(!device.isMember)
    let epoch = try #require(device.writing)
    device.note(device.device.publicKey, of: .random(), under: epoch)
    #expect(device.isMember && bench.phone.isMember)
    bench.phone.note(device.device.publicKey, of: .random(), under: epoch)
    #expect(bench.phone.readers.count == 3)
  }

  @Test("A revoked device gets no key of the next epoch, and all others do, also the phrase")
  func revoked() throws {
    var bench = try Bench()
    var none: [Epochs] = []
    var lost = try bench.invite(&none)
    var others = [lost]
    var watch = try bench.invite(&others)
    let (start, key) = try bench.phone.start(revoking: [lost.device.publicKey])
    bench.phone.note(start)
    watch.note(start)
    lost.note(start)
    #expect(watch.writing == key.epoch && watch.ring[key.epoch] != nil)
    #expect(lost.ring[key.epoch] == nil && lost.isLeftOut && !watch.isLeftOut)
    #expect(watch.revoked == [lost.device.publicKey])
    var paper = Epochs(ring: KeyRing(store: Self.store), device: bench.phrase)
    paper.note(bench.first)
    paper.note(start)
    #expect(paper.ring.epochs == [try #require(bench.phone.ring.epochs.first), key.epoch])
    #expect(!watch.readers.contains(lost.device.publicKey))
  }

  @Test("A start that arrives before the one that makes its author a member is accepted afterwards")
  func anyOrder() throws {
    var bench = try Bench()
    let (second, key) = try bench.phone.start()
    bench.phone.note(second)
    let (third, last) = try bench.phone.start()
    var late = Epochs(ring: KeyRing(store: Self.store), device: bench.phrase)
    for start in [third, second, bench.first] { late.note(start) }
    #expect(late.ring.epochs.count == 3 && late.ring[key.epoch] != nil)
    #expect(late.writing == last.epoch)
  }

  @Test("A start by somebody who is no member neither grants a key nor counts")
  func forged() throws {
    var bench = try Bench()
    let before = bench.phone.writing
    let stranger = DeviceKey()
    let own = KeyRing(store: Self.store)
    var ring = own
    try ring.add(SealingKey.random(of: Self.store, number: 1))
    let forged = try EpochStart(
      of: ring.next(), by: stranger,
      to: [stranger.publicKey, bench.phone.device.publicKey, bench.phrase.publicKey])
    bench.phone.note(forged)
    #expect(bench.phone.writing == before && bench.phone.ring.epochs.count == 1)
    var paper = Epochs(ring: own, device: bench.phrase)
    paper.note(forged)
    paper.note(bench.first)
    #expect(paper.ring.epochs == bench.phone.ring.epochs)
  }

  @Test("Two devices that revoke two others at the same time end with an epoch without either")
  func concurrent() throws {
    var bench = try Bench()
    var others: [Epochs] = []
    var watch = try bench.invite(&others)
    others = [watch]
    let first = try bench.invite(&others)
    others = [others[0], first]
    let second = try bench.invite(&others)
    watch = others[0]
    // The watch and the phone know of both.
    let (one, _) = try bench.phone.start(revoking: [first.device.publicKey])
    let (two, _) = try watch.start(revoking: [second.device.publicKey])
    for start in [one, two] {
      bench.phone.note(start)
    }
    for start in [two, one] {
      watch.note(start)
    }
    #expect(bench.phone.writing == nil && watch.writing == nil)
    var author = bench.phone
    let (start, key) = try author.start()
    author.note(start)
    bench.phone.note(start)
    watch.note(start)
    #expect(bench.phone.writing == key.epoch && watch.writing == key.epoch)
    let revoked: Set = [first.device.publicKey, second.device.publicKey]
    #expect(revoked.isDisjoint(with: Set(start.recipients)))
  }
}
