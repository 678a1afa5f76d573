#if Service
import Carillon
import CarillonModel
public import Hummingbird
import Logging
import Synchronization

/// Answers every error of the routes after it with a ``Problem``.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  private let replacedFiles = ReplacedFiles()

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
      if problem.status.code == 500, !replacedFiles.log(error, to: context.logger) {
        // Neither the message nor the path: both may have titles.
        context.logger.error("request failed", metadata: ["code": "\(problem.code)"])
      }
      return problem.response(from: request, context: context)
    }
  }
}

/// The files of stores that were removed or replaced while the stores were open.
///
/// Every request to such a store fails, so a file is logged once in a time.
private final class ReplacedFiles: Sendable {
  /// When each message was logged last.
  private let lines = Mutex<[String: ContinuousClock.Instant]>([:])

  private static let logInterval = Duration.seconds(600)

  /// Logs the path of the file and what to do.
  ///
  /// - Returns: False for any other error.
  func log(_ error: any Error, to logger: Logger) -> Bool {
    guard let error = error as? StoreError, error.reason == .replacedFiles else { return false }
    let isNews = lines.withLock { lines in
      let now = ContinuousClock.now
      lines = lines.filter { now - $0.value < Self.logInterval }
      guard lines[error.message] == nil else { return false }
      lines[error.message] = now
      return true
    }
    if isNews { logger.error("\(error.message)", metadata: ["hint": "\(error.hint ?? "")"]) }
    return true
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
