import CarillonModel
import Crypto
import Foundation

/// A secret that identifies who has it: random bytes as base64url.
///
/// Files have only its SHA-256.
package struct AccessSecret: Hashable, Sendable {
  /// The secret as base64url, without padding.
  package let text: String

  /// Creates a random secret.
  package init(byteCount: Int) {
    text = Data.random(count: byteCount).base64URL
  }

  /// Creates the secret of a text; nil if it cannot be one of that size.
  package init?(_ text: some StringProtocol, byteCount: Int) {
    guard text.utf8.count == Self.textLength(byteCount),
      Data(base64URL: text)?.count == byteCount
    else { return nil }
    self.text = String(text)
  }

  /// The size of the secret of a device or a session.
  package static let credentialBytes = 32
  /// The size of the code of an invitation, which has to fit a QR code.
  package static let invitationBytes = 16

  /// The number of characters of a secret.
  package static func textLength(_ byteCount: Int) -> Int { (byteCount * 8 + 5) / 6 }

  /// The SHA-256 of the secret, which is what is stored, and what takes equally long to compare for
  /// all secrets.
  package var digestBytes: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}

extension String {
  /// Whether another text is the same; takes equally long for all texts of one length.
  package func equalsInConstantTime(_ other: Substring) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The public name of a credential or an invitation: the beginning of the digest of its secret.
package struct AccessID: Hashable, Sendable, CustomStringConvertible {
  /// 16 hexadecimal digits.
  package let description: String

  private static let byteCount = 8

  /// Creates the ID of the entry whose secret has a digest.
  package init(digest: [UInt8]) {
    description = digest.prefix(Self.byteCount).hexadecimal
  }

  /// The first bytes of the digest.
  package var bytes: [UInt8] {
    stride(from: 0, to: description.utf8.count, by: 2).compactMap { offset in
      UInt8(description.dropFirst(offset).prefix(2), radix: 16)
    }
  }

  /// Creates the ID of a text; nil if it is not 16 hexadecimal digits in lower case.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 2 * Self.byteCount,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    description = String(text)
  }
}
