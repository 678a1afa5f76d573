#if Service
import Carillon
import CarillonModel
import HTTPTypes
import Hummingbird

/// `POST /v1/session` exchanges the token for a cookie; `DELETE` ends the session in this browser.
struct SessionRoutes {
  let token: AccessToken
  let hosts: OwnHosts
  let clock: @Sendable () -> Instant

  func add(to group: some RouterMethods<ServiceContext>) {
    group.group().add(
      middleware: TokenMiddleware(token, acceptsSession: false, clock: clock)
    ).post("session") { _, context in
      answer(try session(context).cookie(at: clock(), isSecure: hosts.isSecure))
    }
    // Without a session too: a browser whose session ended has a cookie to remove.
    group.delete("session") { _, context in
      answer(try session(context).removal(isSecure: hosts.isSecure))
    }
  }

  private func session(_ context: ServiceContext) throws -> Session {
    guard let port = context.port else {
      throw Problem(
        .forbidden, code: "forbidden", detail: "a session needs a connection with a port",
        hint: "send the token with each request")
    }
    return Session(token: token, port: port)
  }

  private func answer(_ cookie: String) -> Response {
    Response(status: .noContent, headers: [.setCookie: cookie, .cacheControl: "no-store"])
  }
}
#endif
