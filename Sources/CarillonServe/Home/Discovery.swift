#if Service
import Carillon
import CarillonDocuments
import Foundation
import Logging
import ServiceLifecycle
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Announces the service in the local network by mDNS, as long as this process runs.
///
/// Avahi publishes the type, the port and the path, and nothing about the person.
struct Discovery: ServiceLifecycle.Service {
  static let type = "_carillon._tcp"
  private static let path = "path=/"

  private let output: ProgramOutput
  private let logger: Logger
  private let ports: AsyncStream<Int>
  private let start: AsyncStream<Int>.Continuation

  init(_ output: ProgramOutput, _ logger: Logger) {
    (self.output, self.logger) = (output, logger)
    (ports, start) = AsyncStream.makeStream(of: Int.self)
  }

  /// Requires that Avahi runs, before anything else of the service does.
  ///
  /// - Throws: ``ServeFailure``.
  static func requireAvahi() async throws {
    let outcome = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", "exec avahi-browse --cache --parsable \(type)"],
      output: .discarded, error: .string(limit: 4_096))
    guard case .exited(0) = outcome.terminationStatus else {
      let lines = outcome.standardError.split(separator: "\n")
      throw failure(lines.last.map(String.init) ?? "avahi-browse ended")
    }
  }

  /// The server accepts connections at a port.
  func serverRuns(at port: Int) { start.yield(port) }

  /// Announces the service until it stops, and again after Avahi was restarted.
  ///
  /// - Throws: ``ServeFailure`` if Avahi does not announce the service at first.
  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown {
        guard let port = await ports.first(where: { _ in true }) else { return }
        var isAnnounced = false
        while true {
          let refusal = try await publish(port, &isAnnounced)
          try Task.checkCancellation()
          guard isAnnounced else { throw Self.failure(refusal) }
          logger.warning("Avahi ended the announcement", metadata: ["reason": "\(refusal)"])
          try await Task.sleep(for: .seconds(30))
        }
      }
    } catch is CancellationError {
      // The service stops.
    }
  }

  // MARK: -

  /// Ends the program at the end of the standard input, which comes also if this process is killed.
  private static let script = """
    avahi-publish "$@" </dev/null &
    exec 2>/dev/null
    read -r end
    kill $!
    """

  /// Runs `avahi-publish` until it ends, and returns the last line that it printed.
  private func publish(_ port: Int, _ isAnnounced: inout Bool) async throws -> String {
    let host = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
    let name = "Carillon on \(host)".cut(toBytes: 63)
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .milliseconds(500))
    ]
    let outcome = try await Subprocess.run(
      .path("/bin/sh"),
      arguments: ["-c", Self.script, "sh", "-s", name, Self.type, "\(port)", Self.path],
      platformOptions: options, input: .inputWriter, output: .discarded, error: .sequence
    ) { execution in
      var last = "avahi-publish ended"
      var isEstablished = false
      for try await line in execution.standardError.strings() {
        last = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let match = last.firstMatch(of: /^Established under name '(.*)'$/) else { continue }
        isEstablished = true
        sayAnnounced(String(match.output.1), port)
      }
      try await execution.standardInputWriter.finish()
      return (last, isEstablished)
    }
    if outcome.closureResult.1 { isAnnounced = true }
    return outcome.closureResult.0
  }

  private func sayAnnounced(_ name: String, _ port: Int) {
    output.announce(
      "Announced in the local network as \"\(name.printable)\": \(Self.type), port \(port), "
        + "\(Self.path)\n",
      ["announced": .text(name), "type": .text(Self.type), "port": .integer(port)])
  }

  private static func failure(_ refusal: String) -> ServeFailure {
    ServeFailure(
      status: .unreachable, message: "Avahi does not announce the service: \(refusal)",
      hint: "install avahi-daemon and avahi-utils and start the daemon, or leave out --discover")
  }
}
#endif
