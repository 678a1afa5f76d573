package import Carillon
package import Foundation

/// The link of an invitation: where the service is, the code that is exchanged once for a
/// credential, and the key by which the service is recognized.
///
/// `https://HOST:PORT/#invite=CODE&key=PIN`. The fragment is never sent by a browser. The pin is
/// the SHA-256 of the certificate's public key (SubjectPublicKeyInfo, DER) as base64url. A link
/// with `key=public` is that of a service whose certificate the authorities of the system confirm,
/// such as one behind a proxy. A link with `http`, which is only for this computer, has no key.
///
/// The link of a sealed store is `https://HOST:PORT/#sealed=CODE&secret=SECRET&key=PIN`. The
/// secret, which never reaches the service, opens the keys that it keeps for the invited device.
package struct InviteLink: Hashable, Sendable {
  /// The address of the service, whose path ends with a slash.
  package let address: URL
  /// The code of the invitation.
  package let code: String
  /// The 16 bytes that open the keys of a sealed store, as base64url; nil for a plain store.
  package let secret: String?
  /// The pin of the service's key; nil for `http`, and if the authorities of the system confirm the
  /// certificate.
  package let key: String?

  package init(address: URL, code: String, secret: String? = nil, key: String?) {
    (self.address, self.code, self.secret, self.key) = (address, code, secret, key)
  }

  /// The bytes of ``secret``.
  package var secretBytes: [UInt8]? {
    secret.flatMap { Data(base64URL: $0) }.map { [UInt8]($0) }
  }

  private static let publicKey = "public"
  /// The longest link that is read.
  private static let maxLength = 2_000
}

extension InviteLink: CustomStringConvertible {
  /// The link.
  package var description: String {
    let key = key ?? (address.scheme == "https" ? Self.publicKey : nil)
    let invitation = secret.map { "sealed=\(code)&secret=\($0)" } ?? "invite=\(code)"
    return "\(address.absoluteString)#\(invitation)" + (key.map { "&key=\($0)" } ?? "")
  }
}

// MARK: - Parsing

extension InviteLink {
  /// Parses a link.
  ///
  /// - Throws: `invalidValue` with what is wrong. No message has the code.
  package init(_ text: String) throws(StoreError) {
    guard text.utf8.count <= Self.maxLength else {
      throw Self.refusal("has more than \(Self.maxLength) bytes")
    }
    if let wrong = text.unicodeScalars.enumerated().first(where: { !(0x21...0x7E ~= $1.value) }) {
      let kind = wrong.element.properties.isWhitespace ? "a space or a line break" : "a character"
      throw Self.refusal("has \(kind) at \(wrong.offset + 1) that no link has")
    }
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let address = try Self.address(parts[0])
    guard parts.count == 2, !parts[1].isEmpty else {
      throw Self.refusal("ends before its invitation, which follows a #")
    }
    let values = try Self.values(parts[1])
    let isSealed = values["sealed"] != nil
    guard let code = values["sealed"] ?? values["invite"] else {
      throw Self.refusal("has no invitation after its #")
    }
    let length = AccessSecret.textLength(AccessSecret.invitationBytes)
    guard AccessSecret(code, byteCount: AccessSecret.invitationBytes) != nil else {
      throw Self.refusal(
        "has a code of \(code.count) characters; \(length) letters, digits, - and _ are required")
    }
    guard !isSealed || values["secret"].map({ Self.isSecret($0) }) == true else {
      throw Self.refusal("has no secret of \(length) characters, which a sealed store needs")
    }
    self.init(
      address: address, code: String(code),
      secret: isSealed ? values["secret"].map(String.init) : nil,
      key: try Self.key(values["key"], of: address))
  }

  private static func isSecret(_ text: Substring) -> Bool {
    AccessSecret(text, byteCount: AccessSecret.invitationBytes) != nil
  }

  /// Returns the values of the fragment by name.
  private static func values(_ fragment: Substring) throws(StoreError) -> [Substring: Substring] {
    var values: [Substring: Substring] = [:]
    for part in fragment.split(separator: "&", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { throw refusal("is cut after an &, or has text without a =") }
      guard values.updateValue(pair[1], forKey: pair[0]) == nil else {
        throw refusal("has two values of \(pair[0].prefix(20))")
      }
    }
    return values
  }

  private static func address(_ text: Substring) throws(StoreError) -> URL {
    guard let scheme = text.range(of: "://").map({ text[..<$0.lowerBound].lowercased() }),
      ["https", "http"].contains(scheme)
    else { throw refusal("does not begin with https://") }
    guard var parts = URLComponents(string: String(text)), let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.query == nil
    else { throw refusal("has no address of a service before its #") }
    if let port = parts.port, !(1...65_535 ~= port) {
      throw refusal("has the port \(port); 1 to 65535 is allowed")
    }
    guard scheme == "https" || ServiceAddress.isLoopback(host) else {
      throw refusal("has http:// for another computer; https:// is required")
    }
    parts.scheme = scheme
    if !parts.path.hasSuffix("/") { parts.path += "/" }
    guard let address = parts.url else { throw refusal("has no address of a service before its #") }
    return address
  }

  private static func key(_ text: Substring?, of address: URL) throws(StoreError) -> String? {
    switch (text, address.scheme) {
    case (publicKey[...]?, "https"?), (nil, "http"?): return nil
    case (nil, _): throw refusal("ends before its key")
    case (let text?, "https"?):
      guard let bytes = Data(base64URL: text), bytes.count == KeyPin.byteCount,
        bytes.base64URL == text
      else { throw refusal("has a key of \(text.count) characters; it has \(KeyPin.textLength)") }
      return String(text)
    case (_?, _): throw refusal("has a key, which a link with http:// does not have")
    }
  }

  private static func refusal(_ problem: String) -> StoreError {
    StoreError(
      code: .invalidValue, message: "the link \(problem)",
      hint: "copy the whole link, and put it in single quotes, since a shell ends a word at an &")
  }
}
