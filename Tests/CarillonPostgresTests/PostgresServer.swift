#if Service
import Foundation
import Testing

@testable import CarillonPostgres

/// A PostgreSQL server on a private directory and a Unix socket, stopped and removed with the
/// object, or when the test process ends in any way.
final class PostgresServer: Sendable {
  /// Why there can be no server; nil if there can be one.
  static let whyMissing: Comment? =
    programs == nil ? "PostgreSQL is not installed: tools/prepare --tests installs it" : nil

  /// The server of tests that only need a database.
  static let shared = Result { try PostgresServer() }

  /// The directory of the server's programs.
  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let newest = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
    let directories =
      newest.map { "\(root)/\($0)/bin" } + path.split(separator: ":").map(String.init)
    return directories.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
  }()

  let directory: URL
  private let guardian: Process
  private let lifeline: Pipe

  /// - Parameters:
  ///   - settings: Lines of the server's configuration.
  ///   - primary: The server that this one follows as a standby.
  init(_ settings: [String] = [], following primary: PostgresServer? = nil) throws {
    let programs = try #require(Self.programs)
    directory = FileManager.default.temporaryDirectory.appending(path: "cpg-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let settings =
      ["listen_addresses=''", "unix_socket_directories='\(directory.path)'", "shared_buffers=32MB"]
      + ["max_connections=60"] + settings
    let make =
      if let primary {
        "\(programs)/pg_basebackup -h '\(primary.directory.path)' -U carillon -R -X stream"
          + " -D \"$d/data\""
      } else {
        "\(programs)/initdb -U carillon -A trust --no-sync -D \"$d/data\""
      }
    // The shell reads until the pipe closes, which the system does even if this process is killed.
    // As root, the server runs as another user.
    let script = """
      d=$1; as=
      if [ "$(id -u)" = 0 ]; then
        u=nobody; id postgres >/dev/null 2>&1 && u=postgres
        chown $u "$d"; as="setpriv --reuid=$u --regid=$(id -g $u) --clear-groups"
      fi
      cd "$d"
      end() { $as \(programs)/pg_ctl -D "$d/data" -m immediate stop >/dev/null 2>&1; rm -rf "$d"; }
      trap end EXIT
      $as \(make) >"$d/log" 2>&1 </dev/null || exit 1
      cat "$d/settings" >>"$d/data/postgresql.auto.conf"
      start() { $as \(programs)/pg_ctl -w -D "$d/data" -l "$d/data/log" start >/dev/null 2>&1 \
      </dev/null; }
      start && touch "$d/ready"
      while read -r word; do
        case $word in
          kill) kill -KILL $(head -1 "$d/data/postmaster.pid"); sleep 0.2 ;;
          stop) $as \(programs)/pg_ctl -D "$d/data" -m immediate stop >/dev/null 2>&1 ;;
          # A killed server's processes may hold its memory for a moment.
          start) until start; do sleep 0.1; done ;;
        esac
        touch "$d/done"
      done
      """
    try Data(settings.map { $0 + "\n" }.joined().utf8)
      .write(to: directory.appending(path: "settings"))
    guardian = Process()
    lifeline = Pipe()
    guardian.executableURL = URL(filePath: "/bin/sh")
    guardian.arguments = ["-c", script, "sh", directory.path]
    guardian.standardInput = lifeline
    try guardian.run()
    try wait(for: "ready")
  }

  deinit {
    try? lifeline.fileHandleForWriting.close()
    guardian.waitUntilExit()
  }

  /// The connection string.
  var database: String { "host='\(directory.path)' user=carillon dbname=postgres" }

  var options: PostgresOptions { PostgresOptions(database) }

  /// Kills the server process, stops the server at once, or starts it again.
  func tell(_ word: String) throws {
    try lifeline.fileHandleForWriting.write(contentsOf: Data("\(word)\n".utf8))
    try wait(for: "done")
  }

  /// Creates an empty database, and returns the options to use it.
  func newDatabase() throws -> PostgresOptions {
    let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")
    try run("CREATE DATABASE \(name)")
    return PostgresOptions("host='\(directory.path)' user=carillon dbname=\(name)")
  }

  /// Runs a statement.
  func run(_ sql: String, in database: PostgresOptions? = nil) throws {
    let connection = try PostgresConnection(database ?? options)
    defer { connection.close() }
    _ = try connection.rows(PostgresStatement(sql))
  }

  /// Creates a role that may log in, and returns the options to use a database as that role.
  func newRole(_ options: String = "", in database: PostgresOptions) throws -> PostgresOptions {
    let name = "r" + UUID().uuidString.lowercased().replacing("-", with: "")
    try run("CREATE ROLE \(name) LOGIN \(options)")
    var own = database
    own.database.replace("user=carillon", with: "user=\(name)")
    return own
  }

  /// Creates a trigger that refuses what it sees with a SQLSTATE.
  ///
  /// - Parameter trigger: The statement that creates it, up to the call.
  func refuse(_ trigger: String, by state: String, in database: PostgresOptions) throws {
    try run(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$
      """, in: database)
    try run("\(trigger) EXECUTE FUNCTION refuse()", in: database)
  }

  private func wait(for name: String) throws {
    let file = directory.appending(path: name)
    while !FileManager.default.fileExists(atPath: file.path) {
      guard guardian.isRunning else { throw PostgresServerEnded() }
      usleep(20_000)
    }
    try FileManager.default.removeItem(at: file)
  }
}

extension PostgresOptions {
  /// The name of the database in a connection string of the tests.
  var name: String { word("dbname") }

  /// The name of the role.
  var role: String { word("user") }

  private func word(_ name: String) -> String {
    let word = database.split(separator: " ").last { $0.hasPrefix(name + "=") }
    return String((word ?? "").dropFirst(name.count + 1))
  }
}

/// The server did not start.
struct PostgresServerEnded: Error {}
#endif
