import ArgumentParser
import Carillon
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// A verb: reads its arguments, does its work on a call, and throws what went wrong.
protocol Verb: AsyncParsableCommand {
  var global: GlobalOptions { get }
  func run(_ call: Call) async throws
}

/// Parses the command line, runs its verb and ends the process with the documented exit code.
enum CommandRunner {
  static func main(_ given: [String]) async -> Never {
    if let failure = OpenFileLimit.failure() {
      say(failure, isJSON: ArgumentOrder.asksForJSON(given))
      exit(failure.status.rawValue)
    }
    let order = ArgumentOrder(given, verbs: verbs)
    let signals = SignalCancellation()
    let status: Int32
    do {
      let command = try parse(order)
      let task = Task { try await run(command) }
      signals.cancel(task)
      try await task.value
      status = signals.status ?? ExitStatus.success.rawValue
    } catch {
      status = report(error, given, of: order.path, signals)
    }
    exit(status)
  }

  /// The tree of all verbs.
  static let verbs = verbs(of: CarillonCommand.self)

  /// The verb that the arguments name, with what they say to it.
  ///
  /// - Throws: What is wrong with them; also what asks for help or the version.
  static func parse(_ order: ArgumentOrder) throws -> any ParsableCommand {
    if let unknown = order.unknownVerb { throw failure(unknown) }
    return try CarillonCommand.parseAsRoot(order.arguments)
  }

  private static func run(_ command: any ParsableCommand) async throws {
    if let verb = command as? any Verb {
      return try await verb.run(try Call(GlobalValues(verb.global)))
    }
    // A group of verbs, or no verb at all, answers with its help; --help and help with that of the
    // verb they stand with.
    var command = command
    if var group = command as? any AsyncParsableCommand {
      try await group.run()
    } else {
      try command.run()
    }
  }

  /// The parser would complain of a global option behind the word instead.
  private static func failure(_ unknown: ArgumentOrder.UnknownVerb) -> CommandFailure {
    let words = (["carillon"] + unknown.path).joined(separator: " ")
    return .usage(
      "\(words) has no verb \"\(unknown.word)\"",
      hint: (unknown.near.map { "did you mean \(words) \($0)? " } ?? "") + "see \(words) --help")
  }

  /// Says what went wrong and gives the exit code.
  private static func report(
    _ error: any Error, _ given: [String], of path: [String], _ signals: SignalCancellation
  ) -> Int32 {
    let isJSON = ArgumentOrder.asksForJSON(given)
    if let code = error as? ExitCode { return code.rawValue }
    if isOfParser(error) { return reportParsing(error, of: path, isJSON: isJSON) }
    guard let failure = CommandFailure(error) else {
      return signals.status ?? ExitStatus.interrupted.rawValue
    }
    say(failure.naming(store: ArgumentOrder.store(given)), isJSON: isJSON)
    return failure.status.rawValue
  }

  private static func isOfParser(_ error: any Error) -> Bool {
    !(error is CommandFailure || error is StoreError || error is ModelError
      || error is CancellationError)
      && (error is CleanExit || error is ValidationError
        || CarillonCommand.exitCode(for: error) != .failure)
  }

  private static func reportParsing(
    _ error: any Error, of path: [String], isJSON: Bool
  ) -> Int32 {
    let code = CarillonCommand.exitCode(for: error)
    if code.isSuccess {
      print(CarillonCommand.fullMessage(for: error))
      return code.rawValue
    }
    let failure = failure(ofParser: error, path)
    say(failure, isJSON: isJSON)
    return failure.status.rawValue
  }

  /// What the parser says of a mistake.
  static func failure(ofParser error: any Error, _ path: [String]) -> CommandFailure {
    .usage(
      CarillonCommand.message(for: error),
      hint: "see \((["carillon"] + path + ["--help"]).joined(separator: " "))")
  }

  /// Says what went wrong.
  static func say(_ failure: CommandFailure, isJSON: Bool) {
    // Where even standard error is gone, the exit code remains.
    _ = try? ByteOutput.standardError.write(isJSON ? failure.json.line : failure.text)
  }

  private static func verbs(of command: any ParsableCommand.Type) -> [ArgumentOrder.Verb] {
    command.configuration.subcommands.map {
      ArgumentOrder.Verb(name: $0._commandName, verbs: verbs(of: $0))
    }
  }
}

/// Cancels a task at Ctrl-C or SIGTERM; a second signal, or two seconds, end the process.
///
/// Either is safe: whatever is being written is written whole or not at all.
final class SignalCancellation: Sendable {
  private let received = Mutex<Int32?>(nil)
  private let sources: [any DispatchSourceSignal]

  init() {
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: .global())
    }
  }

  /// The exit code of the signal that came, or nil.
  var status: Int32? { received.withLock { $0 }.map { 128 + $0 } }

  func cancel(_ task: Task<Void, any Error>) {
    for (source, number) in zip(sources, [SIGINT, SIGTERM]) {
      source.setEventHandler { [self] in
        let isSecond = received.withLock { received in
          defer { received = received ?? number }
          return received != nil
        }
        if isSecond { Self.exit(number) }
        task.cancel()
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) { Self.exit(number) }
      }
      source.resume()
    }
  }

  /// Ends the process at once, and what it started.
  private static func exit(_ signal: Int32) -> Never {
    PeerProcess.killAll()
    _exit(128 + signal)
  }
}
