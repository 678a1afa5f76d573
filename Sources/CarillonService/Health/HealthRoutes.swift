#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird
import NIOCore

/// `/readyz`, which says whether the store can be used, and `/metrics`.
struct HealthRoutes {
  let store: Store
  let metrics: ServiceMetrics
  let registry: PrometheusMetrics

  func add(to group: some RouterMethods<ServiceContext>) {
    group.get("readyz") { _, _ in
      let checks = await Readiness(store).checks()
      let isReady = checks.allSatisfy { $0.problem == nil }
      let document: JSON = [
        "ready": .bool(isReady),
        "checks": .array(checks) {
          ["name": .text($0.name), "ok": .bool($0.problem == nil), "problem": .text($0.problem)]
        },
      ]
      return Answer(document, isReady ? .ok : .serviceUnavailable)
    }
    group.get("metrics") { _, _ in
      let plan = try await store.plan()
      let now = store.options.clock().milliseconds
      let next = plan.requests.compactMap(\.fireAt).min()
      metrics.report(
        position: try store.lastPosition().rawValue, pending: plan.requests.count,
        secondsToNext: next.map { Double($0.milliseconds - now) / 1000 })
      let text = registry.text(help: ServiceMetrics.help)
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
        body: .init(byteBuffer: ByteBuffer(string: text)))
    }
  }
}
#endif
