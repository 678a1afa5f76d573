#if Service
import Carillon
import CarillonAccess
import CarillonModel
import HTTPTypes
import Hummingbird
import Logging

/// Who makes a request.
enum Requester: Hashable, Sendable {
  /// Has the token of the store, or a session that it gave.
  case owner
  /// Has a credential, which may be revoked.
  case invited(AccessEntry)

  /// What the owner, a device or a viewer is called.
  var role: String {
    switch self {
    case .owner: "owner"
    case .invited(let entry): entry.role.rawValue
    }
  }

  /// What the owner has in place of the ID of a credential.
  static let ownerID = "owner"

  /// The ID of the credential; ``ownerID`` for the owner.
  var id: String {
    switch self {
    case .owner: Self.ownerID
    case .invited(let entry): "\(entry.id)"
    }
  }

  /// Requires that a request is allowed to who makes it.
  ///
  /// - Throws: ``Problem`` `forbidden`.
  func require(_ method: HTTPRequest.Method, route: String?) throws(Problem) {
    guard case .invited(let entry) = self else { return }
    guard entry.role != .viewer || [.get, .head].contains(method) else {
      throw Problem(
        .forbidden, code: "forbidden", detail: "a viewer reads, and cannot change anything",
        hint: "ask the owner for an invitation of a device")
    }
    guard route != "/v1/rebuild" else { throw .ownerOnly }
  }
}

extension Problem {
  /// A request that only the owner may make.
  static var ownerOnly: Problem {
    Problem(
      .forbidden, code: "forbidden", detail: "only the owner of the store may do this",
      hint: "run the command on the computer of the service, or send the owner's token, which is "
        + "in the file service/token of the store")
  }
}

/// Finds who makes a request.
struct Requesters: Sendable {
  let token: AccessToken
  let access: AccessFiles
  let clock: @Sendable () -> Instant

  /// Returns who makes a request; nil if it has no valid token, credential or session.
  ///
  /// - Throws: ``Problem`` `busy` if the files that say so cannot be read now.
  func requester(
    of request: Request, _ context: ServiceContext
  ) throws(Problem) -> Requester? {
    if let given = request.bearer {
      if token.matches(given) { return try owner(context) }
      return try entry(.device, given, context).map(Requester.invited)
    }
    guard let port = context.port else { return nil }
    let session = OwnerSession(token: token, port: port)
    for value in SessionCookie(port: port).values(in: request) {
      if session.isValid(value, at: clock()) { return try owner(context) }
      if let entry = try entry(.session, value, context), entry.port == port {
        return .invited(entry)
      }
    }
    return nil
  }

  /// Whether who makes a request may go on to read its answer.
  func holds(_ entry: AccessEntry, _ context: ServiceContext) -> Bool {
    do {
      return try access.holds(entry, at: clock())
    } catch {
      note(error, context)
      return false
    }
  }

  /// Returns the owner; nil if the token may no longer be a secret.
  ///
  /// - Throws: ``Problem`` `busy` if the file of the token cannot be checked now. Only the health
  ///   of the store is still answered then.
  func owner(_ context: ServiceContext) throws(Problem) -> Requester? {
    do {
      try token.requireSecrecy()
      return .owner
    } catch {
      note(error, context)
      guard error.isOfFiles else { return nil }
      guard context.endpointPath == HealthRoutes<ServiceContext>.readiness else { throw filesAway }
      return .owner
    }
  }

  /// Returns the entry of a secret; a file that is damaged or that others can change allows
  /// nothing.
  ///
  /// - Throws: ``Problem`` `busy` if the file cannot be read now.
  private func entry(
    _ kind: AccessEntry.Kind, _ secret: Substring, _ context: ServiceContext
  ) throws(Problem) -> AccessEntry? {
    guard let secret = AccessSecret(secret, byteCount: AccessSecret.credentialBytes) else {
      return nil
    }
    do {
      return try access.entry(kind, of: secret, at: clock())
    } catch {
      note(error, context)
      guard error.isOfFiles else { return nil }
      throw filesAway
    }
  }

  /// Reads or changes the files that say who has access.
  ///
  /// - Throws: ``Problem`` `busy` if they cannot be read now; else what `body` throws.
  func withFiles<Result>(
    _ body: (AccessFiles) throws(StoreError) -> Result
  ) throws -> Result {
    do throws(StoreError) {
      return try body(access)
    } catch {
      guard error.code == .io else { throw error }
      throw filesAway
    }
  }

  /// The files that say who has access cannot be read now.
  private var filesAway: Problem {
    let wait = Duration.seconds(5)
    guard token.directory.isMissing else {
      return .busy("the directory of the store cannot be read now", after: wait)
    }
    return .busy(
      "the store is no longer at its path", after: wait,
      hint: "put it back there, such as by mounting its disk, or end the service and start it "
        + "where the store is; a device keeps its events")
  }

  private func note(_ error: any Error, _ context: ServiceContext) {
    context.logger.warning(
      "a credential cannot be checked", metadata: ["error": "\(error)"])
  }
}

extension StoreError {
  /// Whether files cannot be read now, such as those of a disk that is not mounted, which says
  /// nothing about a credential.
  fileprivate var isOfFiles: Bool { ![.invalidValue, .corrupt].contains(code) }
}

extension Request {
  /// The token of the header `Authorization`; nil if there is none of the scheme `Bearer`.
  var bearer: Substring? {
    guard let given = headers[.authorization] else { return nil }
    let parts = given.utf8.split(separator: UInt8(ascii: " "))
    guard parts.count == 2, Substring(parts[0]).lowercased() == "bearer" else { return nil }
    return Substring(parts[1])
  }
}
#endif
