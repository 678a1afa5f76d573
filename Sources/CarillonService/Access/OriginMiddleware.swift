#if Service
import HTTPTypes
package import Hummingbird

/// Refuses requests to another host, and requests that the page of another site makes.
///
/// The first prevents DNS rebinding: the page of a site whose name resolves to this computer sends
/// that name as the host.
package struct OriginMiddleware: RouterMiddleware {
  package typealias Context = ServiceContext

  let hosts: OwnHosts

  package init(_ hosts: OwnHosts) {
    self.hosts = hosts
  }

  package func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    let host = try request.requireHost()
    guard hosts.contain(host, port: context.port), request.isTarget(on: host) else {
      throw Problem(
        .forbidden, code: "forbidden", detail: "the request is for another host than this service",
        hint: "use the address that the service printed, or add the name to the setting names")
    }
    let isOwn = request.headers[values: .origin].allSatisfy {
      $0.lowercased() == hosts.origin(of: host).lowercased()
    }
    let site = request.headers[.secFetchSite] ?? "none"
    guard isOwn, ["same-origin", "none"].contains(site) else {
      throw Problem(
        .forbidden, code: "forbidden", detail: "the page of another site made the request",
        hint: "open the address that the service printed")
    }
    return try await next(request, context)
  }
}

/// Refuses requests without a host, and those with several.
///
/// A hub may be reached under any name, such as that of its proxy.
struct HostMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    _ = try request.requireHost()
    return try await next(request, context)
  }
}

extension Request {
  /// Returns the host that the request is for (RFC 9112, section 3.2).
  ///
  /// - Throws: ``Problem`` `malformed` if there is none, or if there are several.
  func requireHost() throws(Problem) -> String {
    // The first one is not among the fields.
    guard headers[values: .host].isEmpty else {
      throw .malformed("the request has several fields Host", hint: "send one")
    }
    guard let host = head.authority else {
      throw .malformed("the request has no field Host", hint: "send one")
    }
    return host
  }

  /// Whether the target is a path, or an address of a host.
  ///
  /// The host of an address counts, and not that of the field Host (RFC 9112, section 3.2.2).
  fileprivate func isTarget(on host: String) -> Bool {
    guard let target = head.path?.lowercased() else { return false }
    return target.hasPrefix("/") || target == "*"
      || ["http", "https"].contains { target.hasPrefix("\($0)://\(host.lowercased())/") }
  }
}

extension HTTPField.Name {
  fileprivate static let host = unchecked("Host")

  /// How the page that makes a request is related to its target.
  fileprivate static let secFetchSite = unchecked("Sec-Fetch-Site")

  /// Creates the name of a field from a literal that is one.
  static func unchecked(_ name: StaticString) -> HTTPField.Name {
    guard let field = HTTPField.Name("\(name)") else {
      preconditionFailure("\(name) is not the name of a field")
    }
    return field
  }
}
#endif
