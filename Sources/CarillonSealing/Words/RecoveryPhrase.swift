import CarillonModel
import Crypto
import Foundation

/// 24 words that open a store after its last device is lost.
///
/// They are 256 random bits and a checksum of 8 bits. The phrase is a device that exists on paper
/// only: its ``deviceKey`` receives the key of every epoch. No device keeps the phrase.
package struct RecoveryPhrase: Hashable, Sendable {
  /// The number of words.
  package static let wordCount = 24

  private static let entropyCount = 32
  private static let label = Array("carillon.recovery.v1".utf8)

  /// The 256 bits.
  private let entropy: [UInt8]

  /// Creates a random phrase.
  package init() {
    entropy = .random(count: Self.entropyCount)
  }

  /// Creates the phrase of 32 bytes.
  init(entropy: [UInt8]) {
    self.entropy = entropy
  }

  /// Reads a phrase: 24 words in either case, separated by white space.
  ///
  /// - Throws: `malformedWords`. If a word is not in the list, the error has its index, and words
  ///   near to it in the hint. One wrong word of the list is found by the checksum in 255 of 256
  ///   cases, but not which word it is.
  package init(_ text: String) throws(SealingError) {
    let words = try Words.parse(text, count: Self.wordCount, of: "the recovery phrase")
    let bytes = Words.decode(words)
    entropy = [UInt8](bytes.prefix(Self.entropyCount))
    guard bytes.last == Self.checksum(of: entropy) else {
      throw SealingError(
        code: .malformedWords,
        message: "the words of the recovery phrase do not belong together",
        hint: "compare each word, and their order, with what was written down")
    }
  }

  /// The 24 words.
  package var words: [String] {
    Words.encode(entropy + [Self.checksum(of: entropy)], count: Self.wordCount)
  }

  /// The key to which each epoch's key is granted, so that the phrase opens them.
  package var deviceKey: DeviceKey {
    get throws(SealingError) {
      try DeviceKey(
        bytes: HKDF<SHA256>.deriveKey(
          inputKeyMaterial: SymmetricKey(data: entropy), info: Self.label,
          outputByteCount: DeviceKey.byteCount
        ).withUnsafeBytes { [UInt8]($0) })
    }
  }

  /// The first byte of a hash of the 256 bits.
  private static func checksum(of entropy: [UInt8]) -> UInt8 {
    SHA256.hash(data: label + entropy).withUnsafeBytes { $0[0] }
  }
}
