import CarillonTestSupport
import Foundation
import Testing

/// A temporary directory with stores, on which verbs run at a fixed time in a fixed zone.
struct Workbench: Sendable {
  /// A Monday noon in winter.
  static let now = "2026-11-23T12:00:00+01:00"
  static let zone = "Europe/Berlin"

  private let temporary: TemporaryDirectory
  /// Contains special characters, to detect uses in scripts, patterns or addresses without quoting.
  private let directory: URL

  init() throws {
    temporary = try TemporaryDirectory()
    directory = temporary.url.appending(path: #"a stranger's "ü" $HOME %41 (+)"#)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
  }

  /// A workbench with a store `phone`.
  static func withStore(_ replica: String = "phone") async throws -> Workbench {
    let bench = try Workbench()
    try await bench.make(replica)
    return bench
  }

  /// Grants the store `phone` the system's permission, and turns its alerts on.
  func allowReminders() async throws {
    try await run("permission", "grant")
    try await run("alerts", "on")
  }

  /// The path of a file or a store in the directory.
  func path(_ name: String) -> String { directory.path + "/" + name }

  func url(_ name: String) -> URL { URL(filePath: path(name)) }

  /// Writes a file, and returns its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url(name))
    return path(name)
  }
}

// MARK: - Running

extension Workbench {
  /// Starts the command line with exactly these arguments.
  func startPlain(
    _ arguments: [String], input: String = "", store: String? = "phone",
    with variables: [String: String] = [:]
  ) async throws -> Child {
    try await Child(
      Executable.url, arguments, input: input,
      environment: environment(store).merging(variables) { $1 }, files: directory)
  }

  /// Starts a verb on a store at a given time.
  func start(
    _ arguments: [String], input: String = "", store: String = "phone", now: String = Self.now,
    zone: String = Self.zone, with variables: [String: String] = [:]
  ) async throws -> Child {
    try await startPlain(
      arguments + ["--now", now, "--zone", zone], input: input, store: store, with: variables)
  }

  /// Starts a verb on a store with a terminal as its standard error.
  func start(_ arguments: [String], errorsOn terminal: PseudoTerminal) async throws -> Child {
    try await Child(
      Executable.url, arguments + ["--now", Self.now, "--zone", Self.zone], input: "",
      environment: environment("phone"), files: directory, terminal: terminal)
  }

  /// Starts a verb on a store with a terminal as its standard output.
  func start(
    _ arguments: [String], outputOn terminal: PseudoTerminal, now: String = Self.now
  ) async throws -> Child {
    try await Child(
      Executable.url, arguments + ["--now", now, "--zone", Self.zone], input: "",
      environment: environment("phone").merging(["NO_COLOR": "1"]) { $1 }, files: directory,
      outputTerminal: terminal)
  }

  /// Starts a shell script in which `$CARILLON` is the command line.
  func startShell(
    _ script: String, input: String = "", store: String = "phone",
    with variables: [String: String] = [:]
  ) async throws -> Child {
    var environment = environment(store).merging(variables) { $1 }
    environment["CARILLON"] = Executable.url.path
    return try await Child(
      URL(filePath: "/bin/sh"), ["-c", script], input: input, environment: environment,
      files: directory)
  }

  /// Runs a verb on a store until it ends.
  @discardableResult
  func run(
    _ arguments: String..., input: String = "", store: String = "phone", now: String = Self.now
  ) async throws -> Answer {
    try await start(arguments, input: input, store: store, now: now).answer()
  }

  /// Runs a verb with `--json` and parses its answer; exit 0 or 1 is required.
  @discardableResult
  func json(
    _ arguments: String..., input: String = "", store: String = "phone", now: String = Self.now,
    zone: String = Self.zone, at location: SourceLocation = #_sourceLocation
  ) async throws -> Document {
    try await start(arguments + ["--json"], input: input, store: store, now: now, zone: zone)
      .answer()
      .document(at: location)
  }

  private func environment(_ store: String?) -> [String: String] {
    var environment = ["PATH": "/usr/bin:/bin", "TMPDIR": directory.path]
    if let store { environment["CARILLON_STORE"] = path(store) }
    return environment
  }
}

// MARK: - Common steps

extension Workbench {
  /// Creates a store in the directory of its name.
  @discardableResult
  func make(
    _ name: String, storeID: String? = nil, storage: String? = nil
  ) async throws -> Document {
    let flags =
      (storeID.map { ["--store-id", $0] } ?? []) + (storage.map { ["--storage", $0] } ?? [])
    return try await start(["init", "--replica", name, "--json"] + flags, store: name)
      .answer().document()
  }

  /// Adds a habit, and returns its ID.
  func addHabit(_ title: String, _ flags: String..., store: String = "phone") async throws -> String
  {
    let answer = try await start(["habit", "add", title, "--json"] + flags, store: store).answer()
    return try #require(try answer.document()["habit"]?.text)
  }

  /// Creates a backup of Loop with `tools/sample-backup`, and returns its path.
  func backup(_ name: String, _ flags: String...) async throws -> String {
    let tool = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "tools/sample-backup")
    let child = try await Child(
      tool, [path(name)] + flags, input: "", environment: environment(nil), files: directory)
    let answer = try await child.answer()
    try #require(answer.status == 0, "\(answer)")
    return path(name)
  }

  /// The log as text; equal logs have equal texts.
  func log(_ store: String = "phone") async throws -> String {
    let answer = try await run("log", "--json", store: store)
    try #require(answer.status == 0, "\(answer)")
    return answer.output
  }

  /// The IDs of all events of a log.
  func ids(_ store: String = "phone") async throws -> Set<String> {
    Set(try await run("log", "--json", store: store).documents().compactMap { $0["id"]?.text })
  }

  /// The state digest of a store.
  func digest(_ store: String = "phone", now: String = Self.now) async throws -> String {
    try #require(try await json("status", "--digest", store: store, now: now)["stateDigest"]?.text)
  }

  /// The state digest after a rebuild.
  func rebuiltDigest(_ store: String = "phone") async throws -> String {
    try #require(try await json("rebuild", store: store)["stateDigest"]?.text)
  }

  /// Copies a store's directory, as a person who does not know about replicas would.
  func copy(_ from: String, to name: String) throws {
    try FileManager.default.copyItem(at: url(from), to: url(name))
  }

  /// Lines of NDJSON, one for each date from 1970-01-01 on, that a habit was done.
  func entries(of habit: String, count: Int) -> String {
    (0..<count).map { #"{"type":"entry.recorded","habit":"\#(habit)","date":"\#(Self.date($0))"}"# }
      .joined(separator: "\n") + "\n"
  }

  private static func date(_ day: Int) -> String {
    Date(timeIntervalSince1970: Double(day) * 86_400)
      .formatted(.iso8601.year().month().day())
  }
}
