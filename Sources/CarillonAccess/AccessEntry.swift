import Carillon
package import CarillonDocuments
package import CarillonModel
import Crypto
import Foundation

/// What one file of access says: a device, the session of a browser, or an invitation.
package struct AccessEntry: Hashable, Sendable {
  /// What the secret of an entry is for.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Sent with each request as a bearer token.
    case device
    /// The cookie of a browser.
    case session
    /// Exchanged once for one of the others.
    case invitation

    /// The name of the directory with the entries of the kind.
    var directory: String { rawValue + "s" }
  }

  package let kind: Kind
  package let id: AccessID
  /// The name that the device gave itself; nil for an invitation.
  package let name: String?
  package let role: AccessRole
  /// When the entry was made.
  package let since: Instant
  /// When the entry ends; nil if it is valid until it is revoked.
  package let expires: Instant?
  /// The port of the service that began the session; nil for others.
  package let port: Int?
  /// The keys of a sealed store for the device that is invited, as base64; nil for others.
  package let keys: String?
  /// The SHA-256 of the secret, in hexadecimal digits.
  private let digest: String

  /// The longest name, in bytes.
  package static let maxNameBytes = 64

  init(
    _ kind: Kind, _ secret: AccessSecret, name: String? = nil, role: AccessRole, since: Instant,
    expires: Instant? = nil, port: Int? = nil, keys: String? = nil
  ) {
    self.init(
      kind, digest: secret.digestBytes, name: name, role: role, since: since, expires: expires,
      port: port, keys: keys)
  }

  /// Creates an entry that is stored elsewhere.
  ///
  /// - Parameter digest: The SHA-256 of the secret.
  package init(
    _ kind: Kind, digest: [UInt8], name: String?, role: AccessRole, since: Instant,
    expires: Instant?, port: Int? = nil, keys: String? = nil
  ) {
    (self.kind, id, self.digest) = (kind, AccessID(digest: digest), digest.hexadecimal)
    (self.name, self.role, self.since) = (name, role, since)
    (self.expires, self.port, self.keys) = (expires, port, keys)
  }

  /// Whether a secret is that of the entry; takes equally long for every secret.
  func belongs(to secret: AccessSecret) -> Bool {
    digest.equalsInConstantTime(secret.digestBytes.hexadecimal[...])
  }

  /// Whether the entry has not ended.
  package func isValid(at now: Instant) -> Bool { expires.map { now < $0 } ?? true }
}

extension AccessEntry {
  /// What people and programs see of the entry; no secret, and no digest of one.
  package var json: JSON {
    var members: [(String, JSON)] = [
      ("id", .text(id)), ("kind", .text(kind.rawValue)), ("role", .text(role.rawValue)),
      ("name", .text(name)), ("since", .text(since.rfc3339())),
    ]
    if let expires { members.append(("expires", .text(expires.rfc3339()))) }
    return .object(members.map { (key: $0.0, value: $0.1) })
  }

  /// The content of the entry's file.
  var file: JSON {
    json.merging([
      "digest": .text(digest), "port": port.map { .integer($0) } ?? .null, "keys": .text(keys),
    ])
  }

  /// Reads the content of a file.
  ///
  /// - Throws: `corrupt` if a member is missing or malformed.
  init(_ object: JSONObject, _ kind: Kind, _ id: AccessID, at path: String) throws(StoreError) {
    guard let digest = object.text("digest"), digest.utf8.count == 2 * SHA256.byteCount,
      digest.hasPrefix(id.description)
    else { throw AccessFile.damaged(path, "its digest is not that of its name") }
    guard let role = object.text("role").flatMap(AccessRole.init(rawValue:)) else {
      throw AccessFile.damaged(path, "it has no known role")
    }
    guard let since = object.text("since").flatMap(Instant.init(rfc3339:)) else {
      throw AccessFile.damaged(path, "it does not say since when it is valid")
    }
    let expires = object.text("expires").flatMap(Instant.init(rfc3339:))
    // Nothing becomes valid for ever because a member is unreadable.
    guard expires != nil || object["expires"] == nil, expires != nil || kind == .device else {
      throw AccessFile.damaged(path, "it does not say when it expires")
    }
    (self.kind, self.id, self.digest) = (kind, id, digest)
    (name, self.role, self.since) = (object.text("name"), role, since)
    self.expires = expires
    keys = object.text("keys")
    port = if case .integer(let port)? = object["port"] { Int(port) } else { nil }
  }
}
