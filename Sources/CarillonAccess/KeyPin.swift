import Crypto
package import Foundation

/// The pin of a key: the SHA-256 of a certificate's public key as base64url.
///
/// It remains when the certificate is renewed with the same key.
package enum KeyPin {
  static let byteCount = 32
  static let textLength = 43

  /// Returns the pin of a public key.
  ///
  /// - Parameter info: The SubjectPublicKeyInfo of the certificate, in DER.
  package static func text(ofPublicKey info: some DataProtocol) -> String {
    Data(SHA256.hash(data: info)).base64URL
  }
}
