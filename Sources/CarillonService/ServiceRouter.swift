#if Service
package import Carillon
package import CarillonAccess
import HTTPTypes
package import Hummingbird
import Metrics

/// All that a service answers: the routes of a store for its owner and those who are invited, health,
/// numbers and the page.
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
    let router = Router(context: ServiceContext.self)
    router.add(middleware: RequestMiddleware(metrics: metrics))
    router.add(middleware: ProblemMiddleware())
    let rates = AccessRates(limits)
    router.add(middleware: AddressMiddleware(rates: rates, hosts: hosts))
    router.add(middleware: OriginMiddleware(hosts))
    router.get("livez") { _, _ in Answer(["live": .bool(true)]) }
    let sessions = SessionRoutes(requesters: requesters, rates: rates, hosts: hosts)
    sessions.add(to: router.group("v1"))
    JoinRoutes(store: store, requesters: requesters, rates: rates, hosts: hosts)
      .add(to: router.group("v1"))
    PageRoutes().add(to: router)
    let invited = router.group().add(
      middleware: AccessMiddleware(
        requesters: requesters, rates: rates, heartbeat: limits.heartbeat))
    HealthRoutes(store: store, metrics: metrics, registry: registry).add(to: invited)
    OpenAPIRoute().add(to: invited)
    sessions.add(toInvited: invited.group("v1"))
    let owner = invited.group("v1").add(middleware: OwnerMiddleware())
    AccessRoutes(store: store, requesters: requesters).add(to: owner)
    let routes = StoreRoutes<ServiceContext>(limits: limits, metrics: metrics) { [store] _, _ in
      store
    }
    routes.add(to: invited.group("v1"))
    refuseOtherMethods(of: router.routes, in: invited)
    return router
  }

  /// Answers the other methods of each path with 405 and the methods that it has.
  private func refuseOtherMethods(
    of routes: [Router<ServiceContext>.RouteDescription],
    in group: some RouterMethods<ServiceContext>
  ) {
    for (path, routes) in Dictionary(grouping: routes, by: \.path.description) {
      let methods = routes.map(\.method)
      let allowed = methods.map(\.rawValue).sorted().joined(separator: ", ")
      for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete]
      where !methods.contains(method) {
        group.on(RouterPath(path), method: method) { request, context in
          var response = Problem(
            .methodNotAllowed, code: "methodNotAllowed",
            detail: "the path has no method \(method.rawValue)", hint: "use \(allowed)"
          ).response(from: request, context: context)
          response.headers[.allow] = allowed
          return response
        }
      }
    }
  }
}
#endif
