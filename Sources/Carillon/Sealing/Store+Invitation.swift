package import CarillonModel
import CarillonSealing
package import Foundation

extension Store {
  /// Returns the keys of a sealed store for a device that is invited, sealed under a new secret;
  /// nil for a plain store.
  ///
  /// A service keeps the sealed keys, and gives them to the device that presents the invitation.
  /// The secret is in the link's fragment, which no service sees.
  ///
  /// - Throws: `missingKeys`.
  package func keysForInvitation() throws(StoreError) -> (secret: [UInt8], keys: [UInt8])? {
    guard isSealed else { return nil }
    guard let ring = try ring() else { throw StoreError.missingKeys(of: id) }
    let secret = InvitationSecret()
    return (secret.bytes, try StoreError.translating { try secret.seal(ring) })
  }

  /// Keeps the keys of an invitation in the directory of a replica that is to be cloned, unless it
  /// has keys.
  ///
  /// - Returns: Whether it had none.
  /// - Throws: `corrupt` if the keys are not sealed under the secret, or are those of another
  ///   store; `readOnly`, `full`, `io`.
  package static func receive(
    _ keys: [UInt8], under secret: [UInt8], of store: StoreID, in directory: URL
  ) throws(StoreError) -> Bool {
    try StoreError.translating {
      guard let secret = InvitationSecret(bytes: secret) else {
        throw StoreError(
          code: .invalidValue, message: "the secret has \(secret.count) bytes; it has 16")
      }
      let ring = try secret.open(keys, of: store)
      guard try KeyFile.read(in: directory) == nil else { return false }
      try StoreKeys(ring, in: directory, isKept: true).save()
      return true
    }
  }

  /// Removes keys that were received for a replica that is not cloned after all.
  package static func removeReceivedKeys(in directory: URL) {
    KeyFile.remove(in: directory)
  }
}
