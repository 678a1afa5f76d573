#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonService
import Foundation
import ServiceLifecycle

/// The running program: one store, served until a signal.
struct Program {
  private let settings: Settings
  private let output: ProgramOutput
  private let server: WebServer

  /// - Parameter connections: The number of connections for which the process has files.
  init(_ settings: Settings, _ output: ProgramOutput, openFilesFor connections: Int) {
    (self.settings, self.output) = (settings, output)
    server = WebServer(settings.server, openFilesFor: connections)
  }

  /// Serves the store until the first SIGTERM or SIGINT, then closes it.
  ///
  /// - Throws: ``ServeFailure``.
  func run() async throws {
    do {
      if settings.isDiscoverable { try await Discovery.requireAvahi() }
      let store = try await Store.open(at: settings.store, options: options)
      try await store.closing { try await serve($0) }
    } catch let error as StoreError {
      throw ServeFailure(serving: error, naming: settings.givenStore)
    }
  }

  private var options: StoreOptions {
    var options = StoreOptions()
    if let zone = settings.zone { options.zone = { zone } }
    options.logger = server.logger
    return options
  }

  private func serve(_ store: Store) async throws {
    let token = try AccessToken(of: settings.store)
    let access = try AccessFiles(of: settings.store)
    let announcement = try Announcement(
      of: settings.store, isOpen: !settings.server.listen.isLoopback, server.logger)
    defer { announcement.stop() }
    let certificate = try server.certificate { announcement.setKey($0) }
    let (names, listen) = (settings.server.names, settings.server.listen)
    let hosts = OwnHosts(
      and: names.map(\.text) + [listen.webHost], isSecure: certificate != nil,
      publicAddress: settings.server.publicAddress)
    let service = ServiceRouter(
      store, token: token, access: access, hosts: hosts, limits: server.limits,
      registry: PrometheusMetrics())
    let discovery = settings.isDiscoverable ? Discovery(output, server.logger) : nil
    try await server.run(
      service.router, certificate, beside: discovery.map { [$0] } ?? [], stalled: service.stalled
    ) { port, address in
      announcement.start(at: address)
      sayReady(settings.server.address(at: port), token)
      discovery?.serverRuns(at: port)
    }
  }

  private func sayReady(_ address: URL, _ token: AccessToken) {
    let page = "\(address.absoluteString)#token=\(token.text)"
    output.announce(
      """
      Serving \(settings.store.relativePath.printable) at \(page)
      Open this address in a browser to see the page. It is as secret as a password.

      """,
      [
        "store": .text(settings.store.path), "address": .text(address.absoluteString),
        "page": .text(page),
      ])
  }
}
#endif
