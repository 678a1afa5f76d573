import CarillonDocuments
import CarillonTestSupport
import Foundation

@testable import CarillonCLI

/// A real sshd on the loopback interface, with its own keys.
final class SSHServer: Sendable {
  /// The environment that makes `carillon sync ssh://...` connect to it.
  var variables: [String: String] {
    [
      "CARILLON_SSH": command(key: "key"),
      "CARILLON_REMOTE": ShellWord.quoted(Executable.url.path),
    ]
  }
  /// Its address, such as `ssh://me@localhost:40022`.
  let address: String
  /// The directory of its settings and keys.
  ///
  /// Not in the system's temporary directory, since OpenSSH interprets spaces, quotes and percent
  /// signs in these paths, in a different way in each setting.
  private let folder = "/tmp/carillon-ssh-\(UUID().uuidString)"
  private let process: ChildProcess

  /// Why there is no sshd on this computer; nil if there is one.
  static let missing: String? = {
    let programs = ["/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"]
    for program in programs where !FileManager.default.isExecutableFile(atPath: program) {
      return "\(program) is not installed (tools/prepare --tests)"
    }
    // A server that runs as root drops its privileges in this directory.
    guard geteuid() != 0 || FileManager.default.fileExists(atPath: "/run/sshd") else {
      return "/run/sshd is not there (tools/prepare --tests)"
    }
    return nil
  }()

  /// Starts the server and waits until it listens.
  init() async throws {
    let folder = folder
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let port = try Self.freePort()
    for name in ["host", "key", "stranger"] {
      let make = try await ChildProcess(
        URL(filePath: "/usr/bin/ssh-keygen"),
        ["-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/\(name)"], environment: [:])
      _ = try await make.end()
    }
    let user = NSUserName()
    let hostKey = try String(contentsOfFile: "\(folder)/host.pub", encoding: .utf8)
    try Data("[localhost]:\(port) \(hostKey)".utf8).write(to: URL(filePath: "\(folder)/known"))
    // Without the user's home, whose startup files may print to the standard error.
    let settings = """
      Port \(port)
      ListenAddress 127.0.0.1
      HostKey \(folder)/host
      AuthorizedKeysFile \(folder)/key.pub
      PidFile none
      StrictModes no
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PermitRootLogin prohibit-password
      SetEnv HOME=\(folder)
      """
    try Data(settings.utf8).write(to: URL(filePath: "\(folder)/sshd_config"))
    process = try await ChildProcess(
      URL(filePath: "/usr/sbin/sshd"),
      ["-D", "-f", "\(folder)/sshd_config", "-E", "\(folder)/sshd.log"], environment: [:])
    address = "ssh://\(user)@localhost:\(port)"
    while process.isRunning, try !Self.log(folder).contains("Server listening") {
      // Nothing notifies this process of changes to the file.
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  deinit {
    kill(process.identifier, SIGTERM)
    // The system cleans up what cannot be removed.
    _ = try? FileManager.default.removeItem(atPath: folder)
  }

  /// ssh without the user's own settings.
  func command(key: String) -> String {
    let options = [
      "UserKnownHostsFile=\(folder)/known", "GlobalKnownHostsFile=none",
      "StrictHostKeyChecking=yes", "IdentitiesOnly=yes", "BatchMode=yes", "LogLevel=ERROR",
      "AddressFamily=inet",
    ]
    return "ssh -F none -i \(folder)/\(key) " + options.map { "-o \($0)" }.joined(separator: " ")
  }

  private static func log(_ folder: String) throws -> String {
    let file = "\(folder)/sshd.log"
    guard FileManager.default.fileExists(atPath: file) else { return "" }
    return try String(contentsOfFile: file, encoding: .utf8)
  }

  /// A port that is free at this moment.
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
