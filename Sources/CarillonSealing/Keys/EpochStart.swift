package import CarillonModel
import Crypto
import Foundation

/// The start of an epoch: a new key, granted to each device that may read on.
///
/// A device that revokes another one starts an epoch and grants its key to all others. The payload
/// is not sealed, since the recovery phrase reads it without any other key.
package struct EpochStart: Hashable, Sendable {
  /// The epoch that it starts.
  package let epoch: KeyEpoch
  /// The device that started it.
  package let author: DevicePublicKey
  /// The devices that receive the key, in ascending order.
  package var recipients: [DevicePublicKey] { grants.map(\.recipient) }
  /// The devices that this epoch revokes, in ascending order.
  package let revoked: [DevicePublicKey]
  private let grants: [Grant]
  /// Confirms all of it to everybody who has the key.
  private let confirmation: [UInt8]

  /// The key as one device receives it, by HPKE (RFC 9180).
  private struct Grant: Hashable {
    let recipient: DevicePublicKey
    /// HPKE's encapsulated key (32 bytes) and the sealed key (48).
    let sealed: [UInt8]

    static let byteCount = DeviceKey.byteCount + sealedCount
    static let sealedCount = EpochStart.encapsulatedCount + SealingKey.byteCount + 16
  }

  /// The most devices that one epoch grants its key to, the recovery phrase included.
  package static let maxRecipients = 100
  /// The most devices that one epoch revokes.
  package static let maxRevoked = 100

  private static let label = Array("carillon.grant.v1".utf8)
  private static let suite = HPKE.Ciphersuite(
    kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .chaChaPoly)
  private static let encapsulatedCount = 32
  private static let confirmationCount = 32

  // MARK: - Starting and opening

  /// Starts the epoch of a key.
  ///
  /// - Parameters:
  ///   - key: The new key.
  ///   - author: The device that starts it.
  ///   - recipients: The devices that may read on, with the author and the recovery phrase.
  ///   - revoked: The devices that may not.
  /// - Throws: `invalidKeys` for no or too many recipients, for too many revoked devices, and for a
  ///   revoked recipient; `damaged` for a public key that is none.
  package init(
    of key: SealingKey, by author: DeviceKey, to recipients: Set<DevicePublicKey>,
    revoking revoked: Set<DevicePublicKey> = []
  ) throws(SealingError) {
    guard 1...Self.maxRecipients ~= recipients.count, revoked.count <= Self.maxRevoked,
      recipients.isDisjoint(with: revoked)
    else {
      throw SealingError(
        code: .invalidKeys,
        message: "an epoch for \(recipients.count) devices that revokes \(revoked.count) cannot "
          + "start; 1 to \(Self.maxRecipients) others, and at most \(Self.maxRevoked), are allowed")
    }
    let (sorted, out) = (recipients.sorted(), revoked.sorted())
    let header = Self.header(key.epoch, author.publicKey, sorted, out)
    var grants: [Grant] = []
    for recipient in sorted {
      let publicKey = try recipient.curveKey()
      do {
        var sender = try HPKE.Sender(
          recipientKey: publicKey, ciphersuite: Self.suite, info: Data(Self.info(key.store)),
          authenticatedBy: author.privateKey)
        let sealed = try sender.seal(key.secret, authenticating: header)
        grants.append(
          Grant(recipient: recipient, sealed: [UInt8](sender.encapsulatedKey + sealed)))
      } catch {
        throw SealingError(code: .invalidKeys, message: "the key cannot be granted to a device")
      }
    }
    (epoch, self.author, self.grants) = (key.epoch, author.publicKey, grants)
    self.revoked = out
    confirmation = Self.confirmation(of: header, grants, with: key)
  }

  /// Opens the key that was granted to a device.
  ///
  /// - Parameters:
  ///   - device: This device, or the recovery phrase.
  ///   - store: The store of the epoch.
  ///   - authors: The devices that may start it, by what this device knows.
  /// - Throws: `unknownAuthor`, `notGranted` or `damaged`.
  package func key(
    for device: DeviceKey, of store: StoreID, trusting authors: Set<DevicePublicKey>
  ) throws(SealingError) -> SealingKey {
    guard authors.contains(author) else {
      throw SealingError(
        code: .unknownAuthor,
        message: "the epoch \(epoch) was started by a device that may not start one")
    }
    guard let grant = grants.first(where: { $0.recipient == device.publicKey }) else {
      throw SealingError(
        code: .notGranted, message: "the epoch \(epoch) has no key for this device")
    }
    let senderKey = try author.curveKey()
    let encapsulated = try DevicePublicKey(grant.sealed.prefix(Self.encapsulatedCount))
    _ = try encapsulated.curveKey()
    guard
      var recipient = try? HPKE.Recipient(
        privateKey: device.privateKey, ciphersuite: Self.suite, info: Data(Self.info(store)),
        encapsulatedKey: Data(encapsulated.bytes),
        authenticatedBy: senderKey),
      let secret = try? recipient.open(
        grant.sealed.dropFirst(Self.encapsulatedCount), authenticating: header)
    else { throw .damaged("the key of the epoch \(epoch) was not granted by its author") }
    let key = SealingKey(store: store, number: epoch.number, secret: [UInt8](secret))
    try check(with: key)
    return key
  }

  /// Checks that a holder of the key wrote all of this, for a device that has the key already.
  ///
  /// - Throws: `damaged`.
  package func check(with key: SealingKey) throws(SealingError) {
    guard key.epoch == epoch, confirmation == Self.confirmation(of: header, grants, with: key)
    else { throw .damaged("the epoch \(epoch) was changed, or is one of another store") }
  }

  private static func info(_ store: StoreID) -> [UInt8] { label + store.bytes }

  private static func confirmation(
    of header: [UInt8], _ grants: [Grant], with key: SealingKey
  ) -> [UInt8] {
    Array(
      HMAC<SHA256>.authenticationCode(
        for: header + grants.flatMap(\.sealed), using: key.epochKey))
  }
}

// MARK: - Bytes

extension EpochStart {
  private static let fixedCount = KeyEpoch.byteCount + DeviceKey.byteCount + 2

  /// The payload of the event.
  package var payload: [UInt8] {
    Envelope.payload(.epochStart, header + grants.flatMap(\.sealed) + confirmation)
  }

  private var header: [UInt8] { Self.header(epoch, author, recipients, revoked) }

  private static func header(
    _ epoch: KeyEpoch, _ author: DevicePublicKey, _ recipients: [DevicePublicKey],
    _ revoked: [DevicePublicKey]
  ) -> [UInt8] {
    epoch.bytes + author.bytes + [UInt8(recipients.count), UInt8(revoked.count)]
      + (recipients + revoked).flatMap(\.bytes)
  }

  /// Reads a payload, without checking that its author wrote it.
  ///
  /// - Throws: `notSealed` for any other payload, `unsupported` or `damaged`.
  package init(_ payload: [UInt8]) throws(SealingError) {
    let envelope = try Envelope(payload)
    guard envelope.form == .epochStart else {
      throw SealingError(code: .notSealed, message: "the payload does not start an epoch")
    }
    var rest = envelope.content
    func next(_ count: Int) -> ArraySlice<UInt8> {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    guard rest.count >= Self.fixedCount, let epoch = KeyEpoch(bytes: next(KeyEpoch.byteCount))
    else { throw .damaged("the start of an epoch is cut") }
    author = try DevicePublicKey(next(DeviceKey.byteCount))
    let counts = next(2).map(Int.init)
    guard 1...Self.maxRecipients ~= counts[0], counts[1] <= Self.maxRevoked,
      rest.count == counts[0] * Grant.byteCount + counts[1] * DeviceKey.byteCount
        + Self.confirmationCount
    else { throw .damaged("the start of the epoch \(epoch) does not have the devices it states") }
    let recipients = try Self.keys(next(counts[0] * DeviceKey.byteCount))
    revoked = try Self.keys(next(counts[1] * DeviceKey.byteCount))
    grants = recipients.map { Grant(recipient: $0, sealed: [UInt8](next(Grant.sealedCount))) }
    confirmation = [UInt8](rest)
    self.epoch = epoch
  }

  /// Reads public keys in ascending order.
  private static func keys(_ bytes: ArraySlice<UInt8>) throws(SealingError) -> [DevicePublicKey] {
    var keys: [DevicePublicKey] = []
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: DeviceKey.byteCount) {
      let key = try DevicePublicKey(bytes[start..<start + DeviceKey.byteCount])
      guard keys.last.map({ $0 < key }) ?? true else {
        throw .damaged("the devices of an epoch are not in order")
      }
      keys.append(key)
    }
    return keys
  }
}
