import CarillonTesting
import Foundation

/// A real sshd on the loopback, with keys of its own.
final class SSHServer: Sendable {
  /// What makes `carillon sync ssh://...` connect to it.
  let variables: [String: String]
  /// Such as `ssh://me@localhost:40022`.
  let address: String
  private let process: ChildProcess

  /// Why there is none on this computer; nil where there is.
  static let missing: String? = {
    let programs = ["/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"]
    for program in programs where !FileManager.default.isExecutableFile(atPath: program) {
      return "\(program) is not installed (tools/prepare --tests)"
    }
    // A server of root drops its rights in this directory.
    guard geteuid() != 0 || FileManager.default.fileExists(atPath: "/run/sshd") else {
      return "/run/sshd is not there (tools/prepare --tests)"
    }
    return nil
  }()

  /// Starts the server and waits until it listens.
  init(_ bench: Workbench) async throws {
    let port = try Self.freePort()
    for name in ["host", "key", "stranger"] {
      let make = try ChildProcess(
        URL(filePath: "/usr/bin/ssh-keygen"),
        ["-q", "-t", "ed25519", "-N", "", "-f", bench.path(name)], environment: [:])
      _ = try await make.end()
    }
    let user = NSUserName()
    let hostKey = try String(contentsOf: bench.url("host.pub"), encoding: .utf8)
    try bench.write("[localhost]:\(port) \(hostKey)", to: "known")
    try bench.write(
      """
      Port \(port)
      ListenAddress 127.0.0.1
      HostKey \(bench.path("host"))
      AuthorizedKeysFile \(bench.path("key.pub"))
      PidFile none
      StrictModes no
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PermitRootLogin prohibit-password
      """, to: "sshd_config")
    process = try ChildProcess(
      URL(filePath: "/usr/sbin/sshd"),
      ["-D", "-f", bench.path("sshd_config"), "-E", bench.path("sshd.log")], environment: [:])
    address = "ssh://\(user)@localhost:\(port)"
    variables = [
      "CARILLON_SSH": Self.command(bench, key: "key"),
      "CARILLON_REMOTE": "'\(Executable.url.path)'",
    ]
    while process.isRunning, try !Self.log(bench).contains("Server listening") {
      // Another process's file has nobody who could wake this one.
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  deinit {
    kill(process.identifier, SIGTERM)
  }

  /// ssh with nothing of this person's settings.
  static func command(_ bench: Workbench, key: String) -> String {
    let options = [
      "UserKnownHostsFile=\(bench.path("known"))", "GlobalKnownHostsFile=none",
      "StrictHostKeyChecking=yes", "IdentitiesOnly=yes", "BatchMode=yes", "LogLevel=ERROR",
      "AddressFamily=inet",
    ]
    return "ssh -F none -i \(bench.path(key)) " + options.map { "-o \($0)" }.joined(separator: " ")
  }

  private static func log(_ bench: Workbench) throws -> String {
    let file = bench.path("sshd.log")
    guard FileManager.default.fileExists(atPath: file) else { return "" }
    return try String(contentsOfFile: file, encoding: .utf8)
  }

  /// A port that nobody has at this moment.
  private static func freePort() throws -> UInt16 {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    let listener = socket(AF_INET, stream, 0)
    defer { close(listener) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &place) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        bind(listener, place, length) == 0 && getsockname(listener, place, &length) == 0
      }
    }
    guard result else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return UInt16(bigEndian: place.sin_port)
  }
}
