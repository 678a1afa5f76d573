import Carillon
import Foundation

/// A transport to `carillon sync --stdio` on another computer, through the command in
/// `CARILLON_SSH`.
struct RemoteConnection: Sendable {
  private let address: RemoteAddress
  private let stallInterval: Duration
  private let command: [String]
  private let program: String

  /// - Parameter stallInterval: How long the other side may be silent.
  /// - Throws: A usage error if `CARILLON_SSH` is malformed.
  init(_ address: RemoteAddress, stallInterval: Duration) throws(CommandFailure) {
    self.address = address
    self.stallInterval = stallInterval
    func setting(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    command = try setting("CARILLON_SSH").map(CommandWords.split) ?? ["ssh"]
    program = setting("CARILLON_REMOTE") ?? "carillon"
  }

  /// Starts the command, calls `body` with the transport, and stops the command.
  ///
  /// - Returns: The result of `body`, and the other side's failure according to the command's exit
  ///   code, if any.
  /// - Throws: The error of `body`, or a failure that explains it, according to the exit code.
  func run<Result>(
    _ body: (PipeTransport) async throws -> Result
  ) async throws -> (result: Result, problemThere: CommandFailure?) {
    let process = try PeerProcess(command + address.arguments(program: program))
    return try await withTaskCancellationHandler {
      do {
        let result = try await linked(to: process, body)
        let status = await process.ending(within: stallInterval)
        await process.stop(patience: .zero)
        return (result, status.flatMap(problem))
      } catch {
        // A command that failed ends by itself, and its exit code gives the reason.
        let isPatient = !Task.isCancelled && Self.isAboutTransport(error)
        let status = await process.ending(within: isPatient ? .milliseconds(1_500) : .zero)
        await process.stop(patience: .zero)
        try Task.checkCancellation()
        throw failure(of: status, error) ?? error
      }
    } onCancel: {
      process.terminate()
    }
  }

  // MARK: -

  private func linked<Result>(
    to process: PeerProcess, _ body: (PipeTransport) async throws -> Result
  ) async throws -> Result {
    let transport = try PipeTransport(
      reading: process.reading, writing: process.writing, stallInterval: stallInterval)
    do {
      let result = try await body(transport)
      await transport.close()
      return result
    } catch {
      await transport.close()
      throw error
    }
  }

  private static func isAboutTransport(_ error: any Error) -> Bool {
    guard let error = error as? StoreError else { return false }
    return error.code == .unreachable
      || (error.cause as? SyncError)?.code == .malformed
  }

  /// Returns the reason for a broken transport according to the command's exit code, or nil.
  private func failure(of status: Int32?, _ error: any Error) -> CommandFailure? {
    guard let status, status != 0, Self.isAboutTransport(error) else { return nil }
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
          + CommandWords.joined(command + address.arguments(program: program).dropLast()))
    default:
      // In other cases the error itself is more precise.
      guard (error as? StoreError)?.code == .unreachable else { return nil }
    }
    return told(status)
      ?? unreachable(
        "\(command[0]) ended with exit code \(status) before the end of the sync",
        "see its output above, and sync again")
  }

  /// Returns the failure of the store there after an intact transport, according to the command's
  /// exit code, or nil.
  private func problem(_ status: Int32) -> CommandFailure? {
    guard status == ExitStatus.no.rawValue else { return told(status) }
    return CommandFailure(
      status: .no, code: "incomplete",
      message: "the sync is incomplete on \(address.destination), in \(address.path); see its "
        + "output above",
      hint: SyncCommand.repairHint)
  }

  /// Returns the failure for an exit code of the carillon there, or nil.
  private func told(_ status: Int32) -> CommandFailure? {
    guard let known = ExitStatus(rawValue: status), let code = Self.codes[known] else { return nil }
    return CommandFailure(
      status: known, code: code,
      message: "carillon on \(address.destination) ended with exit code \(status) for "
        + "\(address.path); see its output above",
      hint: "check it there: carillon status --store \(CommandWords.joined([address.path]))")
  }

  private func unreachable(_ message: String, _ hint: String) -> CommandFailure {
    CommandFailure(status: .unreachable, code: "unreachable", message: message, hint: hint)
  }

  /// The error codes for the other side's exit codes; these are the same as for a local store.
  private static let codes: [ExitStatus: String] = [
    .badData: "invalidValue", .notFound: "notFound", .inputOutput: "io", .busy: "busy",
    .denied: "readOnly", .protocol: "protocol",
  ]
}
