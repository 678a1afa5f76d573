#if Service
import CarillonDocuments
import CarillonHub
import CarillonModel
import HTTPTypes
import Hummingbird

/// The routes that say whether a hub lives, and whether its groups of servers can be used.
struct HubHealthRoutes {
  let hub: Hub
  let hosts: OwnHosts
  let metrics: ServiceMetrics
  let registry: PrometheusMetrics

  func add(to router: Router<ServiceContext>) {
    HealthRoutes<ServiceContext>().addLiveness(to: router)
    router.get("readyz") { _, _ in
      let groups = await hub.groups()
      let problems = groups.map { hub.problem(of: $0) }
      // One group of many that fails is no reason to take the process out of use.
      let shortage = groups.lazy.compactMap(\.diskShortage).first
      let isReady = problems.contains(nil) && shortage == nil
      let disk: [JSON] =
        groups.allSatisfy { $0.freeByteCount == nil }
        ? []
        : [
          [
            "name": .text("disk"), "ok": .bool(shortage == nil), "problem": .text(shortage),
            "copies": .null,
          ]
        ]
      let document: JSON = [
        "ready": .bool(isReady),
        "checks": .array(
          zip(groups, problems).map { group, problem in
            [
              "name": .text(group.name), "ok": .bool(problem == nil), "problem": .text(problem),
              "copies": group.copyCount.map { .integer($0) } ?? .null,
            ]
          } + disk),
      ]
      return Answer(document, isReady ? .ok : .serviceUnavailable)
    }
    MetricsRoutes(registry: registry) { [hub, metrics] in
      for group in await hub.groups() {
        metrics.report(group: group.name, isUsable: hub.problem(of: group) == nil)
      }
    }.add(to: router.group().add(middleware: LocalMiddleware(hosts: hosts)))
  }
}

extension Hub {
  /// What is wrong with a group; nil if nothing is.
  ///
  /// It names no host, since an answer may leave this computer.
  fileprivate func problem(of group: HubGroup) -> String? {
    let obstacle = group.failure?.obstacle ?? obstacles.current(in: .group(group.name))
    return obstacle?.rawValue ?? group.failure.map { _ in "the database cannot be used" }
  }
}

extension HubGroup {
  /// What is wrong with the free space of the disk; nil if nothing is, or if it is not known.
  var diskShortage: String? { freeByteCount.flatMap { Readiness.shortage(of: $0) } }
}

/// Refuses clients on other computers, those of a proxy, and the pages of sites whose names resolve
/// to this computer.
private struct LocalMiddleware: RouterMiddleware {
  typealias Context = ServiceContext

  let hosts: OwnHosts

  func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    guard context.client.isLoopback, hosts.contain(try request.requireHost(), port: nil) else {
      throw Problem(
        .forbidden, code: "forbidden", detail: "the numbers are for this computer only",
        hint: "collect them from an agent on the computer of the hub, at 127.0.0.1 or localhost")
    }
    return try await next(request, context)
  }
}
#endif
