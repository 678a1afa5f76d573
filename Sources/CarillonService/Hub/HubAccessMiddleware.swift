#if Service
import CarillonAccess
import CarillonHub
import CarillonModel
import HTTPTypes
import Hummingbird

/// Finds the device that makes a request, and refuses all others.
///
/// The token alone decides whose log a request concerns.
struct HubAccessMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let hub: Hub
  let rates: AccessRates

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard
      let secret = request.bearer.flatMap({
        AccessSecret($0, byteCount: AccessSecret.credentialBytes)
      }), let device = try await hub.device(secret)
    else {
      try rates.failed(context.client)
      throw Problem.noCredential
    }
    try rates.requested(by: AccessID(digest: device.access.digest))
    try rates.requested(by: device.person)
    var context = context
    context.device = device
    var response = try await next(request, context)
    response.endStream { [hub, access = device.access] in
      do {
        return try await hub.hasAccess(access)
      } catch {
        // As long as the database does not answer, the stream has no news either.
        return true
      }
    }
    return response
  }
}

extension ServiceContext {
  /// The device that makes the request.
  ///
  /// - Throws: ``Problem`` on a route without ``HubAccessMiddleware``.
  func requireDevice() throws(Problem) -> HubDevice {
    guard let device else { throw .noCredential }
    return device
  }
}
#endif
