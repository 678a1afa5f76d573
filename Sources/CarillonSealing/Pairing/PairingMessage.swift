import CarillonModel
import Crypto
import Foundation

/// What both devices of a pairing send and derive.
enum PairingMessage {
  static let version: UInt8 = 1
  static let nonceCount = 32
  /// The label under which the keys of the store are sealed.
  static let ringLabel = "carillon.pairing.ring.v1"

  /// A device's public key and its nonce.
  struct Share: Hashable {
    let key: DevicePublicKey
    let nonce: [UInt8]

    static let byteCount = DeviceKey.byteCount + nonceCount
    private static let label = Array("carillon.pairing.commitment.v1".utf8)

    init(_ key: DevicePublicKey, nonce: [UInt8]) {
      (self.key, self.nonce) = (key, nonce)
    }

    /// Reads a share; nil for another count of bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
      guard bytes.count == Self.byteCount,
        let key = try? DevicePublicKey(bytes.prefix(DeviceKey.byteCount))
      else { return nil }
      self.init(key, nonce: [UInt8](bytes.suffix(nonceCount)))
    }

    var bytes: [UInt8] { key.bytes + nonce }

    /// What fixes the share without showing it.
    var commitment: [UInt8] { [UInt8](SHA256.hash(data: Self.label + bytes)) }
  }

  /// Returns the content of a message of a size.
  static func content(
    _ message: [UInt8], count: Int
  ) throws(SealingError) -> ArraySlice<UInt8> {
    guard let first = message.first, first == version else {
      throw message.isEmpty
        ? .damaged("a message of the pairing is empty")
        : SealingError(code: .unsupported, message: "the other device pairs in a later version")
    }
    guard message.count == 1 + count else {
      throw .damaged("a message of the pairing has \(message.count) bytes; it has \(1 + count)")
    }
    return message.dropFirst()
  }

  private static let label = Array("carillon.pairing.v1".utf8)
  private static let keyLabel = Array("carillon.pairing.key.v1".utf8)

  /// Returns the hash of all messages before the sealed one.
  static func transcript(_ messages: [UInt8]...) -> [UInt8] {
    [UInt8](SHA256.hash(data: label + messages.joined()))
  }

  /// Returns the key that only the two devices have.
  static func key(
    of device: DeviceKey, with other: DevicePublicKey, transcript: [UInt8]
  ) throws(SealingError) -> SymmetricKey {
    let publicKey = try other.curveKey()
    guard let secret = try? device.privateKey.sharedSecretFromKeyAgreement(with: publicKey) else {
      throw .damaged("the other device's public key is none")
    }
    return secret.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: transcript, sharedInfo: keyLabel,
      outputByteCount: SealingKey.byteCount)
  }
}
