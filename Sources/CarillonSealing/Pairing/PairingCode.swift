import CarillonModel
import Crypto

/// The six words of a pairing, which both devices compute from the keys that they exchanged.
///
/// The new device shows the first three, which the person types on the other one. The other device
/// shows the last three, which the person types on the new one.
struct PairingCode {
  /// The words that the new device shows.
  let first: [String]
  /// The words that the other device shows.
  let last: [String]

  static let halfCount = 3
  private static let label = Array("carillon.pairing.code.v1".utf8)

  init(transcript: [UInt8]) {
    let bits = [UInt8](SHA256.hash(data: Self.label + transcript))
    let words = Words.encode(bits, count: 2 * Self.halfCount)
    (first, last) = ([String](words.prefix(Self.halfCount)), words.suffix(Self.halfCount))
  }
}

/// Three words that a person typed.
package struct PairingWords: Hashable, Sendable {
  /// The words.
  package let words: [String]

  /// Reads three words in either case, separated by white space.
  ///
  /// - Throws: `malformedWords`. A word that is not in the list does not end the pairing, so the
  ///   person can correct it.
  package init(_ text: String) throws(SealingError) {
    words = try Words.parse(text, count: PairingCode.halfCount, of: "the code")
  }

  /// Compares with the words that the other device must have shown.
  ///
  /// - Throws: `refusedPairing`.
  func check(_ expected: [String]) throws(SealingError) {
    guard words == expected else {
      throw SealingError(
        code: .refusedPairing,
        message: "the words are not those of this pairing: somebody may be between the devices",
        hint: "start the pairing again")
    }
  }
}
