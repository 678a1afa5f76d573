#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird
import NIOCore

/// The route `/metrics`: the numbers of the process, as Prometheus text.
struct MetricsRoutes<Context: RequestContext>: Sendable {
  let registry: PrometheusMetrics
  /// Records the values of the moment, before each answer.
  let update: @Sendable () async throws -> Void

  /// Adds the route.
  func add(to group: some RouterMethods<Context>) {
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
  /// The number of replicas of which a report has the age: those that wrote last.
  private static var reportedReplicas: Int { 64 }

  /// Records what a store has at the moment.
  func report(on store: Store) async throws {
    // Before anything that applies events.
    let lag = try await store.projectionLag()
    let pending = try await pending.answer(store, limit: nil, days: nil) { try await $0() }
    let now = store.options.clock()
    let replicas = try await store.replicas().filter(\.isInUse)
    for one in replicas.sorted(by: { $0.lastEvent > $1.lastEvent }).prefix(Self.reportedReplicas) {
      metrics.report(lastEvent: one.lastEvent, of: one.replica, now: now)
    }
    metrics.report(
      position: try store.lastPosition().rawValue, lag: lag, pending: pending.count,
      secondsToNext: pending.next.map { Double($0.milliseconds - now.milliseconds) / 1000 })
  }
}
#endif
