#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
public import Hummingbird
import Metrics
import NIOCore

/// The route `/metrics`: the numbers of the process, as Prometheus text.
///
/// ```swift
/// let metrics = MetricsRoutes<AppContext>()  // before StoreRoutes
/// metrics.add(to: router)
/// ```
public struct MetricsRoutes<Context: RequestContext>: Sendable {
  private let registry: PrometheusMetrics
  private let update: @Sendable () async throws -> Void

  /// Creates the route, and makes it the destination of all metrics of the process.
  ///
  /// Call it once, before anything records a number. An app with a metrics backend of its own needs
  /// no such route: the numbers of ``StoreRoutes`` go to that backend.
  public init() {
    self.init(PrometheusMetrics()) {}
    MetricsSystem.bootstrap(registry)
  }

  /// - Parameter update: Records the values of the moment, before each answer.
  init(_ registry: PrometheusMetrics, update: @escaping @Sendable () async throws -> Void) {
    (self.registry, self.update) = (registry, update)
  }

  /// Adds the route.
  public func add(to group: some RouterMethods<Context>) {
    group.get("metrics") { [registry, update] _, _ in
      try await update()
      let text = registry.text(help: ServiceMetrics.help)
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
        body: .init(byteBuffer: ByteBuffer(string: text)))
    }
  }
}

extension StoreRoutes {
  /// Records what a store has at the moment.
  func report(on store: Store) async throws {
    // Before anything that applies events.
    let lag = try await store.projectionLag()
    let pending = try await pending.answer(store, limit: nil, days: nil)
    let now = store.options.clock()
    metrics.report(
      position: try store.lastPosition().rawValue, lag: lag, pending: pending.count,
      secondsToNext: pending.next.map { Double($0.milliseconds - now.milliseconds) / 1000 })
  }
}
#endif
