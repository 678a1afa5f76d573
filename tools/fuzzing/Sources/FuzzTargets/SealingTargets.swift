import CarillonLog
import CarillonModel
import CarillonSealing

extension FuzzTarget {
  static let sealing = FuzzTarget(
    name: "sealing", maxByteCount: 4_096, seeds: Sealing.seeds, run: Sealing.read)
}

/// Sealed payloads, keys, messages of pairings, and words, as anybody may send or type them.
private enum Sealing {
  static let store = StoreID(high: 0x1111_2222_3333_4444, low: 0x8555_6666_7777_8888)

  /// What is accepted has one form, and is written as it was read.
  static func read(_ input: UnsafeRawBufferPointer) throws {
    let bytes = [UInt8](input)
    let place = SealedPlace(
      store: store, replica: ReplicaID(high: 1, low: 2), sequence: SequenceNumber(rawValue: 7),
      timestamp: Timestamp(milliseconds: 1_795_431_600_000))
    let ring = try KeyRing(bytes: held(), of: store)
    _ = try? ring.open(bytes, at: place)
    let epoch = SealedPayload.epoch(of: input)
    if let sealed = try? SealedPayload(bytes) {
      hold(epoch == sealed.epoch, "the epoch is read without the rest")
      hold(sealed.bytes == bytes, "a sealed payload has one form")
    }
    if let event = try? PairingEvent(bytes) {
      hold(event.payload == bytes, "a message of a pairing has one form")
    }
    if let list = ErasureList(written: input) {
      hold(list.written == bytes, "an erasure list has one form")
      hold(Set(list.sequences).count == list.sequences.count, "a list names an event once")
    }
    if let start = try? EpochStart(bytes) {
      hold(start.payload == bytes, "the start of an epoch has one form")
      _ = try? start.key(for: DeviceKey(), of: store, trusting: [start.author])
      if let key = ring.newest { _ = try? start.check(with: key) }
    }
    if let key = try? DevicePublicKey(statement: bytes) {
      hold(key.statement == bytes, "a device's statement has one form")
    }
    if let read = try? KeyRing(bytes: bytes, of: store) {
      hold(read.bytes == bytes, "a ring has one form")
    }
    _ = try? InvitationSecret().open(bytes, of: store)
    learn(bytes, ring)
    pair(bytes, ring)
    readWords(bytes)
  }

  /// Takes the bytes as the start of an epoch, as devices learn of it.
  private static func learn(_ bytes: [UInt8], _ ring: KeyRing) {
    guard let start = try? EpochStart(bytes) else { return }
    for known in [ring, KeyRing(store: store)] {
      var epochs = Epochs(ring: known, device: DeviceKey())
      let before = epochs.ring.epochs
      epochs.note(start)
      hold(epochs.ring.epochs == before, "only a device that is known grants a key")
    }
  }

  /// Takes the bytes as each of the messages of a pairing.
  private static func pair(_ bytes: [UInt8], _ ring: KeyRing) {
    guard bytes.count < 100 else { return }
    _ = try? PairingJoiner().receive(bytes).words
    _ = try? PairingHolder(bytes, sharing: ring).answer
    if let holder = try? PairingHolder(PairingJoiner().commitment, sharing: ring) {
      hold((try? holder.receive(bytes)) == nil, "nobody opens another device's commitment")
    }
  }

  private static func readWords(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? PairingWords(text)
    if let phrase = try? RecoveryPhrase(text) {
      let words = phrase.words.joined(separator: " ")
      hold((try? RecoveryPhrase(words)) == phrase, "a phrase reads back equal")
      hold(
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") == words,
        "a phrase has the words that were read")
    }
  }

  // MARK: - Seeds

  private static func list(_ name: String, _ member: String) throws -> [[UInt8]] {
    try Vectors.list(name, in: "sealed.json").compactMap { $0.bytes(member) }
  }

  /// The ring of the vectors.
  private static let vectorRing = Result { try list("invitations", "ring").first ?? [] }

  private static func held() throws -> [UInt8] { try vectorRing.get() }

  static func seeds() throws -> [[UInt8]] {
    var seeds = try list("payloads", "payload").filter { $0.count < 4_096 }
    for (name, member) in [
      ("refused", "payload"), ("epochs", "payload"), ("invitations", "ring"),
      ("invitations", "sealed"),
    ] {
      seeds += try list(name, member)
    }
    for name in ["lists", "refused"] {
      seeds += try Vectors.list(name, in: "erasure-lists.json").compactMap { $0.bytes("payload") }
    }
    for pairing in try Vectors.list("pairings", in: "sealed.json") {
      guard case .array(let messages) = pairing["messages"] else { continue }
      for case .text(let message) in messages {
        if let bytes = [UInt8](hexadecimal: message) { seeds.append(bytes) }
      }
    }
    let words = try Vectors.list("recovery", in: "sealed.json").compactMap { $0.text("words") }
    return seeds + Vectors.texts(words + ["guitar guitr", "amber"])
  }
}
