#if Service
import Carillon
import CarillonModel
public import Hummingbird
import Logging

/// Answers every error of the routes after it with a ``Problem``.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Creates the middleware.
  public init() {}

  /// Returns the response of the next responder, or the problem that it threw.
  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      if error is CancellationError { throw error }
      let problem = Problem(error)
      if problem.status.code == 500 {
        // Neither the message nor the path: both may have titles.
        context.logger.error("request failed", metadata: ["code": "\(problem.code)"])
      }
      return problem.response(from: request, context: context)
    }
  }
}

extension Problem {
  /// Creates the problem for any error of a route.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as StoreError: self.init(error)
    case let error as ModelError: self.init(StoreError(translating: error))
    case let error as HTTPError where error.status == .notFound:
      self.init(
        .notFound, code: "notFound", detail: "there is no such route",
        hint: "see /openapi.json for what there is")
    case let error as HTTPError where error.status == .contentTooLarge:
      self.init(.contentTooLarge, code: "tooLarge", detail: error.body ?? "the body is too large")
    case let error as HTTPError:
      self.init(error.status, code: "malformed", detail: error.body ?? error.status.reasonPhrase)
    default:
      self.init(
        .internalServerError, code: "internal", detail: "the request failed",
        hint: "this is a bug in Carillon; please report it")
    }
  }
}
#endif
