#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonHub
import CarillonModel
import CarillonService
import Foundation
import ServiceLifecycle
import Synchronization

/// A running hub: the logs of many people, served until a signal.
struct HubProgram {
  private let settings: HubSettings
  private let output: ProgramOutput
  private let server: WebServer

  /// - Parameter connections: The number of connections for which the process has files.
  init(_ settings: HubSettings, _ output: ProgramOutput, openFilesFor connections: Int) {
    (self.settings, self.output) = (settings, output)
    server = WebServer(settings.server, openFilesFor: connections)
  }

  /// Serves until the first SIGTERM or SIGINT, then closes the database.
  ///
  /// - Throws: ``ServeFailure``.
  func run() async throws {
    try await settings.place.open(
      groups: settings.groups, requiresCopies: settings.requiresCopies,
      connectionCount: settings.connectionCount, creates: true
    ).closing { try await serve($0) }
  }

  private func serve(_ database: any HubDatabase) async throws {
    let address = HubAddress()
    let certificate = try server.certificate { address.setKey($0) }
    let hosts = OwnHosts(
      isSecure: certificate != nil,
      // With TLS of its own, no proxy on this computer says who the client is.
      publicAddress: certificate == nil ? settings.server.publicAddress : nil)
    let hub = HubRouter(
      database, hosts: hosts, limits: server.limits, registry: PrometheusMetrics(),
      logger: server.logger, clock: StoreOptions().clock, service: { address.service })
    try await server.run(
      hub.router, certificate, beside: [hub.news], stalled: hub.stalled
    ) { _, reachable in
      address.set(reachable)
      output.announce(
        "Serving a hub at \(reachable.absoluteString)\n",
        ["address": .text(reachable.absoluteString)])
    }
  }
}

/// Where devices reach the hub, and the pin of its key.
final class HubAddress: Sendable {
  private let state = Mutex((address: URL?.none, key: String?.none))

  /// Nil before the server runs.
  var service: RunningServices.Service? {
    state.withLock { state in
      state.address.map { RunningServices.Service(address: $0, key: state.key) }
    }
  }

  func set(_ address: URL) { state.withLock { $0.address = address } }

  func setKey(_ key: String) { state.withLock { $0.key = key } }
}
#endif
