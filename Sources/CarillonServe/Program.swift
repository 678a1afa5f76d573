#if Service
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonService
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle

/// The running program: one store, served until a signal.
struct Program {
  let settings: Settings
  private let output: ProgramOutput
  private let limits: ServiceLimits
  private let logger: Logger

  /// - Parameter connections: The number of connections for which the process has files.
  init(_ settings: Settings, _ output: ProgramOutput, openFilesFor connections: Int) {
    self.settings = settings
    self.output = output
    logger = Self.logger(settings)
    var limits = settings.limits
    if connections < limits.connections {
      logger.warning(
        "the system allows fewer open files than max-connections needs",
        metadata: ["connections": "\(connections)"])
      limits.connections = connections
    }
    self.limits = limits
  }

  /// Returns the logger of the program.
  static func logger(_ settings: Settings) -> Logger {
    Logger(label: "carillon-serve") { _ in LogLines(logLevel: settings.logLevel) }
  }

  /// Serves the store until the first SIGTERM or SIGINT, then ends the streams, waits for the
  /// requests that are being answered, and closes the store.
  ///
  /// - Throws: ``ServeFailure``.
  func run() async throws {
    do {
      if settings.isDiscoverable { try await Discovery.requireAvahi() }
      let store = try await Store.open(at: settings.store, options: options)
      try await store.closing { try await serve($0) }
    } catch let error as StoreError {
      throw ServeFailure(error)
    } catch let error as IOError {
      throw failure(error)
    } catch is SocketAddressError.UnknownHost {
      throw ServeFailure.usage(
        "the host \"\(settings.listen.host)\" of the address to listen on cannot be resolved",
        hint: "give an IP address of this computer: --listen 127.0.0.1:8787")
    }
  }

  private var options: StoreOptions {
    var options = StoreOptions()
    if let zone = settings.zone { options.zone = { zone } }
    options.logger = logger
    return options
  }

  private func serve(_ store: Store) async throws {
    let manager = try ServiceManager(ProcessInfo.processInfo.environment, logger)
    let token = try AccessToken(of: settings.store)
    let access = try AccessFiles(of: settings.store)
    let announcement = try Announcement(of: settings.store, logger)
    let certificate = try settings.tls.map { files in
      try Certificate(files, logger) { key in
        // Behind a proxy, clients see its key.
        if settings.publicAddress == nil { announcement.setKey(key) }
      }
    }
    if let certificate { warnOfNames(certificate) }
    let registry = PrometheusMetrics()
    let hosts = OwnHosts(
      and: settings.names.map(\.text) + [settings.listen.webHost], isSecure: certificate != nil,
      publicAddress: settings.publicAddress)
    let service = ServiceRouter(
      store, token: token, access: access, hosts: hosts, limits: limits, registry: registry)
    let channel = channel(service)
    var server = HTTPServerBuilder { responder in
      LoopChannel(HTTP1Channel(responder: responder, configuration: channel))
    }
    if let certificate {
      server = try .tls(server, tlsConfiguration: certificate.configuration)
    }
    let watchdog = try manager.map {
      Watchdog($0, try SelfCheck(settings.listen, isSecure: certificate != nil, logger))
    }
    let discovery = settings.isDiscoverable ? Discovery(output, logger) : nil
    let application = Application(
      router: service.router, server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(settings.listen.host, port: settings.listen.port),
        backlog: 4_096),
      onServerRunning: { channel in
        let address = address(channel)
        announcement.start(at: settings.publicAddress ?? address)
        sayReady(address, token)
        let port = channel.localAddress?.port ?? settings.listen.port
        discovery?.serverRuns(at: port)
        watchdog?.serverRuns(at: port)
      }, logger: logger)
    defer { announcement.stop() }
    // They stop in the opposite order.
    let all: [(any ServiceLifecycle.Service)?] = [
      certificate?.reloader, application, discovery, watchdog,
    ]
    var configuration = ServiceGroupConfiguration(
      services: all.compactMap { $0 }.map {
        .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
      }, logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    let group = ServiceGroup(configuration: configuration)
    let signals = StopSignals { Task { await group.triggerGracefulShutdown() } }
    defer { withExtendedLifetime(signals) {} }
    try await group.run()
  }

  /// The limits on connections and on what they send.
  private func channel(_ service: ServiceRouter) -> HTTP1Channel.Configuration {
    let connections = OpenConnections(limits)
    let (stall, stalled) = (limits.stall, service.stalled)
    return HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        MessageRulesInstaller(), ClientConnection(), connections.handler(), UnreadRequest(),
        StallLimit(stall, onStall: stalled),
      ], idleTimeout: .seconds(60),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100))
  }

  /// Warns of names of the service that are not in its certificate.
  private func warnOfNames(_ certificate: Certificate) {
    let listen = settings.listen.isAny ? nil : HostName(settings.listen.webHost)
    let names = settings.names + (listen.map { [$0] } ?? [])
    for name in names where !certificate.covers(name) {
      logger.warning(
        "the certificate is not for a name of the service", metadata: ["name": "\(name.text)"])
    }
  }

  /// Returns the address of the service.
  private func address(_ channel: any Channel) -> URL {
    let port = channel.localAddress?.port ?? settings.listen.port
    let host =
      settings.names.first?.text
      ?? (settings.listen.isAny ? "localhost" : settings.listen.webHost)
    let text = "\(settings.tls == nil ? "http" : "https")://\(host):\(port)/"
    guard let address = URL(string: text) else { preconditionFailure("\(text) is no address") }
    return address
  }

  private func sayReady(_ address: URL, _ token: AccessToken) {
    let page = "\(address.absoluteString)#token=\(token.text)"
    output.answer(
      """
      Serving \(settings.store.relativePath.printable) at \(page)
      Open this address in a browser to see the page. It is as secret as a password.

      """,
      [
        "store": .text(settings.store.path), "address": .text(address.absoluteString),
        "page": .text(page),
      ])
  }

  /// Returns the failure for an error of listening.
  private func failure(_ error: IOError) -> ServeFailure {
    let address = "\(settings.listen.webHost):\(settings.listen.port)"
    let reason = String(cString: strerror(error.errnoCode))
    let (status, hint): (ExitStatus, String) =
      switch error.errnoCode {
      case EADDRINUSE: (.busy, "stop the program that uses it, or give another port, or port 0")
      case EACCES: (.denied, "give a port from 1024 on")
      case EADDRNOTAVAIL: (.usage, "give an address of this computer, such as 127.0.0.1")
      default: (.inputOutput, "give another address: --listen 127.0.0.1:8787")
      }
    return ServeFailure(
      status: status, message: "cannot listen on \(address): \(reason)", hint: hint)
  }
}
#endif
