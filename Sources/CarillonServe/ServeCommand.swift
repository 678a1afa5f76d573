#if Service
import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonService
import Foundation

/// The flags of `carillon-serve`.
struct ServeFlags: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon-serve", abstract: "Serve a store over HTTP, until Ctrl-C.")

  @Option(
    help: ArgumentHelp(
      "The store's directory (default: CARILLON_STORE, or else ~/.local/share/carillon).",
      valueName: "dir"), completion: .directory)
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The device's time zone, such as Europe/Berlin (default: that of TZ, or the system's).",
      valueName: "tzid"))
  var zone: String?

  @Option(
    help: ArgumentHelp(
      "The host and port to listen on (default: 127.0.0.1:8787); port 0 takes any free port.",
      valueName: "host:port"))
  var listen: String?

  @Option(help: ArgumentHelp("The certificate chain, a PEM file.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The private key of the certificate, a PEM file.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "Other names and IP addresses of this computer, separated by commas.", valueName: "hosts"))
  var names: String?

  @Option(
    help: ArgumentHelp(
      "The address at which a TLS proxy on this computer makes the service reachable.",
      valueName: "https://host"))
  var publicAddress: String?

  @Option(
    help: ArgumentHelp(
      "The least level of messages in the log (default: notice).", valueName: "level"))
  var logLevel: String?

  @Option(
    help: ArgumentHelp("The most bytes in a body (default: 16777216).", valueName: "bytes"))
  var maxBody: String?

  @Option(
    help: ArgumentHelp("The most open connections (default: 1024).", valueName: "n"))
  var maxConnections: String?

  @Option(
    help: ArgumentHelp(
      "The most open connections from an address of another computer (default: 64).",
      valueName: "n"))
  var maxConnectionsPerAddress: String?

  @Option(help: ArgumentHelp("The most open streams (default: 512).", valueName: "n"))
  var maxStreams: String?

  @Option(
    help: ArgumentHelp(
      "The most lists of events and exports that are being read (default: 32).", valueName: "n"))
  var maxDownloads: String?

  @Option(
    help: ArgumentHelp(
      "The most requests a second, of a device and from an address (default: 100).",
      valueName: "n"))
  var maxRequests: String?

  @Option(
    help: ArgumentHelp(
      "The most requests a minute without a valid token from an address (default: 60).",
      valueName: "n"))
  var maxFailures: String?

  @Option(
    help: ArgumentHelp(
      "Close a connection on which no request begins within this time (default: 10).",
      valueName: "n"))
  var firstRequestSeconds: String?

  @Option(
    help: ArgumentHelp(
      "Disconnect a client that does not read for this time (default: 30).", valueName: "n"))
  var stallSeconds: String?

  @Option(
    help: ArgumentHelp(
      "The time between two signs of life in a stream (default: 15).", valueName: "n"))
  var heartbeatSeconds: String?

  @Option(
    help: ArgumentHelp(
      "Read settings from a JSON file: the long flags without their hyphens, as members. The "
        + "environment overrides it, such as CARILLON_LISTEN, and flags override both.",
      valueName: "file"), completion: .file())
  var config: String?

  @Flag(help: "Print each setting and where it comes from, and end.")
  var checkConfig = false

  /// The given flags, by name.
  var given: [String: String] {
    [
      "store": store, "zone": zone, "listen": listen, "tls-certificate": tlsCertificate,
      "tls-key": tlsKey, "names": names, "public-address": publicAddress,
      "log-level": logLevel, "max-body": maxBody, "max-connections": maxConnections,
      "max-connections-per-address": maxConnectionsPerAddress, "max-streams": maxStreams,
      "max-downloads": maxDownloads, "max-requests": maxRequests, "max-failures": maxFailures,
      "first-request-seconds": firstRequestSeconds, "stall-seconds": stallSeconds,
      "heartbeat-seconds": heartbeatSeconds,
    ].compactMapValues { $0 }
  }
}

/// `carillon-serve`: serves a store over HTTP.
@main
enum ServeCommand {
  /// Runs the program, and ends it with the exit code of the command line.
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let flags = ServeFlags.parseOrExit()
    do {
      try await serve(flags)
    } catch {
      let failure =
        error as? ServeFailure
        ?? ServeFailure(
          status: .internal, message: "\(error)",
          hint: "this is a bug in Carillon; please report it")
      FileHandle.standardError.write(Data(failure.text.utf8))
      Foundation.exit(failure.status.rawValue)
    }
  }

  private static func serve(_ flags: ServeFlags) async throws {
    var reader = try await SettingReader(flags: flags.given, file: flags.config)
    let settings = try Settings(from: &reader)
    guard !flags.checkConfig else {
      let width = reader.found.map(\.name.count).max() ?? 0
      let lines = reader.found.sorted { $0.name < $1.name }.map { setting in
        setting.name.padding(toLength: width, withPad: " ", startingAt: 0)
          + "  \(setting.value)  (\(setting.source))"
      }
      FileHandle.standardOutput.write(Data(lines.map { $0.printable + "\n" }.joined().utf8))
      return
    }
    try await Program(settings, openFilesFor: FileLimit.raise(to: settings.limits.connections))
      .run()
  }
}
#else
import Foundation

/// `carillon-serve` of a build without the trait `Service`.
@main
struct ServeCommand {
  static func main() {
    let text = """
      error: this carillon-serve was built without the trait Service
      hint: swift build --enable-all-traits --product carillon-serve

      """
    FileHandle.standardError.write(Data(text.utf8))
    exit(69)
  }
}
#endif
