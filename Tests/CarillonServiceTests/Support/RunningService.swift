#if Service
import CarillonTestSupport
import Foundation
import Testing

/// A temporary directory with stores, for programs that run on them.
struct ServiceBench: Sendable {
  private let temporary: TemporaryDirectory

  var directory: URL { temporary.url }

  private init() throws {
    temporary = try TemporaryDirectory()
  }

  /// Creates a bench with a store `phone`.
  ///
  /// - Parameters:
  ///   - instant: The time at which the store is created, in RFC 3339; nil for now.
  ///   - isSealed: Whether the store is sealed.
  static func make(at instant: String? = nil, isSealed: Bool = false) async throws -> ServiceBench {
    let bench = try ServiceBench()
    let moment = instant.map { ["--now", $0] } ?? []
    let flags = moment + (isSealed ? ["--sealed"] : [])
    let answer = try await bench.run("init", ["--replica", "phone"] + flags)
    try #require(answer.status == 0, "\(answer.errors)")
    return bench
  }

  /// The path of a file or a store in the directory.
  func path(_ name: String) -> String { directory.path + "/" + name }

  /// Writes a file, and returns its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    return path(name)
  }

  /// The environment of programs.
  func environment(_ more: [String: String] = [:]) -> [String: String] {
    [
      "PATH": "/usr/bin:/bin", "TMPDIR": directory.path, "TZ": "Europe/Berlin",
      "CARILLON_STORE": path("phone"),
    ].merging(more) { $1 }
  }

  /// Runs a verb of the command line on the store until it ends.
  @discardableResult
  func run(_ arguments: String..., input: String = "") async throws -> EndedProgram {
    let program = try await StartedProgram(
      BuiltProgram.url("carillon"), arguments, in: self, input: input)
    return try await program.end()
  }

  /// Runs a verb of the command line on the store until it ends.
  func run(_ verb: String, _ arguments: [String]) async throws -> EndedProgram {
    try await StartedProgram(BuiltProgram.url("carillon"), [verb] + arguments, in: self).end()
  }

  /// Runs the program until it ends, since it cannot serve.
  func failing(
    _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> EndedProgram {
    try await failing(arguments, environment: environment)
  }

  /// Runs the program until it ends, since it cannot serve.
  func failing(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> EndedProgram {
    try await StartedProgram(
      BuiltProgram.url("carillon-serve"), arguments, in: self, environment: environment
    ).end()
  }

  /// Starts the program on a free port, and waits until it is ready.
  func serve(
    _ arguments: String..., program: String = "carillon-serve", verb: [String] = [],
    environment: [String: String] = [:]
  ) async throws -> RunningService {
    try await RunningService(
      StartedProgram(
        BuiltProgram.url(program), verb + ["--listen", "127.0.0.1:0"] + arguments, in: self,
        environment: environment))
  }
}

extension ServiceBench {
  /// Starts the service at the address of one that ended.
  func serve(again service: RunningService) async throws -> RunningService {
    try await RunningService(
      StartedProgram(service: ["--listen", "127.0.0.1:\(service.port)"], in: self))
  }
}

/// How a program ended, and what it printed.
struct EndedProgram: Sendable, CustomStringConvertible {
  let status: Int32
  let wasSignalled: Bool
  let output: String
  let errors: String

  var description: String { "\(status)\n\(output)\n\(errors)" }
}

/// A program that was started; its standard streams are files.
final class StartedProgram: Sendable {
  let process: ChildProcess
  private let files: String
  // Keeps the directory as long as the program may use it.
  private let bench: ServiceBench

  init(
    _ program: URL, _ arguments: [String], in bench: ServiceBench, input: String = "",
    environment: [String: String] = [:]
  ) async throws {
    self.bench = bench
    files = bench.path(UUID().uuidString)
    try Data(input.utf8).write(to: URL(filePath: files + ".in"))
    process = try await ChildProcess(
      program, arguments, environment: bench.environment(environment),
      input: URL(filePath: files + ".in"), output: URL(filePath: files + ".out"),
      errors: URL(filePath: files + ".err"))
  }

  deinit {
    kill(-process.identifier, SIGKILL)
  }

  /// The standard output so far.
  var output: String { text(".out") }

  /// The standard error so far.
  var errors: String { text(".err") }

  func signal(_ number: Int32) { kill(process.identifier, number) }

  /// Waits until it has ended.
  func end() async throws -> EndedProgram {
    let ending = try await process.end()
    return EndedProgram(
      status: ending.status, wasSignalled: ending.wasSignalled, output: output, errors: errors)
  }

  private func text(_ suffix: String) -> String {
    (try? Data(contentsOf: URL(filePath: files + suffix)))
      .map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

/// A service that is ready.
final class RunningService: Sendable {
  let program: StartedProgram
  /// The line that says that it is ready.
  let line: String
  let port: Int
  let token: String

  init(_ program: StartedProgram) async throws {
    while !program.output.contains("\n"), program.process.isRunning {
      try await Task.sleep(for: .milliseconds(5))
    }
    let ready = try #require(
      program.output.firstMatch(of: /Serving .* at https?:\/\/[^:]+:(\d+)\/#token=([\w-]+)\n/),
      "\(program.output)\(program.errors)")
    self.program = program
    line = String(ready.output.0)
    port = try #require(Int(ready.output.1))
    token = String(ready.output.2)
  }

  /// The field with the token.
  var bearer: String { "Authorization: Bearer \(token)" }

  func connect() throws -> WireConnection { try WireConnection(port: port) }

  /// Sends a request on a connection of its own, with the token unless fields are given.
  func ask(
    _ method: String, _ path: String, _ fields: [String]? = nil, body: String = ""
  ) async throws -> WireAnswer {
    let connection = try connect()
    connection.send(text(method, path, fields ?? [bearer], body: body))
    return try #require(await connection.answer(), "no answer to \(method) \(path)")
  }

  /// Opens a stream, with the token unless fields are given.
  func stream(
    _ path: String, _ fields: String..., as credential: [String]? = nil
  ) async throws -> EventReader {
    let connection = try connect()
    let all = (credential ?? [bearer]) + ["Accept: text/event-stream"] + fields
    connection.send(text("GET", path, all))
    let head = try #require(await connection.head())
    try #require(head.status == 200, "\(head)")
    return EventReader(connection)
  }

  /// The text of a request.
  func text(_ method: String, _ path: String, _ fields: [String], body: String = "") -> String {
    let host = fields.contains { $0.hasPrefix("Host:") } ? [] : ["Host: 127.0.0.1:\(port)"]
    let length = body.isEmpty && method == "GET" ? [] : ["Content-Length: \(body.utf8.count)"]
    return (["\(method) \(path) HTTP/1.1"] + host + fields + length).joined(separator: "\r\n")
      + "\r\n\r\n" + body
  }

  /// Stops it, and waits until it has ended.
  @discardableResult
  func stop(_ signal: Int32 = SIGTERM) async throws -> EndedProgram {
    program.signal(signal)
    return try await program.end()
  }
}
#endif
