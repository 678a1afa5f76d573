import CarillonModel
import Crypto
import Foundation

/// The key pair of a device, which receives the keys of epochs (X25519).
package struct DeviceKey: Sendable {
  let privateKey: Curve25519.KeyAgreement.PrivateKey

  static let byteCount = 32

  /// Creates a random key pair.
  package init() {
    privateKey = Curve25519.KeyAgreement.PrivateKey()
  }

  /// Reads the 32 bytes of a private key.
  ///
  /// - Throws: `damaged` for another count.
  package init(bytes: [UInt8]) throws(SealingError) {
    do {
      privateKey = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
    } catch { throw .damaged("a device's key has \(bytes.count) bytes; it has 32") }
  }

  /// The 32 bytes of the private key, which are secret.
  package var bytes: [UInt8] { [UInt8](privateKey.rawRepresentation) }

  /// What other devices know of it.
  package var publicKey: DevicePublicKey {
    DevicePublicKey(bytes: [UInt8](privateKey.publicKey.rawRepresentation))
  }
}

/// The public key of a device.
package struct DevicePublicKey: Hashable, Sendable {
  /// 32 bytes.
  package let bytes: [UInt8]

  /// Reads 32 bytes.
  ///
  /// - Throws: `damaged` for another count.
  package init(_ bytes: some Collection<UInt8>) throws(SealingError) {
    guard bytes.count == DeviceKey.byteCount else {
      throw .damaged("a device's public key has \(bytes.count) bytes; it has 32")
    }
    self.init(bytes: [UInt8](bytes))
  }

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The key in the form in which it is used.
  ///
  /// - Throws: `damaged` for a point of low order, with which every shared secret is zero (RFC 7748
  ///   section 6.1). The library does not check this.
  func curveKey() throws(SealingError) -> Curve25519.KeyAgreement.PublicKey {
    let any = [UInt8](repeating: 0x40, count: DeviceKey.byteCount)
    guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes),
      let probe = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: any),
      let secret = try? probe.sharedSecretFromKeyAgreement(with: key),
      secret.withUnsafeBytes({ $0.contains { $0 != 0 } })
    else { throw .damaged("a device's public key is none") }
    return key
  }
}

// MARK: - The statement

extension DevicePublicKey {
  /// The payload by which a device states its public key, to be sealed like any other payload.
  package var statement: [UInt8] { Envelope.payload(.deviceKey, bytes) }

  /// The number of bytes of such a payload once it is sealed.
  package static let sealedStatementBytes = SealedPayload.byteCount(
    ofPayload: Envelope.payload(
      .deviceKey, [UInt8](repeating: 0, count: DeviceKey.byteCount)
    ).count)

  /// Reads the statement of a device, from an opened payload.
  ///
  /// - Throws: `notSealed` for any other payload, or as the parts do.
  package init(statement payload: [UInt8]) throws(SealingError) {
    let envelope = try Envelope(payload)
    guard envelope.form == .deviceKey else {
      throw SealingError(code: .notSealed, message: "the payload does not state a device's key")
    }
    try self.init(envelope.content)
  }
}

extension DevicePublicKey: Comparable {
  /// Compares byte by byte.
  package static func < (left: Self, right: Self) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
