#if Service
import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonService
import Dispatch
import Foundation

/// The flags of `carillon-serve`.
struct ServeFlags: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon-serve", abstract: "Serve a store over HTTP, until Ctrl-C.",
    discussion: """
      Examples:
        carillon serve
        carillon serve --listen 0.0.0.0:8787 --tls-certificate a.pem --tls-key a.key --discover
        carillon serve --install
      """)

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

  @Flag(
    help: ArgumentHelp(
      "Announce the service in the local network by mDNS, which requires Avahi: its type, port and "
        + "path, and the name of this computer."))
  var discover = false

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
    help: ArgumentHelp(
      "The most bytes of all bodies that are being received (default: 67108864).",
      valueName: "bytes"))
  var maxBodies: String?

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
      "The most lists of events and exports that are being read (default: 8).", valueName: "n"))
  var maxDownloads: String?

  @Option(
    help: ArgumentHelp(
      "The most answers that take long, such as plans, computed at a time (default: the number of "
        + "cores, and at least 2).", valueName: "n"))
  var maxReads: String?

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

  @Flag(
    help: ArgumentHelp(
      "Print each setting and where it comes from, check that the service could start, and end."))
  var checkConfig = false

  @Flag(help: "Write a systemd user unit that serves the store with these flags, and end.")
  var install = false

  @Flag(help: "Remove the unit that --install wrote, and end.")
  var uninstall = false

  /// The given flags after which the program ends without serving.
  var acts: [String] {
    [("--check-config", checkConfig), ("--install", install), ("--uninstall", uninstall)]
      .filter(\.1).map(\.0)
  }

  @OptionGroup var output: ProgramOutput

  // Refused with a reason; without this, it would be an unknown option.
  @Option(help: .hidden)
  var now: String?

  /// The given flags, by name.
  var given: [String: String] {
    [
      "store": store, "zone": zone, "listen": listen, "tls-certificate": tlsCertificate,
      "tls-key": tlsKey, "names": names, "public-address": publicAddress,
      "log-level": logLevel, "max-body": maxBody, "max-bodies": maxBodies,
      "max-connections": maxConnections,
      "max-connections-per-address": maxConnectionsPerAddress, "max-streams": maxStreams,
      "max-downloads": maxDownloads, "max-reads": maxReads, "max-requests": maxRequests,
      "max-failures": maxFailures, "first-request-seconds": firstRequestSeconds,
      "stall-seconds": stallSeconds, "heartbeat-seconds": heartbeatSeconds,
      "discover": discover ? "yes" : nil,
    ].compactMapValues { $0 }
  }
}

/// `carillon-serve`: serves a store over HTTP.
@main
enum ServeCommand {
  /// Runs the program, and ends it with the exit code of the command line.
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let given = Array(CommandLine.arguments.dropFirst())
    var output = ProgramOutput()
    output.json = given.contains("--json")
    if let failure = FileLimit.failure() { output.end(failure) }
    Task { [output] in await main(given, output) }
    dispatchMain()
  }

  private static func main(_ given: [String], _ output: ProgramOutput) async -> Never {
    var output = output
    do {
      let flags = try parse(given)
      output = flags.output
      try await serve(flags)
      Foundation.exit(EXIT_SUCCESS)
    } catch let failure as ServeFailure {
      output.end(failure)
    } catch {
      output.end(
        ServeFailure(
          status: .internal, message: "\(error)",
          hint: "this is a bug in Carillon; please report it"))
    }
  }

  /// Reads the flags, or prints the help that they request and ends the process.
  private static func parse(_ given: [String]) throws(ServeFailure) -> ServeFlags {
    do {
      return try ServeFlags.parse(given)
    } catch {
      guard !ServeFlags.exitCode(for: error).isSuccess else { ServeFlags.exit(withError: error) }
      throw .usage(ServeFlags.message(for: error), hint: "see carillon serve --help")
    }
  }

  private static func serve(_ flags: ServeFlags) async throws {
    let output = flags.output
    guard flags.now == nil else {
      throw ServeFailure.usage(
        "--now: a service uses the system's clock", hint: "leave out --now")
    }
    guard flags.acts.count <= 1 else {
      throw ServeFailure.usage(
        "\(flags.acts.joined(separator: " and ")) cannot be used together",
        hint: "give one of them")
    }
    if flags.uninstall { return try output.answer(UnitInstallation().uninstall()) }
    var reader = try SettingReader(flags: flags.given, file: flags.config)
    let settings = try Settings(from: &reader)
    if flags.checkConfig {
      output.answer(reader.found)
      return try await settings.check()
    }
    if flags.install {
      return try await output.answer(
        UnitInstallation().install(settings, reader.found, config: flags.config))
    }
    let connections = FileLimit.raise(to: settings.limits.connections)
    try await FileLimit.openClocks()
    try await Program(settings, output, openFilesFor: connections).run()
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
