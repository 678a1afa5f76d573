#if Service
package import Carillon
import HTTPTypes
package import Hummingbird
import Metrics

/// All that a service answers: the routes of a store for its owner, health, numbers and the page.
package struct ServiceRouter {
  let store: Store
  let token: AccessToken
  let hosts: OwnHosts
  let limits: ServiceLimits
  let metrics: ServiceMetrics
  let registry: PrometheusMetrics

  package init(
    _ store: Store, token: AccessToken, hosts: OwnHosts, limits: ServiceLimits,
    registry: PrometheusMetrics
  ) {
    (self.store, self.token, self.hosts, self.limits) = (store, token, hosts, limits)
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
    router.add(middleware: OriginMiddleware(hosts))
    router.get("livez") { _, _ in Answer(["live": .bool(true)]) }
    SessionRoutes(token: token, hosts: hosts, clock: store.options.clock).add(
      to: router.group("v1"))
    PageRoutes().add(to: router)
    let owner = router.group().add(middleware: TokenMiddleware(token, clock: store.options.clock))
    HealthRoutes(store: store, metrics: metrics, registry: registry).add(to: owner)
    OpenAPIRoute().add(to: owner)
    StoreRoutes(limits: limits, metrics: metrics) { [store] _, _ in store }
      .add(to: owner.group("v1"))
    refuseOtherMethods(of: router.routes, in: owner)
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
