package import CarillonModel
import Crypto
import Foundation

/// A key of a store, with which payloads are sealed during one epoch.
///
/// The key itself seals nothing. Each use has a key of its own that is derived from it.
package struct SealingKey: Sendable {
  /// The store whose payloads it seals.
  package let store: StoreID
  /// The name of the key.
  package let epoch: KeyEpoch
  /// The 32 bytes of the key.
  let secret: [UInt8]
  /// The key that seals payloads.
  let payloadKey: SymmetricKey
  /// The key that confirms the start of the epoch.
  let epochKey: SymmetricKey

  static let byteCount = 32

  /// Creates a random key.
  ///
  /// - Parameters:
  ///   - store: The store whose payloads it will seal.
  ///   - number: The number of its epoch.
  package static func random(of store: StoreID, number: UInt32) -> SealingKey {
    SealingKey(store: store, number: number, secret: .random(count: byteCount))
  }

  /// Creates the key of 32 bytes.
  init(store: StoreID, number: UInt32, secret: [UInt8]) {
    func derived(_ label: String, count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: secret), salt: store.bytes,
        info: Array(label.utf8) + number.bigEndianBytes, outputByteCount: count)
    }
    (self.store, self.secret) = (store, secret)
    let check = derived("carillon.check.v1", count: 4).withUnsafeBytes {
      $0.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    epoch = KeyEpoch(number: number, check: check)
    payloadKey = derived("carillon.payload.v1", count: Self.byteCount)
    epochKey = derived("carillon.epoch.v1", count: Self.byteCount)
  }
}

extension [UInt8] {
  /// Returns random bytes of the system that nobody can guess.
  static func random(count: Int) -> [UInt8] {
    SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { [UInt8]($0) }
  }
}
