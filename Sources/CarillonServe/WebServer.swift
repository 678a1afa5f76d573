#if Service
import CarillonDocuments
import CarillonService
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle

/// The HTTP server of the program, with its limits, its certificate, and what stops it.
struct WebServer {
  let settings: ServerSettings
  let limits: ServiceLimits
  let logger: Logger

  /// - Parameter connections: The number of connections for which the process has files.
  init(_ settings: ServerSettings, openFilesFor connections: Int) {
    self.settings = settings
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
  static func logger(_ settings: ServerSettings) -> Logger {
    Logger(label: "carillon-serve") { _ in LogLines(logLevel: settings.logLevel) }
  }

  /// Reads the certificate, and warns of names that it does not cover.
  ///
  /// - Parameter onKey: Called with the pin of the key that clients see, now and when it changes.
  /// - Returns: Nil without TLS.
  /// - Throws: ``ServeFailure``.
  func certificate(onKey: @escaping @Sendable (String) -> Void) throws -> Certificate? {
    guard let files = settings.tls else { return nil }
    let isProxied = settings.publicAddress != nil
    let certificate = try Certificate(files, logger) { key in
      // Behind a proxy, clients see its key.
      if !isProxied { onKey(key) }
    }
    warnOfNames(certificate)
    return certificate
  }

  /// Serves until the first SIGTERM or SIGINT, then ends the streams, and waits for the requests
  /// that are being answered.
  ///
  /// - Parameters:
  ///   - others: What runs beside the server, and stops before it.
  ///   - stalled: Called when a connection was closed because its client did not read.
  ///   - onRunning: Called with the port, and with the address at which clients reach it.
  /// - Throws: ``ServeFailure``.
  func run(
    _ router: Router<ServiceContext>, _ certificate: Certificate?, beside others: [any Service],
    stalled: @escaping @Sendable () -> Void, onRunning: @escaping @Sendable (Int, URL) -> Void
  ) async throws {
    warnOfPrivateFiles()
    do {
      let manager = try ServiceManager(ProcessInfo.processInfo.environment, logger)
      let watchdog = try manager.map {
        Watchdog($0, try SelfCheck(settings.listen, isSecure: certificate != nil, logger))
      }
      let application = Application(
        router: router, server: try server(certificate, stalled),
        configuration: ApplicationConfiguration(
          address: .hostname(settings.listen.host, port: settings.listen.port),
          backlog: 4_096),
        onServerRunning: { channel in
          let port = channel.localAddress?.port ?? settings.listen.port
          onRunning(port, settings.publicAddress ?? settings.address(at: port))
          watchdog?.serverRuns(at: port)
        }, logger: logger)
      // They stop in the opposite order.
      let first: [(any Service)?] = [certificate?.reloader, application]
      try await run(first.compactMap { $0 } + others + (watchdog.map { [$0] } ?? []))
    } catch let error as IOError {
      throw failure(error)
    } catch is SocketAddressError.UnknownHost {
      throw ServeFailure.usage(
        "the host \"\(settings.listen.host)\" of the address to listen on cannot be resolved",
        hint: "give an IP address of this computer: --listen 127.0.0.1:8787")
    }
  }

  private func run(_ services: [any Service]) async throws {
    var configuration = ServiceGroupConfiguration(
      services: services.map {
        .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
      }, logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    let group = ServiceGroup(configuration: configuration)
    let signals = StopSignals { Task { await group.triggerGracefulShutdown() } }
    defer { withExtendedLifetime(signals) {} }
    try await group.run()
  }

  private func server(
    _ certificate: Certificate?, _ stalled: @escaping @Sendable () -> Void
  ) throws -> HTTPServerBuilder {
    let channel = channel(stalled)
    let server = HTTPServerBuilder { responder in
      LoopChannel(HTTP1Channel(responder: responder, configuration: channel))
    }
    guard let certificate else { return server }
    return try .tls(server, tlsConfiguration: certificate.configuration)
  }

  /// The limits on connections and on what they send.
  private func channel(_ stalled: @escaping @Sendable () -> Void) -> HTTP1Channel.Configuration {
    let connections = OpenConnections(limits)
    let stall = limits.stall
    return HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        MessageRulesInstaller(), ClientConnection(), connections.handler(), UnreadRequest(),
        StallLimit(stall, onStall: stalled),
      ], idleTimeout: .seconds(60),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16_384, maxHeaderListSize: 32_768, maxHeaderFieldCount: 100))
  }

  /// Warns of files that other users of the computer should not read or change, but can.
  ///
  /// It is no error, since the secrets of a container may be files with any mode.
  private func warnOfPrivateFiles() {
    for file in settings.privateFiles {
      let path = URL(filePath: file.path).resolvingSymlinksInPath().path
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      let mode = attributes?[.posixPermissions] as? Int ?? 0
      let isChangeable = mode & 0o002 != 0
      guard isChangeable || file.isSecret && mode & 0o004 != 0 else { continue }
      logger.warning(
        "other users of this computer can \(isChangeable ? "change" : "read") a private file",
        metadata: ["file": "\(file.path)", "hint": "take the permissions from others: chmod o-rw"])
    }
  }

  /// Warns of names of the service that are not in its certificate.
  private func warnOfNames(_ certificate: Certificate) {
    let listen = settings.listen.isAny ? nil : HostName(settings.listen.webHost)
    let names = settings.names + (listen.map { [$0] } ?? [])
    for name in names where !certificate.covers(name) {
      logger.warning(
        "the certificate is not for a name of the service",
        metadata: ["name": "\(name.text)", "certificate": "\(certificate.file)"])
    }
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
