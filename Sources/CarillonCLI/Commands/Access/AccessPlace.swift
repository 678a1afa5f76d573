import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation

/// Where access is listed, given and taken: the services of the store, or a hub that it has joined.
struct AccessPlaceFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The address of a hub that this store has joined (default: the services of this store).",
      valueName: "https://host"))
  var at: String?

  /// Returns the hub that was given; nil if none was.
  ///
  /// - Throws: A usage error, `notFound` if there is no store, or `denied` if it has not joined the
  ///   hub.
  func hub(_ call: Call) async throws -> JoinedHub? {
    let store = try call.directory()
    guard let at else { return nil }
    let address = try ServiceURL(at)
    do {
      return try JoinedHub(address, of: store)
    } catch {
      try await call.requireStore(at: store)
      throw error
    }
  }
}

/// A hub that a store has joined.
struct JoinedHub {
  private let address: URL
  private let file: URL?

  /// - Throws: `denied` if the store has not joined it.
  init(_ given: ServiceURL, of store: URL) throws {
    (address, file) = try LinkConnection.credential(for: given, of: store)
  }

  /// Lists the devices and open invitations.
  ///
  /// - Returns: The use of the quota is nil for the services of another store.
  func list() async throws -> (entries: [ListedAccess], use: QuotaUse?, json: JSON) {
    let answer = try await LinkProgram.ask("GET", "/v1/access", at: address, file)
    guard case .array(let entries)? = answer["access"] else { throw Self.malformed }
    return (
      try entries.map { try ListedAccess($0) }, QuotaUse(answer["quota"]), .object(answer)
    )
  }

  /// Takes access away.
  func revoke(_ id: String) async throws {
    _ = try await LinkProgram.ask("DELETE", "/v1/access/\(id)", at: address, file)
  }

  /// Makes an invitation, with the keys of a sealed store.
  ///
  /// The hub keeps the keys sealed under a secret that only the link has.
  func invite(
    _ role: AccessRole, of store: Store, seconds: Int
  ) async throws -> (link: InviteLink, expires: Instant?, json: JSON) {
    let sealed = try store.keysForInvitation()
    let body: JSON = ["role": .text(role.rawValue), "expiresSeconds": .integer(seconds)]
    let keys: JSON = sealed.map { ["keys": .text(Data($0.keys).base64EncodedString())] } ?? [:]
    var answer = try await LinkProgram.ask(
      "POST", "/v1/invitations", at: address, file, body: body.merging(keys))
    guard case .text(let text)? = answer["link"], var link = try? InviteLink(text) else {
      throw Self.malformed
    }
    if let sealed {
      link = InviteLink(
        address: link.address, code: link.code, secret: Data(sealed.secret).base64URL,
        key: link.key)
      // The hub does not know the secret, so link and QR code are made again.
      answer["link"] = .text(link)
      answer["qr"] = QRCode(link.description)?.json ?? .null
    }
    let expires: Instant? =
      if case .text(let text)? = answer["expires"] { Instant(rfc3339: text) } else { nil }
    return (link, expires, .object(answer))
  }

  fileprivate static let malformed = CommandFailure(
    status: .protocol, code: StoreError.Code.protocolViolation.rawValue,
    message: "the hub answered without what was asked for",
    hint: "use the newer version of Carillon on both sides")
}

/// What a person uses of a hub, and the quotas.
struct QuotaUse {
  private let bytes: ByteUse
  private let deviceCount: Int64
  private let maxDeviceCount: Int64

  /// Reads the quota in a hub's list; nil if it is not there.
  fileprivate init?(_ json: JSON?) {
    guard let bytes = ByteUse(json), case .object(let object)? = json,
      case .integer(let count)? = object["devices"],
      case .integer(let maxCount)? = object["maxDevices"]
    else { return nil }
    (self.bytes, deviceCount, maxDeviceCount) = (bytes, count, maxCount)
  }

  /// The lines for people, with what to do if a quota is nearly used up.
  var text: String {
    var text =
      "Used at this hub: \(bytes.text), and \(deviceCount.grouped) of "
      + "\(maxDeviceCount.counted("device")).\n"
    if bytes.isNearQuota { text += bytes.advice + "\n" }
    if deviceCount >= maxDeviceCount {
      text +=
        "No further device can join: revoke one, or ask the operator of the hub for a larger "
        + "quota.\n"
    }
    return text
  }
}

extension ByteUse {
  /// The use, for one who is near to the quota.
  var notice: String { "Used at the hub: \(text). \(advice)" }

  /// How much is left, what happens then, and what to do.
  var advice: String {
    (remainder.map { "After another \($0), the hub refuses new events" }
      ?? "The quota of bytes is used up, and the hub refuses new events")
      + ": ask its operator for a larger quota."
  }
}

extension ByteUse? {
  /// The member of an answer that has the use; none if the hub has not said it.
  var member: JSON { map { ["quota": $0.json] } ?? [:] }
}

/// A device, a session or an invitation, as it is listed.
struct ListedAccess {
  let id: String
  let kind: String
  let role: String
  let name: String?
  let since: Instant
  let expires: Instant?

  init(_ entry: AccessEntry) {
    (id, kind, role) = (entry.id.description, entry.kind.rawValue, entry.role.rawValue)
    (name, since, expires) = (entry.name, entry.since, entry.expires)
  }

  /// Reads an entry of a hub's list.
  fileprivate init(_ json: JSON) throws(CommandFailure) {
    func text(_ name: String) -> String? {
      guard case .object(let object) = json, case .text(let text)? = object[name] else {
        return nil
      }
      return text
    }
    guard let id = text("id"), AccessID(id) != nil, let kind = text("kind"),
      let role = text("role"), let since = text("since").flatMap({ Instant(rfc3339: $0) })
    else { throw JoinedHub.malformed }
    (self.id, self.kind, self.role, self.since) = (id, kind, role, since)
    (name, expires) = (text("name"), text("expires").flatMap { Instant(rfc3339: $0) })
  }
}

extension [ListedAccess] {
  /// Returns the entry with a name, or with an ID that begins with the text.
  ///
  /// - Parameter place: The address of the hub whose entries these are; nil for the own services.
  /// - Throws: `notFound`, `ambiguous` or `invalidValue`.
  func named(_ name: String, at place: String?) throws(CommandFailure) -> ListedAccess {
    let named = filter { $0.name == name }
    let found = named.isEmpty ? filter { $0.id.hasPrefix(name.lowercased()) } : named
    guard let entry = found.first, !name.isEmpty else { throw .noAccess(name, self, at: place) }
    guard !named.isEmpty || name.utf8.count >= IDPrefix.leastCharacters else {
      throw .badValue(
        "\"\(name)\" is not a name, and too short for an ID; at least "
          + "\(IDPrefix.leastCharacters) characters of an ID are required",
        hint: "give more of the ID: " + CommandFailure.listing(at: place))
    }
    guard found.count == 1 else {
      let list = found.map { "\($0.id) (\($0.name.map { "\($0), " } ?? "")\($0.role))" }
      throw .ambiguous(
        "\"\(name)\" matches \(list.joined(separator: ", "))", hint: "give more of the ID")
    }
    return entry
  }
}

extension CommandFailure {
  static func noAccess(
    _ name: String, _ entries: [ListedAccess], at place: String?
  ) -> CommandFailure {
    let near = name.nearest(of: entries.compactMap(\.name)).map { "did you mean \($0)? " } ?? ""
    return .notFound(
      "nobody with the name or ID \"\(name)\" has access",
      hint: near + "list who has: " + listing(at: place))
  }

  /// The command that lists who has access.
  static func listing(at place: String?) -> String {
    "carillon access list" + (place.map { " --at \(ShellWord.quoted($0))" } ?? "")
  }
}
