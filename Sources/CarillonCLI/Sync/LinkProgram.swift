import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation

/// The program `carillon-link`, which speaks HTTPS for this one.
///
/// It is a program of its own, so that the command line stays small and quick to start. It prints
/// lines of JSON on standard error: the use of a quota, and why it fails.
enum LinkProgram {
  private static let name = "carillon-link"

  /// Starts the program, calls `body`, and returns after the program has ended.
  ///
  /// - Parameters:
  ///   - peer: The service, for messages.
  ///   - limit: How long the service may be silent, for messages.
  ///   - errors: Collects what the program prints on standard error.
  ///   - body: Returns a result, and how long the program may take to end by itself.
  /// - Returns: The result, and why the program failed; nil if it did not.
  /// - Throws: `unreachable` if the program cannot be started, and `CancellationError`.
  static func run<Result: Sendable>(
    _ arguments: [String], for peer: String, within limit: Duration, _ errors: CommandOutput,
    _ body: (PeerProcess) async -> (result: Result, patience: Duration)
  ) async throws -> (result: Result, failure: CommandFailure?) {
    let (result, ending) = try await PeerProcess.run(
      [path] + arguments,
      installing: "install all three programs: tools/install --prefix DIR; or build this one: "
        + "tools/release \(name)", errors: errors, body)
    guard case .status(let status) = ending else {
      let seconds = Int(limit / .seconds(1)).counted("second")
      return (result, unreachable("\(peer) did not answer within \(seconds)", hint: silentHint))
    }
    guard status != 0 else { return (result, nil) }
    if [SIGINT, SIGTERM, SIGHUP].contains(status - 128) {
      // Ctrl-C also reaches the program, which may end before this task is cancelled.
      try? await Task.sleep(for: signalDelay)
    }
    return (result, reported(errors.lines, status))
  }

  /// Exchanges an invitation for a credential of a name; without these, asks what it is for.
  ///
  /// - Returns: The answer of the service.
  /// - Throws: ``CommandFailure`` with what the program reports.
  static func join(
    _ link: InviteLink, as device: (name: String, credential: String)? = nil
  ) async throws -> JSONObject {
    let address = link.address.absoluteString
    let request: JSON = [
      "address": .text(address), "key": .text(link.key), "code": .text(link.code),
    ]
    let members: JSON =
      device.map { ["name": .text($0.name), "credential": .text($0.credential)] } ?? [:]
    return try await answer(["join"], for: address, to: request.merging(members))
  }

  /// Sends one request to a service that a store has joined.
  ///
  /// - Parameters:
  ///   - address: The address of the service.
  ///   - file: The file with the credential; nil if it is in the environment.
  ///   - body: The body of a `POST`; nil for other methods.
  /// - Returns: The answer of the service.
  /// - Throws: ``CommandFailure`` with what the program reports.
  static func ask(
    _ method: String, _ path: String, at address: URL, _ file: URL?, body: JSON? = nil
  ) async throws -> JSONObject {
    let words = ["ask", address.absoluteString, "--method", method, "--path", path]
    return try await answer(
      words + (file.map { ["--remote", $0.path] } ?? []), for: address.absoluteString, to: body)
  }

  /// Runs the program with a document on its standard input, and returns what it prints.
  private static func answer(
    _ arguments: [String], for peer: String, to request: JSON?
  ) async throws -> JSONObject {
    let bytes = Array(request?.line.utf8 ?? "".utf8)
    let (reading, failure) = try await run(
      arguments, for: peer, within: answerLimit, CommandOutput()
    ) { process in
      // Fits into the pipe.
      _ = bytes.withUnsafeBytes { write(process.writing, $0.baseAddress, $0.count) }
      close(process.writing)
      return (process.reading, answerLimit)
    }
    defer { close(reading) }
    try Task.checkCancellation()
    if let failure { throw failure }
    var answer = [UInt8](repeating: 0, count: maxAnswerBytes)
    // The program has ended, so that all of its answer is in the pipe.
    let count = read(reading, &answer, answer.count)
    guard case .object(let object)? = try? JSONValue(parsing: answer.prefix(max(count, 0))) else {
      throw unreachable("\(name) did not return the answer of the service")
    }
    return object
  }

  private static let signalDelay = Duration.milliseconds(500)
  private static let answerLimit = Duration.seconds(60)
  private static let maxAnswerBytes = 65_536

  /// The program beside this one, or else the one in the directories of `PATH`.
  private static var path: String {
    let beside = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: name).path
    return beside.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil } ?? name
  }

  /// Returns the failure that the program printed.
  private static func reported(_ lines: [String], _ status: Int32) -> CommandFailure {
    guard let line = lines.last,
      case .object(let object)? = try? JSONValue(parsing: Array(line.utf8)),
      case .object(let error)? = object["error"], case .text(let code)? = error["code"],
      case .text(let message)? = error["message"], case .text(let hint)? = error["hint"]
    else {
      let text = lines.last.map { ": \($0)" } ?? ""
      return unreachable("\(name) ended with exit code \(status)\(text)")
    }
    return CommandFailure(
      status: ExitStatus(rawValue: status) ?? .unreachable, code: code, message: message,
      hint: hint)
  }

  private static func unreachable(
    _ message: String, hint: String = "run the command again"
  ) -> CommandFailure {
    CommandFailure(
      status: .unreachable, code: StoreError.Code.unreachable.rawValue, message: message,
      hint: hint)
  }

  private static let silentHint =
    "check that the program there runs, and is neither stopped nor overloaded; then run the "
    + "command again"
}
