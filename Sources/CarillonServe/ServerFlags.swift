#if Service
import ArgumentParser

/// The flags of the server, for a store or a hub.
struct ServerFlags: ParsableArguments {
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
    parsing: .unconditional,
    help: ArgumentHelp("The most bytes in a body (default: 16777216).", valueName: "bytes"))
  var maxBody: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most bytes of all bodies that are being received (default: 67108864).",
      valueName: "bytes"))
  var maxBodies: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most open connections (default: 1024).", valueName: "n"))
  var maxConnections: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most open connections from an address of another computer (default: 64).",
      valueName: "n"))
  var maxConnectionsPerAddress: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most open streams (default: 512).", valueName: "n"))
  var maxStreams: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most lists of events and exports that are being read (default: 8).", valueName: "n"))
  var maxDownloads: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most answers that take long, such as plans, computed at a time (default: the number of "
        + "cores, and at least 2).", valueName: "n"))
  var maxReads: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most requests a second, of a device and from an address (default: 100).",
      valueName: "n"))
  var maxRequests: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most requests a minute without a valid token from an address (default: 60).",
      valueName: "n"))
  var maxFailures: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Close a connection on which no request begins within this time (default: 10).",
      valueName: "n"))
  var firstRequestSeconds: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Disconnect a client that does not read for this time (default: 30).", valueName: "n"))
  var stallSeconds: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time between two signs of life in a stream (default: 15).", valueName: "n"))
  var heartbeatSeconds: String?

  @Option(
    help: ArgumentHelp(
      "Read settings from a JSON file: the long flags without their hyphens, as members. The "
        + "environment overrides it, such as CARILLON_LISTEN, and flags override both.",
      valueName: "file"), completion: .file())
  var config: String?

  /// The given flags, by name.
  var given: [String: String] {
    [
      "listen": listen, "tls-certificate": tlsCertificate, "tls-key": tlsKey, "names": names,
      "public-address": publicAddress, "log-level": logLevel, "max-body": maxBody,
      "max-bodies": maxBodies, "max-connections": maxConnections,
      "max-connections-per-address": maxConnectionsPerAddress, "max-streams": maxStreams,
      "max-downloads": maxDownloads, "max-reads": maxReads, "max-requests": maxRequests,
      "max-failures": maxFailures, "first-request-seconds": firstRequestSeconds,
      "stall-seconds": stallSeconds, "heartbeat-seconds": heartbeatSeconds,
    ].compactMapValues { $0 }
  }
}
#endif
