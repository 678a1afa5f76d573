#if Service
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Hummingbird

/// The body of `POST /v1/invitations`.
struct InvitationRequest {
  let role: AccessRole
  /// How long the invitation is to be valid.
  let seconds: Int64
  /// The keys of a sealed store for the device, as base64, which the hub cannot open.
  let keys: String?

  /// - Parameters:
  ///   - roles: The roles that can be invited.
  ///   - mayHaveKeys: Whether the requester may add keys. If not, the service adds its own.
  /// - Throws: ``Problem``.
  init(
    _ request: Request, of roles: [AccessRole], mayHaveKeys: Bool = false
  ) async throws {
    var document = try RequestDocument(
      await request.bytes(
        atMost: mayHaveKeys ? RequestDocument.maxBytes : RequestDocument.maxShortBytes))
    keys = mayHaveKeys ? try document.text("keys") : nil
    let text = try document.text("role")
    let seconds = try document.integer("expiresSeconds")
    try document.finish()
    guard let role = text.flatMap(AccessRole.init(rawValue:)), roles.contains(role) else {
      throw Problem.invalid(
        "role", text ?? "", "one of \(roles.map(\.rawValue).joined(separator: ", "))")
    }
    (self.role, self.seconds) = (role, seconds ?? AccessEntry.usualInvitationSeconds)
  }
}

/// The body of `POST /v1/join`.
struct JoinRequest {
  let code: String
  let name: String
  /// Whether the credential is to be the session of a browser.
  let isSession: Bool
  let isForReplica: Bool
  /// The secret that the device made; nil if the service is to make one.
  let credential: AccessSecret?

  /// - Throws: ``Problem``.
  init(_ request: Request) async throws {
    var document = try await RequestDocument(short: request)
    let code = try document.text("code")
    let name = try document.text("name")
    let isSession = try document.bool("session") ?? false
    isForReplica = try document.bool("replica") ?? false
    let credential = try document.text("credential")
    try document.finish()
    guard let code, let name else {
      throw Problem.malformed("code and name are required", hint: "see /openapi.json")
    }
    (self.code, self.name, self.isSession) = (code, name, isSession)
    self.credential = try credential.map { text throws(Problem) in
      guard !isSession, let secret = AccessSecret(text, byteCount: AccessSecret.credentialBytes)
      else {
        // The value is a secret, so the answer does not repeat it.
        throw Problem.invalidValue(
          "credential must be 32 random bytes as base64url, and is only for a device",
          hint: "see /openapi.json")
      }
      return secret
    }
  }

  /// Reads the body of `POST /v1/join/check`, which has only the code.
  ///
  /// - Throws: ``Problem``.
  static func code(in request: Request) async throws -> String {
    var document = try await RequestDocument(short: request)
    let code = try document.text("code")
    try document.finish()
    guard let code else {
      throw Problem.malformed("code is required", hint: "see /openapi.json")
    }
    return code
  }
}

extension AccessID {
  /// Reads the parameter `id` of a path.
  ///
  /// - Throws: ``Problem``.
  init(in context: some RequestContext) throws(Problem) {
    let text = context.parameters.get("id") ?? ""
    guard let id = AccessID(text) else {
      throw Problem.invalid("id", text, "an ID of 16 hexadecimal digits")
    }
    self = id
  }
}

extension AccessEntry {
  /// The answer to the exchange of an invitation for the entry, without its secret.
  ///
  /// - Parameter keys: The keys of a sealed store that the invitation had.
  func joined(_ store: StoreID, keys: String? = nil) -> JSON {
    let members: JSON = [
      "role": .text(role.rawValue), "store": .text(store), "device": .text(id),
    ]
    return keys.map { members.merging(["keys": .text($0)]) } ?? members
  }

  /// The answer to the question what an invitation is for, with its keys of a sealed store.
  func purpose(_ store: StoreID) -> JSON {
    let members: JSON = ["role": .text(role.rawValue), "store": .text(store)]
    return keys.map { members.merging(["keys": .text($0)]) } ?? members
  }
}

extension Problem {
  static var noInvitation: Problem {
    Problem(
      .forbidden, code: "forbidden",
      detail: "the invitation does not exist, was used, or has expired",
      hint: "ask the owner, or the operator of the hub, for another invitation")
  }

  static func noAccess(_ id: AccessID) -> Problem {
    Problem(
      .notFound, code: "notFound", detail: "there is no access with the ID \(id)",
      hint: "list all with GET /v1/access")
  }

  static var noCredential: Problem {
    Problem(
      .unauthorized, code: "unauthorized",
      detail: "the request has no valid token; the access of the device was probably revoked",
      hint: "ask for another invitation, from another device of the person or from the operator of "
        + "the hub; a person who was erased for good cannot be invited again")
  }
}
#endif
