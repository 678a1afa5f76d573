package import CarillonModel
import Crypto

/// The new device of a pairing, which receives the store's keys.
///
/// It sends ``commitment``, gets the other device's answer, and shows three words. Each step uses
/// up the one before it, so that a code can be tried once.
package struct PairingJoiner: ~Copyable, Sendable {
  private let device: DeviceKey
  private let share: PairingMessage.Share

  /// Starts a pairing.
  package init() {
    self.init(device: DeviceKey(), nonce: .random(count: PairingMessage.nonceCount))
  }

  init(device: DeviceKey, nonce: [UInt8]) {
    self.device = device
    share = PairingMessage.Share(device.publicKey, nonce: nonce)
  }

  /// The first message, which fixes this device's key without showing it.
  package var commitment: [UInt8] { [PairingMessage.version] + share.commitment }

  /// Takes the other device's answer.
  ///
  /// - Throws: `damaged` or `unsupported`.
  package consuming func receive(_ answer: [UInt8]) throws(SealingError) -> Answered {
    let content = try PairingMessage.content(
      answer, count: StoreID.byteCount + PairingMessage.Share.byteCount)
    guard let store = StoreID(bytes: content.prefix(StoreID.byteCount)),
      let other = PairingMessage.Share(content.dropFirst(StoreID.byteCount))
    else { throw .damaged("the other device's answer is cut") }
    let opening = [PairingMessage.version] + share.bytes
    let transcript = PairingMessage.transcript(commitment, answer, opening)
    return Answered(
      opening: opening, store: store, code: PairingCode(transcript: transcript),
      key: try PairingMessage.key(of: device, with: other.key, transcript: transcript))
  }

  /// The new device after the answer.
  package struct Answered: ~Copyable, Sendable {
    /// The third message, which shows this device's key.
    package let opening: [UInt8]
    /// The store whose keys the other device offers.
    package let store: StoreID
    /// The three words that the person types on the other device.
    package var words: [String] { code.first }
    private let code: PairingCode
    private let key: SymmetricKey

    fileprivate init(opening: [UInt8], store: StoreID, code: PairingCode, key: SymmetricKey) {
      (self.opening, self.store) = (opening, store)
      (self.code, self.key) = (code, key)
    }

    /// Takes the last message, and the three words that the other device shows.
    ///
    /// - Throws: `refusedPairing` for other words, and `damaged` for other bytes.
    package consuming func finish(
      _ sealed: [UInt8], words: PairingWords
    ) throws(SealingError) -> KeyRing {
      try words.check(code.last)
      return try KeyRing(
        sealed: sealed, under: key, label: PairingMessage.ringLabel, of: store)
    }
  }
}
