#if Service
import HTTPTypes
package import Hummingbird
import Logging

/// Records the time, the status and a line in the log for each request.
///
/// The line has the route, such as `/v1/habits/{habit}`, and not the path. It has the ID that the
/// answer has in `X-Request-Id`.
package struct RequestMiddleware: RouterMiddleware {
  package typealias Context = ServiceContext

  let metrics: ServiceMetrics

  package func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    if let trace = request.traceID { context.logger[metadataKey: "trace"] = "\(trace)" }
    let start = ContinuousClock.now
    var response = try await next(request, context)
    let time = start.duration(to: .now)
    response.headers[.unchecked("X-Request-Id")] = context.id
    metrics.answered(request.method, route: context.endpointPath, response.status, in: time)
    context.logger.info(
      "request",
      metadata: [
        "method": "\(request.method)", "route": "\(context.endpointPath ?? "none")",
        "status": "\(response.status.code)", "seconds": "\(time / .seconds(1))",
      ])
    return response
  }
}

extension Request {
  /// The ID of the trace that the request belongs to, from the header `traceparent`; nil for none.
  fileprivate var traceID: Substring? {
    let parts = headers[.unchecked("traceparent")]?.split(separator: "-") ?? []
    guard parts.count == 4, parts[1].count == 32, parts[1].allSatisfy(\.isHexDigit) else {
      return nil
    }
    return parts[1]
  }
}
#endif
