#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonHub
import CarillonHubFiles
import CarillonModel
import CarillonService
import Foundation
import ServiceLifecycle
import Synchronization

/// A running hub: the logs of many people, served until a signal.
struct HubProgram {
  private let settings: HubSettings
  private let output: ProgramOutput
  /// The given flags that say where the database is, each after a space.
  private let place: String
  private let server: WebServer

  /// - Parameters:
  ///   - place: The given flags that say where the database is, each after a space.
  ///   - connections: The number of connections for which the process has files.
  init(
    _ settings: HubSettings, at place: String, _ output: ProgramOutput,
    openFilesFor connections: Int
  ) {
    (self.settings, self.place, self.output) = (settings, place, output)
    server = WebServer(settings.server, openFilesFor: connections)
  }

  /// Serves until the first SIGTERM or SIGINT, then closes the database.
  ///
  /// - Throws: ``ServeFailure``.
  func run() async throws {
    let isNew =
      if case .files(let path) = settings.place { !FileHub.exists(at: path) } else { false }
    try await settings.place.open(
      groups: settings.groups, requiresCopies: settings.requiresCopies,
      connectionCount: settings.connectionCount, creates: true
    ).closing { try await serve($0, isNew: isNew) }
  }

  /// - Parameter isNew: Whether the files of the hub were created.
  private func serve(_ database: any HubDatabase, isNew: Bool) async throws {
    // A database that does not answer is reported when devices need it.
    try? await database.finishErasures()
    let isEmpty = (try? await database.people(after: nil, limit: 1))?.isEmpty ?? false
    let next = isEmpty ? emptyText(isNew: isNew) : ""
    let address = HubAddress(isOpen: !settings.server.listen.isLoopback)
    let certificate = try server.certificate { address.setKey($0) }
    let hosts = OwnHosts(
      and: settings.server.names.map(\.text), isSecure: certificate != nil,
      // With TLS of its own, no proxy on this computer says who the client is.
      publicAddress: certificate == nil ? settings.server.publicAddress : nil)
    let hub = HubRouter(
      database, hosts: hosts, limits: server.limits, registry: PrometheusMetrics(),
      logger: server.logger, clock: StoreOptions().clock,
      hint: { [place] in ServeFailure(hub: .refused(by: $0)).naming(place: place).hint },
      service: { address.service })
    try await server.run(
      hub.router, certificate, beside: [hub.news], stalled: hub.stalled
    ) { _, reachable in
      address.set(reachable)
      output.announce(
        "Serving a hub at \(reachable.absoluteString)\n" + next,
        ["address": .text(reachable.absoluteString)])
    }
  }

  private func emptyText(isNew: Bool) -> String {
    "The hub \(isNew ? "is new, and " : "")has no people yet. To add the first one: "
      + HubPeopleList.adding(place) + "\n"
  }
}

/// Where devices reach the hub, and the pin of its key.
final class HubAddress: Sendable {
  private let state = Mutex((address: URL?.none, key: String?.none))
  private let isOpen: Bool

  /// - Parameter isOpen: Whether the hub accepts connections of other computers.
  init(isOpen: Bool) {
    self.isOpen = isOpen
  }

  /// Nil before the server runs.
  var service: RunningServices.Service? {
    state.withLock { state in
      state.address.map { RunningServices.Service(address: $0, key: state.key, isOpen: isOpen) }
    }
  }

  func set(_ address: URL) { state.withLock { $0.address = address } }

  func setKey(_ key: String) { state.withLock { $0.key = key } }
}
#endif
