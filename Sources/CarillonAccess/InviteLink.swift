import Carillon
package import Foundation

/// The link of an invitation: where the service is, the code that is exchanged once for a
/// credential, and the key by which the service is recognized.
///
/// `https://HOST:PORT/#invite=CODE&key=PIN`. The fragment is never sent by a browser. The pin is the
/// SHA-256 of the certificate's public key (SubjectPublicKeyInfo, DER) as base64url; it is missing
/// only for `http` on this computer.
package struct InviteLink: Hashable, Sendable {
  /// The address of the service, without a fragment.
  package let address: URL
  /// The code of the invitation.
  package let code: String
  /// The pin of the service's key; nil for `http` on this computer.
  package let key: String?

  package init(address: URL, code: String, key: String?) {
    (self.address, self.code, self.key) = (address, code, key)
  }
}
