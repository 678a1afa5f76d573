#if Service
import HTTPTypes
package import Hummingbird
import Logging

/// Records the time, the status and a line in the log for each request.
///
/// The line has the route, such as `/v1/habits/{habit}`, and not the path. It has the ID that the
/// answer has in `X-Request-Id`. A `traceparent` is answered as it came, and its trace is in the
/// line.
package struct RequestMiddleware: RouterMiddleware {
  package typealias Context = ServiceContext

  let metrics: ServiceMetrics

  package func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    let trace = TraceParent(request)
    if let trace { context.logger[metadataKey: "trace"] = "\(trace.id)" }
    let start = ContinuousClock.now
    var response = try await next(request, context)
    let time = start.duration(to: .now)
    response.headers[.requestID] = context.id
    if let trace { response.headers[.traceParent] = trace.text }
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

/// The trace that a request belongs to, from its header `traceparent`.
private struct TraceParent {
  /// The header's value.
  let text: String
  /// The ID of the trace.
  let id: Substring

  /// Returns nil if there is no such header, or one of another form.
  init?(_ request: Request) {
    guard let text = request.headers[.traceParent] else { return nil }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 32, 16, 2],
      parts.joined().allSatisfy({ $0.isHexDigit && !$0.isUppercase })
    else { return nil }
    (self.text, id) = (text, parts[1])
  }
}

extension HTTPField.Name {
  fileprivate static let traceParent = Self.unchecked("traceparent")
  fileprivate static let requestID = Self.unchecked("X-Request-Id")
}
#endif
