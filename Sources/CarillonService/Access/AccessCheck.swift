#if Service
import HTTPTypes
public import Hummingbird

/// Lets only those requests pass that a check of your own accepts.
///
/// ```swift
/// router.group("v1").add(
///   middleware: AccessCheck { request, context in
///     context.person = await people.person(with: request.headers[.authorization])
///     return context.person != nil
///   })
/// ```
///
/// Add it before ``StoreRoutes``. A refused request is answered with 401 and a ``Problem``. For
/// another answer, throw a ``Problem`` of your own.
public struct AccessCheck<Context: RequestContext>: RouterMiddleware {
  private let check: @Sendable (Request, inout Context) async throws -> Bool

  /// Creates the middleware.
  ///
  /// - Parameter check: Returns whether a request may pass. What it changes in the context is seen
  ///   by the routes.
  public init(check: @escaping @Sendable (Request, inout Context) async throws -> Bool) {
    self.check = check
  }

  /// Returns the response of the next responder, or the refusal.
  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var context = context
    do {
      guard try await check(request, &context) else {
        throw Problem(
          .unauthorized, code: "unauthorized", detail: "the request has no valid credential",
          hint: "send one in the field Authorization")
      }
    } catch let problem as Problem {
      return problem.response(from: request, context: context)
    }
    return try await next(request, context)
  }
}
#endif
