import Carillon
import Foundation

/// A transport to `carillon sync --stdio` on another computer, carried by the command that
/// `CARILLON_SSH` names.
struct RemoteConnection: Sendable {
  private let address: RemoteAddress
  private let stallInterval: Duration
  private let command: [String]
  private let program: String

  /// - Parameter stall interval: How long the other side may say nothing.
  ///
  /// - Throws: A usage error where `CARILLON_SSH` is no command.
  init(_ address: RemoteAddress, stallInterval: Duration) throws(CommandFailure) {
    self.address = address
    self.stallInterval = stallInterval
    func setting(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    command = try setting("CARILLON_SSH").map(CommandWords.split) ?? ["ssh"]
    program = setting("CARILLON_REMOTE") ?? "carillon"
  }

  /// Starts the command, calls `body` with the transport, and sees that the command has ended.
  ///
  /// - Returns: What `body` returns; and what the command's exit code tells of the other side.
  /// - Throws: What `body` throws; where the transport ended, what the command's exit code tells.
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
        // A command that failed ends by itself, and says why by its exit code.
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

  /// What the command's exit code tells of a transport that broke; nil where it tells nothing.
  private func failure(of status: Int32?, _ error: any Error) -> CommandFailure? {
    guard let status, status != 0, Self.isAboutTransport(error) else { return nil }
    let place = address.destination
    switch status {
    case 127, 126:
      return unreachable(
        "\(program) is not found on \(place), or cannot be run there",
        "install carillon there, or name its path in CARILLON_REMOTE")
    case 255:
      return unreachable(
        "cannot connect to \(place); see above what \(command[0]) says",
        "try: " + CommandWords.joined(command + address.arguments(program: program).dropLast()))
    default:
      // What it printed tells more.
      guard (error as? StoreError)?.code == .unreachable else { return nil }
    }
    return told(status)
      ?? unreachable(
        "\(command[0]) ended with exit code \(status) before the sync did",
        "see above what it says, and sync again")
  }

  /// What the command's exit code tells after a transport that did not break; nil where it tells
  /// nothing of the store there.
  private func problem(_ status: Int32) -> CommandFailure? {
    guard status == ExitStatus.no.rawValue else { return told(status) }
    return CommandFailure(
      status: .no, code: "incomplete",
      message: "the sync is not complete on \(address.destination), in \(address.path); see above "
        + "what it says",
      hint: SyncCommand.repairHint)
  }

  /// An exit code by which carillon tells what is wrong with the store there.
  private func told(_ status: Int32) -> CommandFailure? {
    guard let known = ExitStatus(rawValue: status), let code = Self.codes[known] else { return nil }
    return CommandFailure(
      status: known, code: code,
      message: "carillon on \(address.destination) ended with exit code \(status) for "
        + "\(address.path); see above what it says",
      hint: "repair it there: carillon status --store \(CommandWords.joined([address.path]))")
  }

  private func unreachable(_ message: String, _ hint: String) -> CommandFailure {
    CommandFailure(status: .unreachable, code: "unreachable", message: message, hint: hint)
  }

  /// What the other side says of its store is told as if it were of this computer.
  private static let codes: [ExitStatus: String] = [
    .badData: "invalidValue", .notFound: "notFound", .inputOutput: "io", .busy: "busy",
    .denied: "readOnly", .protocol: "protocol",
  ]
}
