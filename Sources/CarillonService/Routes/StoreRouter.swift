#if Service
import HTTPTypes
import Hummingbird
import Metrics

/// The place where the routes of a store are added.
struct StoreRouter<Context: RequestContext> {
  let group: any RouterMethods<Context>
  /// The place of short answers, which may be computed on an event loop.
  let shortGroup: any RouterMethods<Context>
  let routes: StoreRoutes<Context>

  /// Adds a route.
  ///
  /// - Parameters:
  ///   - query: The names of the parameters that the route takes; any other is refused.
  ///   - isShort: Whether each answer takes microseconds, apart from waiting for the store.
  ///   - answer: Returns the answer to a request.
  func on(
    _ method: HTTPRequest.Method, _ path: RouterPath, query: Set<Substring> = [],
    isShort: Bool = false,
    _ answer: @Sendable @escaping (StoreRequest) async throws -> some ResponseGenerator
  ) {
    (isShort ? shortGroup : group).on(path, method: method) { [routes] request, context in
      let asked = StoreRequest(
        request, context.parameters, try await routes.source(request, context),
        credential: routes.credential(context), channel: routes.channel(context),
        bodies: routes.bodies)
      try asked.requireParameters(query)
      let start = ContinuousClock.now
      let answer = try await answer(asked)
      if let change = answer as? Answer, change.eventCount > 0 {
        routes.metrics.appended.increment(by: change.eventCount)
        routes.metrics.commits.record(start.duration(to: .now))
      }
      return answer
    }
  }

  /// Adds a route whose answers take long to compute; ``ExpensiveReads`` limits their number.
  func read(
    _ path: RouterPath, method: HTTPRequest.Method = .get, query: Set<Substring> = [],
    _ answer: @Sendable @escaping (StoreRequest) async throws -> Answer
  ) {
    on(method, path, query: query) { [reads = routes.reads] asked in
      try await reads.read(asked) { try await answer(asked) }
    }
  }
}
#endif
