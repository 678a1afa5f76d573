#if Service
import CarillonTestSupport
import Foundation
import Testing

/// A hub's database, and the processes that serve it; its people's stores are in a bench.
struct HubBench: Sendable {
  /// What has the database.
  enum Storage: String, CaseIterable, CustomTestStringConvertible {
    case files, postgres

    var testDescription: String { rawValue }
  }

  let bench: ServiceBench
  let database: String

  /// - Parameter server: The PostgreSQL server; nil for one that tests share.
  static func make(_ storage: Storage, on server: PostgresServer? = nil) async throws -> HubBench {
    let bench = try await ServiceBench.make()
    switch storage {
    case .files: return HubBench(bench: bench, database: bench.path("hub"))
    case .postgres:
      return HubBench(
        bench: bench, database: try newDatabase(on: try server ?? PostgresServer.shared.get()))
    }
  }

  /// Starts a process of a hub, and lets the store `one` of a new person join.
  ///
  /// - Parameter server: As for ``make(_:on:)``.
  static func joined(
    _ storage: Storage, on server: PostgresServer? = nil
  ) async throws -> (hub: HubBench, process: RunningHub, person: String) {
    let hub = try await make(storage, on: server)
    let process = try await hub.serve()
    let person = try await hub.addPerson()
    try await hub.join(person, as: "one", at: process)
    return (hub, process, person)
  }

  /// Creates an empty database, and returns its URL.
  static func newDatabase(on server: PostgresServer) throws -> String {
    let name = "h" + UUID().uuidString.lowercased().replacing("-", with: "")
    try server.run("CREATE DATABASE \(name)")
    return "postgres://carillon@/\(name)?host=\(server.directory.path)"
  }

  /// Starts a process of the hub on a free port, and waits until it is ready.
  func serve(_ arguments: String...) async throws -> RunningHub {
    try await start(["--listen", "127.0.0.1:0"] + arguments)
  }

  /// Starts a process of the hub over TLS, with a certificate that signs itself.
  func serveSecurely() async throws -> RunningHub {
    let made = try await Shell.run(
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 2 \
        -keyout hub.key -out hub.pem -subj /CN=somewhere.else
      """, in: bench)
    try #require(made.status == 0, "\(made)")
    return try await start(["--listen", "127.0.0.1:0"] + tls)
  }

  private var tls: [String] {
    ["--tls-certificate", bench.path("hub.pem"), "--tls-key", bench.path("hub.key")]
  }

  private func start(_ arguments: [String]) async throws -> RunningHub {
    try await RunningHub(
      StartedProgram(
        BuiltProgram.url("carillon"), ["hub", "--database", database] + arguments, in: bench),
      isSecure: arguments.contains("--tls-key"))
  }

  /// Runs a verb of the hub until it ends.
  func hub(_ words: String...) async throws -> EndedProgram { try await hub(words) }

  func hub(_ words: [String]) async throws -> EndedProgram {
    try await startHub(words).end()
  }

  /// Starts a verb of the hub.
  func startHub(_ words: [String]) async throws -> StartedProgram {
    try await StartedProgram(
      BuiltProgram.url("carillon"), ["hub"] + words + ["--database", database], in: bench)
  }

  /// Adds a person, and returns the ID.
  func addPerson(_ id: String? = nil) async throws -> String {
    let answer = try await hub(["people", "add", "--json"] + (id.map { ["--id", $0] } ?? []))
    return try String(
      #require(answer.output.firstMatch(of: /"person":"([\w-]+)"/), "\(answer)").output.1)
  }

  /// Makes a link that invites a person's device.
  func invite(_ person: String, to hub: RunningHub, _ role: String = "phone") async throws -> String
  {
    let address = ["--listen", "127.0.0.1:\(hub.port)"] + (hub.isSecure ? tls : [])
    return try link(
      of: await self.hub(["invite", person, "--role", role, "--json"] + address))
  }

  /// Returns the link in the answer of a verb that invites.
  func link(of answer: EndedProgram) throws -> String {
    try String(#require(answer.output.firstMatch(of: /"link":"([^"]+)"/), "\(answer)").output.1)
      .replacing("\\/", with: "/")
  }

  /// Lets a new store of a person join.
  func join(_ person: String, as store: String, at hub: RunningHub) async throws {
    let joined = try await bench.link(
      "join", try await invite(person, to: hub), bench.path(store), "--replica", store)
    try #require(joined.status == 0, "\(joined)")
  }

  /// Syncs a store with the hub that it has joined.
  @discardableResult
  func sync(_ store: String) async throws -> EndedProgram {
    let synced = try await bench.link("sync", "--store", bench.path(store))
    try #require(synced.status == 0, "\(synced)")
    return synced
  }

  /// The secret of a store at the hub.
  func credential(of store: String, at hub: RunningHub) throws -> String {
    let text = try String(
      contentsOfFile: bench.path("\(store)/remotes/127.0.0.1_\(hub.port).json"), encoding: .utf8)
    return try String(#require(text.firstMatch(of: /"credential":"([\w-]+)"/)).output.1)
  }

  /// The titles of a store's habits.
  func titles(_ store: String) async throws -> Set<String> {
    let list = try await bench.link("habit", "list", "--json", "--store", bench.path(store))
    return Set(list.output.matches(of: /"title":"([^"]+)"/).map { String($0.output.1) })
  }
}

/// A process of a hub that is ready.
final class RunningHub: Sendable {
  let program: StartedProgram
  let port: Int
  let isSecure: Bool

  init(_ program: StartedProgram, isSecure: Bool) async throws {
    while !program.output.contains("\n"), program.process.isRunning {
      try await Task.sleep(for: .milliseconds(5))
    }
    let ready = try #require(
      program.output.firstMatch(of: /Serving a hub at https?:\/\/[^:]+:(\d+)\/\n/),
      "\(program.output)\(program.errors)")
    (self.program, self.isSecure) = (program, isSecure)
    port = try #require(Int(ready.output.1))
  }

  var address: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)/" }

  /// The text of a request; without a credential if it is nil.
  func text(
    _ method: String, _ path: String, as credential: String?, _ fields: [String] = [],
    body: String = ""
  ) -> String {
    let own = ["Host: 127.0.0.1:\(port)", "Content-Length: \(body.utf8.count)"]
    let token = credential.map { ["Authorization: Bearer \($0)"] } ?? []
    return (["\(method) \(path) HTTP/1.1"] + own + token + fields).joined(separator: "\r\n")
      + "\r\n\r\n" + body
  }

  /// Sends a request on a connection of its own.
  func ask(
    _ method: String, _ path: String, as credential: String? = nil, _ fields: [String] = [],
    body: String = ""
  ) async throws -> WireAnswer {
    let connection = try WireConnection(port: port)
    connection.send(text(method, path, as: credential, fields, body: body))
    return try #require(await connection.answer(), "no answer to \(method) \(path)")
  }

  /// Opens a stream of news.
  func news(as credential: String) async throws -> EventReader {
    let connection = try WireConnection(port: port)
    connection.send(
      "GET /v1/live HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(credential)\r\n"
        + "Accept: text/event-stream\r\n\r\n")
    let head = try #require(await connection.head())
    try #require(head.status == 200, "\(head)")
    return EventReader(connection)
  }

  /// The lines of the log so far that contain a text.
  func lines(with text: String) -> [Substring] {
    program.errors.split(separator: "\n").filter { $0.contains(text) }
  }

  /// Stops it, and waits until it has ended.
  @discardableResult
  func stop(_ signal: Int32 = SIGTERM) async throws -> EndedProgram {
    program.signal(signal)
    return try await program.end()
  }
}
#endif
