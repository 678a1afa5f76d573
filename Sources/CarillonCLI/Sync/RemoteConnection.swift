import Carillon
import CarillonDocuments
import CarillonSync
import Foundation

/// A transport to `carillon sync --stdio` on another computer, through the command in
/// `CARILLON_SSH`.
struct RemoteConnection: Sendable {
  private let address: RemoteAddress
  private let stallInterval: Duration
  private let command: [String]
  private let program: String

  /// - Parameter stallInterval: How long the peer may be silent.
  /// - Throws: A usage error if `CARILLON_SSH` is malformed.
  init(_ address: RemoteAddress, stallInterval: Duration) throws(CommandFailure) {
    self.address = address
    self.stallInterval = stallInterval
    func setting(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let words = try CommandWords.split(setting("CARILLON_SSH") ?? "", of: "CARILLON_SSH")
    command = words.isEmpty ? ["ssh"] : words
    program = setting("CARILLON_REMOTE") ?? "carillon"
  }

  /// Starts the command, calls `body` with the transport, and returns after the command has ended.
  ///
  /// - Returns: What `body` returns; and a problem of the peer's store that the exit code reports.
  /// - Throws: What `body` throws; if the transport broke, what the command's exit code reports.
  func run<Result: Sendable>(
    news: PeerNews? = nil, _ body: (PipeTransport) async throws -> Result
  ) async throws -> (result: Result, problemThere: CommandFailure?) {
    let words = command + address.arguments(program: program)
    let (outcome, ending) = try await PeerProcess.run(
      words, installing: "install openssh-client, or name the command in CARILLON_SSH"
    ) { [stallInterval] process in
      let outcome: Swift.Result<Result, any Error>
      do {
        outcome = .success(try await process.withTransport(stallInterval, news, body))
      } catch {
        outcome = .failure(error)
      }
      return (outcome, patience(after: outcome))
    }
    let status: Int32? = if case .status(let status) = ending { status } else { nil }
    do {
      return (try outcome.get(), status.flatMap(problem))
    } catch {
      try Task.checkCancellation()
      throw failure(of: status, error) ?? error
    }
  }

  // MARK: -

  /// How long the command may take to end by itself: one that failed ends soon, and its exit code
  /// says why.
  private func patience(after outcome: Swift.Result<some Any, any Error>) -> Duration {
    switch outcome {
    case .success: stallInterval
    case .failure(let error):
      error.isAboutTransport && !Task.isCancelled ? .milliseconds(1_500) : .zero
    }
  }

  /// Returns the reason for a broken transport according to the command's exit code, or nil.
  private func failure(of status: Int32?, _ error: any Error) -> CommandFailure? {
    guard let status, status != 0, error.isAboutTransport else { return nil }
    let place = address.destination
    switch status {
    case 127, 126:
      return unreachable(
        "\(program) was not found on \(place), or cannot be run there",
        "install carillon there, or set CARILLON_REMOTE to its path")
    case 255:
      return unreachable(
        "cannot connect to \(place); see the output of \(command[0]) above",
        "test the connection: "
          + ShellWord.joined(command + address.arguments(program: program).dropLast()))
    default:
      // In other cases the error itself is more precise.
      guard (error as? StoreError)?.code == .unreachable else { return nil }
    }
    return reported(status)
      ?? unreachable(
        "\(command[0]) ended with exit code \(status) before the end of the sync",
        "see its output above, and sync again")
  }

  /// Returns the failure of the store there after an intact transport, according to the command's
  /// exit code, or nil.
  private func problem(_ status: Int32) -> CommandFailure? {
    guard status == ExitStatus.no.rawValue else { return reported(status) }
    return CommandFailure(
      status: .no, code: "incomplete",
      message: "the sync is incomplete on \(address.destination), in \(address.path); see its "
        + "output above",
      hint: SyncCommand.repairHint)
  }

  /// Returns the failure for an exit code of the carillon there, or nil.
  private func reported(_ status: Int32) -> CommandFailure? {
    guard let known = ExitStatus(rawValue: status), let code = Self.codes[known] else { return nil }
    return CommandFailure(
      status: known, code: code,
      message: "carillon on \(address.destination) ended with exit code \(status) for "
        + "\(address.path); see its output above",
      hint: "check it there: carillon status --store \(ShellWord.quoted(address.path))")
  }

  private func unreachable(_ message: String, _ hint: String) -> CommandFailure {
    CommandFailure(status: .unreachable, code: "unreachable", message: message, hint: hint)
  }

  /// The error codes for the peer's exit codes; these are the same as for a local store.
  private static let codes: [ExitStatus: String] = [
    .badData: "invalidValue", .notFound: "notFound", .inputOutput: "io", .busy: "busy",
    .denied: "readOnly", .protocol: "protocol",
  ]
}

extension Error {
  /// Whether it says that a transport broke, so that the program behind it may know why.
  var isAboutTransport: Bool {
    guard let error = self as? StoreError else { return false }
    return error.code == .unreachable || (error.cause as? SyncError)?.code == .malformed
  }
}
