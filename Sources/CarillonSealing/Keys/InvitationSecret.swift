package import CarillonModel
import Crypto
import Foundation

/// A secret in the fragment of an invitation's link, under which the service keeps the store's keys
/// until the invitation is used.
///
/// The service never sees the fragment, so it cannot open what it keeps.
package struct InvitationSecret: Hashable, Sendable {
  /// The 16 bytes, which a link has as base64url.
  package let bytes: [UInt8]

  private static let label = "carillon.invitation.v1"
  static let byteCount = 16

  /// Creates a random secret.
  package init() {
    bytes = .random(count: Self.byteCount)
  }

  /// Creates the secret of 16 bytes; nil for another count.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Seals the keys of a store for the device that gets the link.
  package func seal(_ ring: KeyRing) throws(SealingError) -> [UInt8] {
    try ring.sealed(under: key(of: ring.store), label: Self.label)
  }

  /// Seals with a given nonce, for vectors.
  func seal(_ ring: KeyRing, nonce: ChaChaPoly.Nonce) throws(SealingError) -> [UInt8] {
    try ring.sealed(under: key(of: ring.store), label: Self.label, nonce: nonce)
  }

  /// Opens the keys of a store.
  ///
  /// - Throws: `damaged` for bytes that were not sealed under this secret, and as
  ///   ``KeyRing/init(bytes:of:)``.
  package func open(_ sealed: [UInt8], of store: StoreID) throws(SealingError) -> KeyRing {
    try KeyRing(sealed: sealed, under: key(of: store), label: Self.label, of: store)
  }

  private func key(of store: StoreID) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes), salt: store.bytes,
      info: Array(Self.label.utf8), outputByteCount: SealingKey.byteCount)
  }
}
