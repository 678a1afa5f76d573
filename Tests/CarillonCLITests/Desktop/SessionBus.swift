import CarillonTestSupport
import Foundation
import Testing

/// A real D-Bus daemon on a socket of its own, without the services of this computer.
struct SessionBus {
  private let folder: URL
  private let daemon: Child

  /// Whether this computer has what the tests on a bus need; `tools/prepare --tests` installs it.
  static func isInstalled() async throws -> Bool {
    let files = try TemporaryDirectory()
    let check = """
      test -x /usr/bin/dbus-daemon && /usr/bin/python3 -c 'import dbus.service, gi.repository' &&
        /usr/bin/notify-send --help | grep -q -e --action
      """
    let answer = try await Child(
      URL(filePath: "/bin/sh"), ["-c", check], input: "", environment: ["PATH": "/usr/bin:/bin"],
      files: files.url
    ).answer()
    return answer.status == 0
  }

  /// Starts a daemon, runs `body`, and ends the daemon and with it the servers on it.
  static func run(_ body: (SessionBus) async throws -> Void) async throws {
    // A socket's path is short.
    let folder = URL(filePath: "/tmp/carillon-bus-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer {
      // The system cleans up what cannot be removed.
      _ = try? FileManager.default.removeItem(at: folder)
    }
    let bus = try await SessionBus(folder: folder)
    do {
      try await body(bus)
    } catch {
      try await bus.end()
      throw error
    }
    try await bus.end()
  }

  private init(folder: URL) async throws {
    self.folder = folder
    let settings = """
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(folder.path)/socket</listen>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """
    let file = folder.appending(path: "bus.conf")
    try Data(settings.utf8).write(to: file)
    daemon = try await Child(
      URL(filePath: "/usr/bin/dbus-daemon"),
      ["--config-file=\(file.path)", "--nofork", "--nopidfile", "--print-address"], input: "",
      environment: ["PATH": "/usr/bin:/bin"], files: folder)
    try await daemon.prints { $0.hasPrefix("unix:") }
    let errors = try daemon.errors
    try #require(daemon.isRunning, "\(errors)")
  }

  private func end() async throws {
    daemon.signal(SIGTERM)
    _ = try await daemon.answer()
  }

  /// The environment of programs that use the bus.
  var variables: [String: String] {
    ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/socket"]
  }

  /// Runs `body` with a notification server on the bus.
  ///
  /// - Parameter arguments: Arguments of `notification-server`.
  func withServer(
    _ arguments: String..., body: (Child) async throws -> Void
  ) async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "notification-server")
    let server = try await Child(
      script, arguments, input: "",
      environment: variables.merging(["PATH": "/usr/bin:/bin"]) { $1 }, files: folder)
    try await server.prints { $0.contains("ready\n") }
    let errors = try server.errors
    try #require(server.isRunning, "\(errors)")
    do {
      try await body(server)
    } catch {
      try await end(server)
      throw error
    }
    try await end(server)
  }

  private func end(_ server: Child) async throws {
    server.signal(SIGTERM)
    _ = try await server.answer()
  }
}
