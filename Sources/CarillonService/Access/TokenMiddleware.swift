#if Service
import Carillon
package import CarillonModel
import HTTPTypes
package import Hummingbird

/// Refuses requests without the store's token or a session.
package struct TokenMiddleware: RouterMiddleware {
  package typealias Context = ServiceContext

  let token: AccessToken
  /// Whether a session replaces the token.
  let acceptsSession: Bool
  private let clock: @Sendable () -> Instant

  package init(
    _ token: AccessToken, acceptsSession: Bool = true, clock: @escaping @Sendable () -> Instant
  ) {
    (self.token, self.acceptsSession, self.clock) = (token, acceptsSession, clock)
  }

  package func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard hasToken(request) || (acceptsSession && hasSession(request, context)) else {
      throw Problem(
        .unauthorized, code: "unauthorized",
        detail: "the request has no valid token" + (acceptsSession ? " or session" : ""),
        hint: "send the header Authorization: Bearer TOKEN; the token is in the file service/token "
          + "of the store, and in the address that the service printed")
    }
    return try await next(request, context)
  }

  private func hasToken(_ request: Request) -> Bool {
    guard let given = request.headers[.authorization] else { return false }
    let parts = given.split(separator: " ")
    return parts.count == 2 && parts[0].lowercased() == "bearer" && token.matches(parts[1])
  }

  private func hasSession(_ request: Request, _ context: ServiceContext) -> Bool {
    guard let port = context.port else { return false }
    let session = Session(token: token, port: port)
    return request.headers[values: .cookie].contains { session.isNamed(in: $0, at: clock()) }
  }
}
#endif
