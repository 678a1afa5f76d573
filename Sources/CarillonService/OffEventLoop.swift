#if Service
import Hummingbird

/// Answers requests on the threads of Swift's pool.
///
/// A server may answer on the event loop of each connection. Whatever computes for long, or waits
/// for a file, would stop all other connections of the loop.
struct OffEventLoop<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await offEventLoop { try await next(request, context) }
    guard response.body.contentLength == nil else { return response }
    response.body = ResponseBody { [body = response.body] writer in
      try await offEventLoop { try await body.write(writer) }
    }
    return response
  }
}

/// Calls `body` on the threads of Swift's pool.
func offEventLoop<Result>(_ body: () async throws -> Result) async rethrows -> Result {
  try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
}
#endif
