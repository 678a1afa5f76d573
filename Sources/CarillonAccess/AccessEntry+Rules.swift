package import Carillon
package import CarillonDocuments
package import CarillonModel
import Foundation

/// The rules of invitations, wherever entries are stored.
extension AccessEntry {
  /// How long an invitation may be valid, in seconds.
  package static let invitationSeconds: ClosedRange<Int64> = 1...(7 * 86_400)
  /// How long an invitation is valid if nothing else is given, in seconds.
  package static let usualInvitationSeconds: Int64 = 15 * 60
  /// Reads how long an invitation is valid, in seconds.
  ///
  /// - Parameters:
  ///   - text: A duration; nil for ``usualInvitationSeconds``.
  ///   - option: The name of the option that has the text.
  /// - Throws: A usage error.
  package static func seconds<Failure: ProgramFailure>(
    _ text: String?, of option: String, or failure: Failure.Type
  ) throws(Failure) -> Int64 {
    guard let text else { return usualInvitationSeconds }
    let range = Int(invitationSeconds.lowerBound)...Int(invitationSeconds.upperBound)
    return Int64(
      try UnitText.read(text, for: option, in: range, such: "15m", or: failure).seconds)
  }

  /// The longest keys of an invitation: 256 keys, sealed, as base64.
  package static let maxKeyBytes = 12_352
  /// How long a session is valid, in seconds.
  package static let sessionSeconds: Int64 = 400 * 86_400

  /// Makes an invitation.
  ///
  /// - Parameters:
  ///   - seconds: How long it is valid, within ``invitationSeconds``.
  ///   - keys: The keys of a sealed store for the device, as base64, which only the secret of the
  ///     link opens.
  /// - Returns: The invitation, and its code.
  /// - Throws: `invalidValue`.
  package static func invitation(
    _ role: AccessRole, seconds: Int64, keys: String? = nil, at now: Instant
  ) throws(StoreError) -> (invitation: AccessEntry, code: AccessSecret) {
    guard invitationSeconds.contains(seconds) else {
      throw StoreError(
        code: .invalidValue,
        message: "an invitation cannot be valid for \(seconds) seconds; "
          + "\(invitationSeconds.lowerBound) second to 7 days is allowed")
    }
    guard keys.map({ $0.utf8.count <= maxKeyBytes }) ?? true else {
      throw StoreError(
        code: .invalidValue,
        message: "the keys of an invitation have more than \(maxKeyBytes) bytes")
    }
    guard keys.map({ Data(base64Encoded: $0) != nil }) ?? true else {
      throw StoreError(
        code: .invalidValue, message: "the keys of an invitation are not base64")
    }
    let code = AccessSecret(byteCount: AccessSecret.invitationBytes)
    let invitation = AccessEntry(
      .invitation, code, role: role, since: now,
      expires: Instant(milliseconds: now.milliseconds + seconds * 1_000), keys: keys)
    return (invitation, code)
  }

  /// Requires that a device may call itself by a name: 1 to ``maxNameBytes`` bytes.
  ///
  /// - Throws: `invalidValue`.
  package static func requireName(_ name: String) throws(StoreError) {
    guard (1...maxNameBytes).contains(name.utf8.count),
      !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
      name.isVisible
    else {
      throw StoreError(
        code: .invalidValue,
        message: "the name has \(name.utf8.count) bytes, a control character, or no visible "
          + "character; 1 to \(maxNameBytes) bytes without control characters are allowed, and "
          + "not only blanks")
    }
  }

  /// Makes the credential that an invitation is exchanged for.
  ///
  /// - Parameters:
  ///   - name: What the device calls itself.
  ///   - port: The port of the service if the credential is the session of a browser.
  ///   - forReplica: Whether the device will have a replica, which a viewer has not.
  ///   - secret: The secret that the device made; nil for a new one.
  /// - Returns: The credential, and its secret.
  /// - Throws: `invalidValue`.
  package func accepted(
    as name: String, sessionAt port: Int? = nil, forReplica: Bool, secret: AccessSecret? = nil,
    at now: Instant
  ) throws(StoreError) -> (entry: AccessEntry, secret: AccessSecret) {
    guard !forReplica || role.device != nil else {
      throw StoreError(
        code: .invalidValue,
        message: "the invitation is for a \(role.rawValue), which has no replica",
        hint: "open its link in a browser, or ask for the invitation of a device")
    }
    let secret = secret ?? AccessSecret(byteCount: AccessSecret.credentialBytes)
    let end = Instant(milliseconds: now.milliseconds + Self.sessionSeconds * 1_000)
    let entry = AccessEntry(
      port == nil ? .device : .session, secret, name: name, role: role, since: now,
      expires: port == nil ? nil : end, port: port)
    return (entry, secret)
  }
}
