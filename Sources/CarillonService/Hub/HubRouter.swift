#if Service
package import CarillonAccess
package import CarillonHub
package import CarillonModel
package import Hummingbird
package import Logging
import Metrics

/// All that a hub answers: syncs, news, joining, access, health and numbers.
///
/// Nothing but counters of limits stays in the process between two requests, so that any process
/// of a hub can answer any request.
package struct HubRouter {
  /// Must run beside the server.
  package let news: HubNews
  private let hub: Hub
  private let hosts: OwnHosts
  private let limits: ServiceLimits
  private let metrics: ServiceMetrics
  private let registry: PrometheusMetrics
  private let service: @Sendable () -> RunningServices.Service?

  /// - Parameters:
  ///   - hint: Returns what the operator can do about an obstacle, for the log.
  ///   - service: Returns where devices reach the hub; nil before the server runs.
  package init(
    _ database: any HubDatabase, hosts: OwnHosts, limits: ServiceLimits,
    registry: PrometheusMetrics, logger: Logger, clock: @escaping @Sendable () -> Instant,
    hint: @escaping @Sendable (HubObstacle) -> String = \.hint,
    service: @escaping @Sendable () -> RunningServices.Service?
  ) {
    metrics = ServiceMetrics(registry)
    hub = Hub(
      database,
      HubQueue(maxCount: limits.hubRequests, maxBytes: limits.hubBytes, metrics),
      HubObstacles(logger, hint: hint), clock: clock)
    news = HubNews(hub, logger)
    (self.hosts, self.limits, self.registry) = (hosts, limits, registry)
    self.service = service
  }

  /// Counts a connection that was closed because its client did not read.
  package var stalled: @Sendable () -> Void {
    { [counter = metrics.stalled] in counter.increment() }
  }

  /// The router for an application.
  package var router: Router<ServiceContext> {
    let rates = AccessRates(limits)
    let router = Router(metrics, rates, hosts)
    router.add(middleware: HostMiddleware())
    HubHealthRoutes(hub: hub, hosts: hosts, metrics: metrics, registry: registry).add(to: router)
    OpenAPIRoute(PackageResources.hub_json).add(to: router)
    let access = HubAccessRoutes(hub: hub, rates: rates, service: service)
    access.addJoining(to: router.group("v1"))
    let devices = router.group().add(
      middleware: HubAccessMiddleware(hub: hub, rates: rates))
    access.add(to: devices.group("v1"))
    let streams = OpenStreams(
      maxCount: limits.streams, noun: "stream", setting: "max-streams", metrics.openStreams)
    HubSyncRoutes(
      hub: hub, news: news, limits: limits, metrics: metrics, streams: streams,
      bodies: ReceivedBodies(limits),
      audits: ExpensiveReads(maxCount: min(limits.reads, HubSyncRoutes.maxAudits))
    ).add(to: devices.group("v1"))
    router.refuseOtherMethods(in: devices)
    return router
  }
}
#endif
