#if Service
public import Carillon
import CarillonDocuments
import HTTPTypes
public import Hummingbird
import Metrics

/// The routes that say whether a service lives, and whether its store can be used.
///
/// ```swift
/// HealthRoutes(store).add(to: router)
/// ```
///
/// `/livez` answers 200 as long as the process answers at all. `/readyz` answers 200, or 503 with
/// the checks that failed: the projections, the writer, the disk, the log's map, the clock.
public struct HealthRoutes<Context: RequestContext>: Sendable {
  private let store: Store?

  /// Creates the routes.
  ///
  /// - Parameter store: The store that `/readyz` checks. Nil is for a service with many stores: it
  ///   is ready as long as it lives.
  public init(_ store: Store? = nil) {
    self.store = store
  }

  /// Adds both routes.
  public func add(to group: some RouterMethods<Context>) {
    addLiveness(to: group)
    addReadiness(to: group)
  }

  /// Adds `/metrics`, the numbers of the process as Prometheus text, and makes it the destination
  /// of all metrics of the process.
  ///
  /// Call it once, before you create ``StoreRoutes``. An app with a metrics backend of its own does
  /// not need it: the numbers of the routes go to that backend.
  public func addMetrics(to group: some RouterMethods<Context>) {
    let registry = PrometheusMetrics()
    MetricsSystem.bootstrap(registry)
    MetricsRoutes(registry: registry, update: {}).add(to: group)
  }

  func addLiveness(to group: some RouterMethods<Context>) {
    group.get("livez") { _, _ in Answer(["live": .bool(true)]) }
  }

  /// The route that says whether the store can be used.
  static var readiness: String { "/readyz" }

  func addReadiness(to group: some RouterMethods<Context>) {
    group.get("readyz") { [store] _, _ in
      guard let store else { return Answer(["ready": .bool(true), "checks": .array([])]) }
      let readiness = await Readiness(of: store)
      return Answer(readiness.json, readiness.isReady ? .ok : .serviceUnavailable)
    }
  }
}
#endif
