#if Service
package import Carillon
package import CarillonAccess
import HTTPTypes
package import Hummingbird
import Metrics

/// All that a service answers: the routes of a store for its owner and those who are invited,
/// health, numbers and the page.
package struct ServiceRouter {
  let store: Store
  let requesters: Requesters
  let hosts: OwnHosts
  let limits: ServiceLimits
  let metrics: ServiceMetrics
  let registry: PrometheusMetrics

  package init(
    _ store: Store, token: AccessToken, access: AccessFiles, hosts: OwnHosts,
    limits: ServiceLimits, registry: PrometheusMetrics
  ) {
    (self.store, self.hosts, self.limits) = (store, hosts, limits)
    requesters = Requesters(token: token, access: access, clock: store.options.clock)
    (self.registry, metrics) = (registry, ServiceMetrics(registry))
  }

  /// Counts a connection that was closed because its client did not read.
  package var stalled: @Sendable () -> Void {
    { [counter = metrics.stalled] in counter.increment() }
  }

  /// The router for an application.
  package var router: Router<ServiceContext> {
    let rates = AccessRates(limits)
    let router = Router(metrics, rates, hosts)
    router.add(middleware: OriginMiddleware(hosts))
    let health = HealthRoutes<ServiceContext>(store)
    health.addLiveness(to: router)
    let sessions = SessionRoutes(requesters: requesters, rates: rates, hosts: hosts)
    let joining = router.group("v1").add(middleware: OffEventLoop())
    sessions.add(to: joining)
    JoinRoutes(store: store, requesters: requesters, rates: rates, hosts: hosts).add(to: joining)
    PageRoutes().add(to: router)
    let invited = router.group().add(
      middleware: AccessMiddleware(requesters: requesters, rates: rates))
    health.addReadiness(to: invited)
    OpenAPIRoute().add(to: invited)
    sessions.add(toInvited: invited.group("v1"))
    let owner = invited.group("v1").add(middleware: OwnerMiddleware())
      .add(middleware: OffEventLoop())
    AccessRoutes(store: store, requesters: requesters).add(to: owner)
    let routes = StoreRoutes<ServiceContext>(
      limits: limits, metrics: metrics, peer: { $0.requester?.id }, channel: \.channel,
      source: { [store] _, _ in store })
    routes.add(to: invited.group("v1"))
    MetricsRoutes(registry: registry) { [store] in try await routes.report(on: store) }
      .add(to: invited.group().add(middleware: OffEventLoop()))
    router.refuseOtherMethods(in: invited)
    return router
  }
}
#endif
