#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

/// `/v1/session`: begins and ends the session of a browser, and says who makes a request.
struct SessionRoutes {
  let requesters: Requesters
  let rates: AccessRates
  let hosts: OwnHosts

  /// Adds the route for those who may make requests.
  func add(toInvited group: some RouterMethods<ServiceContext>) {
    group.get("session") { _, context in
      let name: String? =
        if case .invited(let entry)? = context.requester { entry.name } else { nil }
      return Answer(["role": .text(context.requester?.role), "name": .text(name)])
    }
  }

  /// Adds the routes for everyone.
  func add(to group: some RouterMethods<ServiceContext>) {
    group.post("session") { request, context in
      guard let given = request.bearer, requesters.token.matches(given),
        try requesters.owner(context) != nil
      else {
        try rates.failed(context.client)
        throw Problem(
          .unauthorized, code: "unauthorized", detail: "the request has no valid token",
          hint: "send the owner's token: Authorization: Bearer TOKEN")
      }
      let port = try context.requirePort()
      let value = OwnerSession(token: requesters.token, port: port).value(at: requesters.clock())
      return Response.session(
        SessionCookie(port: port).header(
          value, seconds: OwnerSession.seconds, isSecure: hosts.areSecure(for: request)))
    }
    // Without a session too: a browser whose session ended has a cookie to remove.
    group.delete("session") { request, context in
      let port = try context.requirePort()
      if case .invited(let entry)? = try requesters.requester(of: request, context),
        entry.kind == .session
      {
        _ = try requesters.access.revoke(entry.id)
      }
      return Response.session(
        SessionCookie(port: port).header("", seconds: 0, isSecure: hosts.areSecure(for: request)))
    }
  }
}

extension OwnHosts {
  /// Whether the connection of the client that makes a request has TLS.
  func areSecure(for request: Request) -> Bool { areSecure(at: request.head.authority ?? "") }
}

extension ServiceContext {
  /// Returns the port, by which a session is bound.
  ///
  /// - Throws: ``Problem`` `forbidden`.
  func requirePort() throws(Problem) -> Int {
    guard let port else {
      throw Problem(
        .forbidden, code: "forbidden", detail: "a session needs a connection with a port",
        hint: "send the token with each request")
    }
    return port
  }
}

extension Response {
  /// Creates the answer that sets a cookie.
  fileprivate static func session(_ cookie: String) -> Response {
    Response(status: .noContent, headers: [.setCookie: cookie, .cacheControl: "no-store"])
  }
}
#endif
