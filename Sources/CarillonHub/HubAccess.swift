#if Service
package import CarillonModel

/// A device with access to a person's log, or an invitation of one.
///
/// The database stores all members as they are, and compares only the person, the kind, the digest
/// and the ID.
package struct HubAccess: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Sends its secret with each request.
    case device
    /// Is exchanged once for a device.
    case invitation
  }

  /// The first 8 bytes of the digest, by which people name an entry.
  package typealias ID = [UInt8]

  package let person: StoreID
  package let kind: Kind
  /// The SHA-256 of the secret, 32 bytes.
  ///
  /// The secret itself is stored nowhere.
  package let digest: [UInt8]
  /// The kind of device, such as `watch`.
  package let role: String
  /// The name that the device gave itself; nil for an invitation.
  package let name: String?
  /// When the entry was made.
  package let since: Instant
  /// When the entry ends; nil if it is valid until it is revoked.
  package let expires: Instant?
  /// The keys of a sealed store that an invitation has for the device, as base64; nil for others.
  package let keys: String?

  package static let idByteCount = 8
  /// The maximum number of invitations of a person that have not expired.
  package static let maxInvitations = 32

  package init(
    _ kind: Kind, of person: StoreID, digest: [UInt8], role: String, name: String?, since: Instant,
    expires: Instant?, keys: String? = nil
  ) {
    precondition(digest.count == 32, "a digest has 32 bytes")
    (self.person, self.kind, self.digest) = (person, kind, digest)
    (self.role, self.name, self.since, self.expires) = (role, name, since, expires)
    self.keys = keys
  }

  package var id: ID { Array(digest.prefix(Self.idByteCount)) }
}
#endif
