import CarillonModel
import Crypto

/// The device of a pairing that has the store's keys and gives them to the new one.
package struct PairingHolder: ~Copyable, Sendable {
  /// The second message.
  package let answer: [UInt8]
  private let commitment: [UInt8]
  private let device: DeviceKey
  private let ring: KeyRing

  /// Takes a new device's commitment.
  ///
  /// - Throws: `damaged` or `unsupported`.
  package init(_ commitment: [UInt8], sharing ring: KeyRing) throws(SealingError) {
    try self.init(
      commitment, sharing: ring, device: DeviceKey(),
      nonce: .random(count: PairingMessage.nonceCount))
  }

  init(
    _ commitment: [UInt8], sharing ring: KeyRing, device: DeviceKey, nonce: [UInt8]
  ) throws(SealingError) {
    _ = try PairingMessage.content(commitment, count: SHA256.byteCount)
    answer =
      [PairingMessage.version] + ring.store.bytes
      + PairingMessage.Share(device.publicKey, nonce: nonce).bytes
    (self.commitment, self.device, self.ring) = (commitment, device, ring)
  }

  /// Takes the new device's third message.
  ///
  /// - Throws: `refusedPairing` if it shows another key than it had fixed, `damaged` or
  ///   `unsupported`.
  package consuming func receive(_ opening: [UInt8]) throws(SealingError) -> Opened {
    let content = try PairingMessage.content(opening, count: PairingMessage.Share.byteCount)
    guard let share = PairingMessage.Share(content) else {
      throw .damaged("the new device's key is cut")
    }
    guard commitment.dropFirst().elementsEqual(share.commitment) else {
      throw SealingError(
        code: .refusedPairing, message: "the new device shows another key than it had fixed",
        hint: "start the pairing again")
    }
    let transcript = PairingMessage.transcript(commitment, answer, opening)
    return Opened(
      ring: ring, code: PairingCode(transcript: transcript),
      key: try PairingMessage.key(of: device, with: share.key, transcript: transcript))
  }

  /// The device that has the keys, when the new device's key is known but not yet confirmed.
  package struct Opened: ~Copyable, Sendable {
    private let ring: KeyRing
    private let code: PairingCode
    private let key: SymmetricKey

    fileprivate init(ring: KeyRing, code: PairingCode, key: SymmetricKey) {
      (self.ring, self.code, self.key) = (ring, code, key)
    }

    /// Takes the three words that the new device shows, and gives it the keys.
    ///
    /// - Returns: The last message, and the three words that the person types on the new device.
    /// - Throws: `refusedPairing` for other words. No key has then left this device.
    package consuming func confirm(
      _ words: PairingWords
    ) throws(SealingError) -> (sealed: [UInt8], words: [String]) {
      try confirm(words, nonce: ChaChaPoly.Nonce())
    }

    consuming func confirm(
      _ words: PairingWords, nonce: ChaChaPoly.Nonce
    ) throws(SealingError) -> (sealed: [UInt8], words: [String]) {
      try words.check(code.first)
      return (
        try ring.sealed(under: key, label: PairingMessage.ringLabel, nonce: nonce), code.last
      )
    }
  }
}
