#if Service
import HTTPTypes
import Hummingbird

extension Router<ServiceContext> {
  /// Creates a router that measures requests, answers errors as problems, and refuses addresses
  /// that ask too often, foreign hosts and unknown methods.
  convenience init(_ metrics: ServiceMetrics, _ rates: AccessRates, _ hosts: OwnHosts) {
    self.init(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    add(middleware: RequestMiddleware(metrics: metrics))
    add(middleware: ProblemMiddleware())
    add(middleware: AddressMiddleware(rates: rates, hosts: hosts))
    add(middleware: MethodMiddleware())
  }

  /// Answers the other methods of each path with 405 and the methods that it has.
  ///
  /// - Parameter group: Who may not use the group is refused before.
  func refuseOtherMethods(in group: some RouterMethods<ServiceContext>) {
    for (path, routes) in Dictionary(grouping: routes, by: \.path.description) {
      var methods = Set(routes.map(\.method))
      if methods.contains(.get) { methods.insert(.head) }
      let allowed = methods.map(\.rawValue).sorted().joined(separator: ", ")
      for method in HTTPRequest.Method.known where !methods.contains(method) {
        group.on(RouterPath(path), method: method) { request, context in
          var response = Problem(
            .methodNotAllowed, code: "methodNotAllowed",
            detail: "the path has no method \(method.rawValue)", hint: "use \(allowed)"
          ).response(from: request, context: context)
          response.headers[.allow] = allowed
          return response
        }
      }
    }
  }
}

/// Answers methods that no path has with 501.
struct MethodMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard HTTPRequest.Method.known.contains(request.method) else {
      throw Problem(
        .notImplemented, code: "unknownMethod",
        detail: "the method \(request.method.rawValue) is not known",
        hint: "see /openapi.json for the methods of each path")
    }
    return try await next(request, context)
  }
}

extension HTTPRequest.Method {
  /// The methods that any path may have; any other is answered with 501.
  static let known: [Self] =
    [
      .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ] + ["QUERY"].compactMap(Self.init(rawValue:))
}
#endif
