package import CarillonModel
import Crypto
import Foundation

/// The keys of a store that a device holds, by epoch.
///
/// ```swift
/// var ring = KeyRing(store: store)
/// try ring.add(.random(of: store, number: 1))
/// let sealed = try ring.seal(payload, at: place)
/// let opened = try ring.open(sealed, at: place)
/// ```
package struct KeyRing: Sendable {
  /// The store whose keys these are.
  package let store: StoreID
  /// The keys by epoch.
  private var keys: [KeyEpoch: SealingKey] = [:]

  /// The most keys of a store: 255 revocations.
  static let maxKeys = 256

  /// Creates a ring without keys.
  package init(store: StoreID) {
    self.store = store
  }

  /// The epochs of the keys, in order.
  package var epochs: [KeyEpoch] { keys.keys.sorted() }

  /// The key of the greatest epoch; nil without keys.
  package var newest: SealingKey? { keys.keys.max().flatMap { keys[$0] } }

  /// Returns the key of an epoch, if the ring holds it.
  package subscript(epoch: KeyEpoch) -> SealingKey? { keys[epoch] }

  /// Adds a key.
  ///
  /// A key that the ring already holds changes nothing.
  ///
  /// - Throws: `otherStore`, or `invalidKeys` if the ring is full or holds another key of the same
  ///   epoch. The ring is then unchanged.
  package mutating func add(_ key: SealingKey) throws(SealingError) {
    guard key.store == store else {
      throw SealingError(
        code: .otherStore, message: "the key is of the store \(key.store), not of \(store)")
    }
    if let held = keys[key.epoch] {
      guard held.secret == key.secret else {
        throw SealingError(
          code: .invalidKeys, message: "the ring has another key of the epoch \(key.epoch)")
      }
      return
    }
    guard keys.count < Self.maxKeys else {
      throw SealingError(
        code: .invalidKeys, message: "the ring has \(keys.count) keys already, which is the limit")
    }
    keys[key.epoch] = key
  }

  /// Returns a random key of the next epoch; the ring does not hold it yet.
  package func next() -> SealingKey {
    let (number, isLast) = (newest?.epoch.number ?? 0).addingReportingOverflow(1)
    return .random(of: store, number: isLast ? .max : number)
  }
}

// MARK: - Bytes

extension KeyRing {
  private static let version: UInt8 = 1
  private static let headerCount = 1 + StoreID.byteCount
  private static let entryCount = 4 + SealingKey.byteCount

  /// The ring as bytes, which are as secret as its keys: a version, the store, and the number and
  /// the bytes of each key by ascending epoch.
  package var bytes: [UInt8] {
    [Self.version] + store.bytes
      + epochs.flatMap { epoch in epoch.number.bigEndianBytes + (keys[epoch]?.secret ?? []) }
  }

  /// Reads a ring.
  ///
  /// - Parameter store: The store that it must be of.
  /// - Throws: `unsupported`, `otherStore`, or `damaged` for bytes that ``bytes`` never has.
  package init(bytes: [UInt8], of store: StoreID) throws(SealingError) {
    self.init(store: store)
    guard bytes.first == Self.version else {
      throw bytes.isEmpty
        ? .damaged("the keys have no bytes")
        : SealingError(code: .unsupported, message: "the keys have a form of a later version")
    }
    let rest = bytes.dropFirst(Self.headerCount)
    guard bytes.count >= Self.headerCount, rest.count.isMultiple(of: Self.entryCount),
      rest.count <= Self.maxKeys * Self.entryCount
    else { throw .damaged("the keys have \(bytes.count) bytes, which no ring has") }
    guard let other = StoreID(bytes: bytes[1..<Self.headerCount]), other == store else {
      throw SealingError(code: .otherStore, message: "the keys are not those of the store \(store)")
    }
    for start in stride(from: rest.startIndex, to: rest.endIndex, by: Self.entryCount) {
      let number = rest[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let key = SealingKey(
        store: store, number: number, secret: [UInt8](rest[start + 4..<start + Self.entryCount]))
      guard newest.map({ $0.epoch < key.epoch }) ?? true else {
        throw .damaged("the keys are not in the order of their epochs")
      }
      try add(key)
    }
  }
}

// MARK: - Under a key

extension KeyRing {
  /// Seals the ring under a key that is used for nothing else.
  func sealed(
    under key: SymmetricKey, label: String, nonce: ChaChaPoly.Nonce = ChaChaPoly.Nonce()
  ) throws(SealingError) -> [UInt8] {
    do {
      let box = try ChaChaPoly.seal(
        bytes, using: key, nonce: nonce, authenticating: Array(label.utf8))
      return [Self.version] + box.combined
    } catch { throw SealingError(code: .invalidKeys, message: "the keys cannot be sealed") }
  }

  /// Opens a ring that was sealed under a key.
  init(
    sealed: [UInt8], under key: SymmetricKey, label: String, of store: StoreID
  ) throws(SealingError) {
    guard let version = sealed.first else { throw .damaged("the sealed keys have no bytes") }
    guard version == Self.version else {
      throw SealingError(code: .unsupported, message: "the keys have a form of a later version")
    }
    guard let box = try? ChaChaPoly.SealedBox(combined: sealed.dropFirst()),
      let bytes = try? ChaChaPoly.open(box, using: key, authenticating: Array(label.utf8))
    else { throw .damaged("the sealed keys were changed, or are sealed for another device") }
    try self.init(bytes: [UInt8](bytes), of: store)
  }
}
