package import CarillonModel
import Crypto
import Foundation

/// The place of an event, to which a sealed payload is bound.
package struct SealedPlace: Hashable, Sendable {
  package let store: StoreID
  package let replica: ReplicaID
  package let sequence: SequenceNumber
  package let timestamp: Timestamp

  package init(
    store: StoreID, replica: ReplicaID, sequence: SequenceNumber, timestamp: Timestamp
  ) {
    (self.store, self.replica) = (store, replica)
    (self.sequence, self.timestamp) = (sequence, timestamp)
  }
}

/// A payload that only a device with the store's key can read.
///
/// `protocol/SEALED.md` specifies the bytes: the epoch, a random nonce, and the sealed text, which
/// is the payload with its length, padded to a multiple of 64 bytes.
package struct SealedPayload: Hashable, Sendable {
  /// The epoch of the key with which it is sealed.
  package let epoch: KeyEpoch
  /// The nonce, the sealed text and its authentication tag.
  private let box: [UInt8]

  /// The sealed text has a multiple of this size.
  static let blockBytes = 64
  /// The largest payload that can be sealed.
  package static let maxPayloadBytes = 16_318

  /// Returns the number of bytes that a payload has once it is sealed.
  static func byteCount(ofPayload count: Int) -> Int {
    let text = (lengthCount + count + blockBytes - 1) / blockBytes * blockBytes
    return Envelope.payload(
      .payload, [UInt8](repeating: 0, count: KeyEpoch.byteCount + nonceCount + text + tagCount)
    ).count
  }

  private static let label = Array("carillon.sealed.v1".utf8)
  private static let nonceCount = 12
  private static let tagCount = 16
  private static let lengthCount = 2

  /// Reads a sealed payload, without opening it.
  ///
  /// - Throws: `notSealed` for a plain payload, `unsupported` or `damaged`.
  package init(_ payload: [UInt8]) throws(SealingError) {
    let envelope = try Envelope(payload)
    guard envelope.form == .payload else {
      throw SealingError(code: .notSealed, message: "the payload is a statement about keys")
    }
    let content = envelope.content
    let textCount =
      content.count - KeyEpoch.byteCount - Self.nonceCount - Self.tagCount
    guard textCount >= Self.blockBytes, textCount.isMultiple(of: Self.blockBytes),
      let epoch = KeyEpoch(bytes: content.prefix(KeyEpoch.byteCount))
    else { throw .damaged("the sealed payload has \(payload.count) bytes, which none has") }
    (self.epoch, box) = (epoch, [UInt8](content.dropFirst(KeyEpoch.byteCount)))
  }

  /// Returns the epoch of a sealed payload, without reading more; nil for any other payload.
  package static func epoch(of payload: UnsafeRawBufferPointer) -> KeyEpoch? {
    guard Envelope.form(of: payload) == .payload else { return nil }
    let content = payload.dropFirst(Envelope.formIndex(in: payload.count) + 1)
    return KeyEpoch(bytes: content.prefix(KeyEpoch.byteCount))
  }

  /// The payload as an event has it.
  package var bytes: [UInt8] { Envelope.payload(.payload, epoch.bytes + box) }

  // MARK: - Sealing and opening

  init(
    sealing payload: [UInt8], with key: SealingKey, at place: SealedPlace, nonce: ChaChaPoly.Nonce
  ) throws(SealingError) {
    guard 1...Self.maxPayloadBytes ~= payload.count else {
      throw SealingError(
        code: .payloadTooLarge,
        message: "the payload has \(payload.count) bytes; "
          + "1 to \(Self.maxPayloadBytes) can be sealed")
    }
    let count = Self.lengthCount + payload.count
    let padding = (Self.blockBytes - count % Self.blockBytes) % Self.blockBytes
    let text =
      UInt16(payload.count).bigEndianBytes + payload + [UInt8](repeating: 0, count: padding)
    do {
      let box = try ChaChaPoly.seal(
        text, using: key.payloadKey, nonce: nonce,
        authenticating: Self.additionalData(key.epoch, place))
      (epoch, self.box) = (key.epoch, [UInt8](box.combined))
    } catch { throw SealingError(code: .invalidKeys, message: "the payload cannot be sealed") }
  }

  fileprivate func open(with key: SealingKey, at place: SealedPlace) throws(SealingError) -> [UInt8]
  {
    guard let box = try? ChaChaPoly.SealedBox(combined: box),
      let text = try? ChaChaPoly.open(
        box, using: key.payloadKey, authenticating: Self.additionalData(epoch, place))
    else {
      throw .damaged(
        "the payload was changed, or belongs to another event than "
          + "\(place.sequence.rawValue) of \(place.replica)")
    }
    let bytes = [UInt8](text)
    let count = Int(bytes[0]) << 8 | Int(bytes[1])
    let end = Self.lengthCount + count
    guard count > 0, end <= bytes.count, bytes.count - end < Self.blockBytes,
      bytes[end...].allSatisfy({ $0 == 0 })
    else { throw .damaged("the sealed payload is padded as none is") }
    return [UInt8](bytes[Self.lengthCount..<end])
  }

  private static func additionalData(_ epoch: KeyEpoch, _ place: SealedPlace) -> [UInt8] {
    label + epoch.bytes + place.store.bytes + place.replica.bytes
      + place.sequence.rawValue.bigEndianBytes + place.timestamp.rawValue.bigEndianBytes
  }
}

extension KeyRing {
  /// Seals a payload, for one place only.
  ///
  /// A log assigns the sequence and the timestamp in the transaction that appends, so a payload is
  /// sealed there. Sealing it again for another place is safe: each call takes a random nonce.
  ///
  /// - Parameter epoch: The epoch whose key seals; the newest by default.
  /// - Throws: `payloadTooLarge`, `otherStore`, or `invalidKeys` without the key.
  package func seal(
    _ payload: [UInt8], at place: SealedPlace, with epoch: KeyEpoch? = nil
  ) throws(SealingError) -> [UInt8] {
    try checkStore(of: place)
    guard let key = epoch.map({ self[$0] }) ?? newest else {
      throw SealingError(code: .invalidKeys, message: "there is no key of the store \(store)")
    }
    return try SealedPayload(
      sealing: payload, with: key, at: place, nonce: ChaChaPoly.Nonce()
    ).bytes
  }

  /// Opens a sealed payload.
  ///
  /// - Throws: `notSealed`, `unsupported`, `otherStore`, `unknownEpoch` or `damaged`.
  package func open(_ payload: [UInt8], at place: SealedPlace) throws(SealingError) -> [UInt8] {
    try checkStore(of: place)
    let sealed = try SealedPayload(payload)
    guard let key = self[sealed.epoch] else {
      throw SealingError(
        code: .unknownEpoch,
        message: "the payload is sealed with the key \(sealed.epoch) of the store \(store), "
          + "which this device does not have")
    }
    return try sealed.open(with: key, at: place)
  }

  private func checkStore(of place: SealedPlace) throws(SealingError) {
    guard place.store == store else {
      throw SealingError(
        code: .otherStore, message: "the keys are of the store \(store), not of \(place.store)")
    }
  }
}
