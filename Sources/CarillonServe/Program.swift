#if Service
import Carillon
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
  private let logger: Logger

  init(_ settings: Settings) {
    self.settings = settings
    logger = Logger(label: "carillon-serve") { _ in LogLines(logLevel: settings.logLevel) }
  }

  /// Serves the store until the first SIGTERM or SIGINT, then ends the streams, waits for the
  /// requests that are being answered, and closes the store.
  ///
  /// - Throws: ``ServeFailure``.
  func run() async throws {
    do {
      let store = try await Store.open(at: settings.store, options: options)
      try await store.closing { try await serve($0) }
    } catch let error as StoreError {
      throw ServeFailure(error)
    } catch let error as IOError {
      throw failure(error)
    }
  }

  private var options: StoreOptions {
    var options = StoreOptions()
    if let zone = settings.zone { options.zone = { zone } }
    options.logger = logger
    return options
  }

  private func serve(_ store: Store) async throws {
    let token = try AccessToken(of: settings.store)
    let certificate = try settings.tls.map { try Certificate($0, logger) }
    let registry = PrometheusMetrics()
    let hosts = OwnHosts(
      and: settings.names + [settings.listen.webHost], isSecure: certificate != nil)
    let service = ServiceRouter(
      store, token: token, hosts: hosts, limits: settings.limits, registry: registry)
    var server = HTTPServerBuilder.http1(configuration: channel(service))
    if let certificate {
      server = try .tls(server, tlsConfiguration: certificate.configuration)
    }
    let application = Application(
      router: service.router, server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(settings.listen.host, port: settings.listen.port)),
      onServerRunning: { sayReady($0, token) }, logger: logger)
    var services: [any ServiceLifecycle.Service] = [application]
    if let certificate { services.insert(certificate.reloader, at: 0) }
    var configuration = ServiceGroupConfiguration(services: services, logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    let group = ServiceGroup(configuration: configuration)
    let signals = StopSignals { Task { await group.triggerGracefulShutdown() } }
    defer { withExtendedLifetime(signals) {} }
    try await group.run()
  }

  /// The limits on connections and on what they send.
  private func channel(_ service: ServiceRouter) -> HTTP1Channel.Configuration {
    let connections = OpenConnections(maxCount: settings.limits.connections)
    let (stall, stalled) = (settings.limits.stall, service.stalled)
    return HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        MessageRulesInstaller(), connections.handler(), UnreadBody(),
        StallLimit(stall, onStall: stalled),
      ], idleTimeout: .seconds(60),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100))
  }

  private func sayReady(_ channel: any Channel, _ token: AccessToken) {
    let port = channel.localAddress?.port ?? settings.listen.port
    let isAny = ["0.0.0.0", "::"].contains(settings.listen.host)
    let host = settings.names.first ?? (isAny ? "localhost" : settings.listen.webHost)
    let scheme = settings.tls == nil ? "http" : "https"
    let line =
      "Serving \(settings.store.relativePath.printable) at "
      + "\(scheme)://\(host):\(port)/#token=\(token.text)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
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
