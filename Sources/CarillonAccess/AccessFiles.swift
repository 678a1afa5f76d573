package import Carillon
import CarillonDocuments
import CarillonLog
package import CarillonModel
package import Foundation

/// Who may use the services of a store, as files in the store's directory.
///
/// The files decide: nothing is kept in memory, so that several processes agree, and a change holds
/// for the next request. Each entry is a file of its own, whose name is its ID.
package struct AccessFiles: Sendable {
  private let directory: ServiceDirectory

  /// Finds the files of a store.
  ///
  /// - Throws: `invalidValue` if others can change the directory; `readOnly`, `full`, `io`.
  package init(of store: URL) throws(StoreError) {
    directory = try ServiceDirectory(of: store)
  }

  // MARK: - Invitations

  /// Makes an invitation.
  ///
  /// - Parameters:
  ///   - seconds: How long it is valid, within ``AccessEntry/invitationSeconds``.
  ///   - keys: The keys of a sealed store for the device, as base64, which only the secret of the
  ///     link opens.
  /// - Returns: The invitation, and its code, which is kept nowhere.
  /// - Throws: `invalidValue`, `readOnly`, `full`, `io`.
  package func invite(
    _ role: AccessRole, seconds: Int64, keys: String? = nil, at now: Instant
  ) throws(StoreError) -> (invitation: AccessEntry, code: String) {
    let (invitation, code) = try AccessEntry.invitation(
      role, seconds: seconds, keys: keys, at: now)
    try removeExpired(at: now)
    try publish(try prepare(invitation), invitation)
    return (invitation, code.text)
  }

  /// Returns the invitation of a code; nil if there is none, or if it was used or has expired.
  ///
  /// - Throws: `invalidValue` if others can change its file or directory, `corrupt`, `io`.
  package func invitation(_ code: String, at now: Instant) throws(StoreError) -> AccessEntry? {
    guard let code = AccessSecret(code, byteCount: AccessSecret.invitationBytes) else { return nil }
    return try entry(.invitation, of: code, at: now)
  }

  /// Exchanges the code of an invitation for a credential, which ends the invitation.
  ///
  /// Of several exchanges at once, in any process, one succeeds. An exchange for a credential that
  /// has access already changes nothing, so that a device can repeat its own.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - name: What the device calls itself, 1 to ``AccessEntry/maxNameBytes`` bytes.
  ///   - port: The port of the service if the credential is the session of a browser.
  ///   - forReplica: Whether the device will have a replica, which a viewer has not.
  ///   - credential: The secret that the device made; nil for a new one.
  /// - Returns: The credential, and its secret, which is kept nowhere; nil if there is no such
  ///   invitation, or if it was used or has expired.
  /// - Throws: `invalidValue`, `corrupt`, `readOnly`, `full`, `io`.
  package func join(
    _ code: String, name: String, sessionAt port: Int? = nil, forReplica: Bool = false,
    credential: AccessSecret? = nil, at now: Instant
  ) throws(StoreError) -> (entry: AccessEntry, secret: String)? {
    try AccessEntry.requireName(name)
    if let credential, let known = try entry(.device, of: credential, at: now) {
      return (known, credential.text)
    }
    guard let invitation = try invitation(code, at: now) else { return nil }
    let (entry, secret) = try invitation.accepted(
      as: name, sessionAt: port, forReplica: forReplica, secret: credential, at: now)
    // What may fail for want of space comes first, since the invitation is used up then.
    let file = try prepare(entry)
    guard try remove(invitation.kind, invitation.id) else { return nil }
    try publish(file, entry)
    return (entry, secret.text)
  }

  // MARK: - Credentials

  /// Returns the entry of a secret; nil if there is none, or if it has expired.
  ///
  /// - Throws: `invalidValue` if others can change its file or directory, `corrupt`, `io`.
  package func entry(
    _ kind: AccessEntry.Kind, of secret: AccessSecret, at now: Instant
  ) throws(StoreError) -> AccessEntry? {
    guard let entry = try read(kind, AccessID(digest: secret.digestBytes)),
      entry.belongs(to: secret), entry.isValid(at: now)
    else { return nil }
    return entry
  }

  /// Whether an entry is still valid.
  ///
  /// - Throws: As ``entry(_:of:at:)``.
  package func holds(_ entry: AccessEntry, at now: Instant) throws(StoreError) -> Bool {
    try read(entry.kind, entry.id) == entry && entry.isValid(at: now)
  }

  /// All entries, by kind and time, and the files that are none.
  package struct List: Sendable {
    package var entries: [AccessEntry] = []
    /// Why a file allows nothing, with its path.
    package var damaged: [StoreError] = []

    package init(entries: [AccessEntry] = []) {
      self.entries = entries
    }
  }

  /// Lists the entries that are valid.
  ///
  /// - Throws: `invalidValue` if others can change a directory; `io`.
  package func list(at now: Instant) throws(StoreError) -> List {
    var list = try all()
    list.entries.removeAll { !$0.isValid(at: now) }
    return list
  }

  /// Removes an entry, also one whose file is damaged.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: `invalidValue` if others can change a directory; `readOnly`, `io`.
  package func revoke(_ id: AccessID) throws(StoreError) -> Bool {
    var wasThere = false
    for kind in AccessEntry.Kind.allCases where try remove(kind, id) { wasThere = true }
    return wasThere
  }

  // MARK: -

  private func path(_ kind: AccessEntry.Kind, _ id: AccessID) throws(StoreError) -> String {
    try directory.directory(kind.directory).appending(path: "\(id).json").path
  }

  private func read(_ kind: AccessEntry.Kind, _ id: AccessID) throws(StoreError) -> AccessEntry? {
    let path = try path(kind, id)
    guard let object = try AccessFile.read(path) else { return nil }
    return try AccessEntry(object, kind, id, at: path)
  }

  private func prepare(_ entry: AccessEntry) throws(StoreError) -> NewFile {
    try AccessFile.prepare(entry.file, at: try path(entry.kind, entry.id))
  }

  private func publish(_ file: NewFile, _ entry: AccessEntry) throws(StoreError) {
    do {
      try file.finish(as: try path(entry.kind, entry.id))
    } catch {
      throw StoreError(translating: error)
    }
  }

  /// Removes a file; of several calls at once, in any process, one returns true.
  private func remove(_ kind: AccessEntry.Kind, _ id: AccessID) throws(StoreError) -> Bool {
    let path = try path(kind, id)
    guard unlink(path) == 0 else {
      guard errno == ENOENT else { throw StoreError(errno: errno, "cannot remove \(path)") }
      return false
    }
    do {
      try MadeDirectories.sync(MadeDirectories.parent(of: path))
    } catch {
      throw StoreError(translating: error)
    }
    return true
  }

  private func removeExpired(at now: Instant) throws(StoreError) {
    for entry in try all().entries where !entry.isValid(at: now) {
      _ = try remove(entry.kind, entry.id)
    }
    for kind in AccessEntry.Kind.allCases {
      ServiceDirectory.removeUnfinished(in: try directory.directory(kind.directory))
    }
  }

  private func all() throws(StoreError) -> List {
    var list = List()
    for kind in AccessEntry.Kind.allCases {
      let folder = try directory.directory(kind.directory)
      var entries: [AccessEntry] = []
      for name in try ServiceDirectory.files(in: folder) {
        do throws(StoreError) {
          guard let id = AccessID(name.dropLast(".json".count)) else {
            let path = folder.appending(path: name).path
            throw AccessFile.damaged(path, "its name is not an ID of 16 hexadecimal digits")
          }
          if let entry = try read(kind, id) { entries.append(entry) }
        } catch {
          list.damaged.append(error)
        }
      }
      list.entries += entries.sorted { $0.since < $1.since }
    }
    return list
  }
}
