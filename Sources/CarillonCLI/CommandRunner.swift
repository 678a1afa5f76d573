import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel
import CarillonThreads
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// A verb of the command line.
///
/// It reads its arguments, does its work in a call, and throws an error if it fails.
protocol Verb: AsyncParsableCommand {
  var global: GlobalOptions { get }
  func run(_ call: Call) async throws
}

/// Parses the command line, runs its verb and ends the process with the documented exit code.
enum CommandRunner {
  static func main(_ given: [String]) -> Never {
    let given = TodayCommand.isMeant(by: given) ? ["today"] + given : given
    if let verb = PlainVerb(given) {
      CutFile.endClearly(isJSON: verb.global.json)
      SignalCancellation.endAtOnce()
      MainThread.run { exit(await run(verb, given)) }
    }
    Task { await parseAndRun(given) }
    dispatchMain()
  }

  /// Runs a plain verb, and returns the exit code.
  private static func run(_ verb: PlainVerb, _ given: [String]) async -> Int32 {
    do {
      try await verb.run(call(verb.global))
      return ExitStatus.success.rawValue
    } catch {
      return report(error, given)
    }
  }

  private static func parseAndRun(_ given: [String]) async -> Never {
    if given.first == CompletionScript.request {
      _ = try? ByteOutput.standardOutput.write(await Completion.answer(Array(given.dropFirst())))
      exit(ExitStatus.success.rawValue)
    }
    if let script = CompletionScript(given) {
      _ = try? ByteOutput.standardOutput.write(script.text)
      exit(ExitStatus.success.rawValue)
    }
    CutFile.endClearly(isJSON: ArgumentOrder.asksForJSON(given))
    let signals = SignalCancellation()
    let status: Int32
    do {
      let task = Task { try await run(ArgumentOrder(given, verbs: verbs)) }
      signals.cancel(task)
      // A verb that a signal stopped throws. One that returns is complete, also if the signal came
      // since.
      try await task.value
      status = ExitStatus.success.rawValue
    } catch {
      status = report(error, given, signals)
    }
    if let number = signals.number, status == 128 + number { SignalEnd.end(by: number) }
    exit(status)
  }

  /// Reports a failure that was found before the arguments are read, and ends the process.
  static func end(_ failure: CommandFailure, _ given: [String]) -> Never {
    say(failure, isJSON: ArgumentOrder.asksForJSON(given))
    exit(failure.status.rawValue)
  }

  /// The tree of all verbs.
  static let verbs = verbs(of: CarillonCommand.self)

  /// Returns the verb that the arguments name, with its options and arguments set.
  ///
  /// - Throws: The parser's error if the arguments are wrong, or its request for help or the
  ///   version.
  static func parse(_ order: ArgumentOrder) throws -> any ParsableCommand {
    if let unknown = order.unknownVerb { throw failure(unknown, in: order.arguments) }
    if order.isHelpByAccident, let word = order.hyphenated {
      throw CommandFailure.usage(
        "\(order.arguments[word]): a word that begins with a hyphen is read as options",
        hint: LikelyCommand.hint(hyphensIn: order)
          ?? "write -- before a title or text that begins with a hyphen, after all options")
    }
    // The parser takes longer for the tree of all verbs than for one verb. Only with the tree, it
    // knows the full names in help and errors.
    if let verb = verb(at: order.path),
      let parsed = try? verb.parseAsRoot(Array(order.arguments.dropFirst(order.path.count))),
      parsed is any Verb
    {
      return parsed
    }
    return try CarillonCommand.parseAsRoot(order.arguments)
  }

  /// Returns the verb with a path, or the default one of the group with that path; nil for any
  /// other group.
  private static func verb(at path: [String]) -> (any ParsableCommand.Type)? {
    guard !path.isEmpty else { return nil }
    var found: any ParsableCommand.Type = CarillonCommand.self
    for name in path {
      guard
        let next = found.configuration.subcommands.first(where: {
          $0._commandName == name || $0.configuration.aliases.contains(name)
        })
      else { return nil }
      found = next
    }
    if let usual = found.configuration.defaultSubcommand { found = usual }
    return found.configuration.subcommands.isEmpty ? found : nil
  }

  private static func run(_ order: ArgumentOrder) async throws {
    var command = try parse(order)
    if let verb = command as? any Verb {
      return try await verb.run(call(GlobalValues(verb.global)))
    }
    // A group of verbs, or no verb at all, prints its help. --help and help print the help of their
    // verb.
    if var group = command as? any AsyncParsableCommand {
      try await group.run()
    } else {
      try command.run()
    }
  }

  /// Returns the call with some global options, after the warning about their values.
  private static func call(_ global: GlobalValues) throws -> Call {
    let call = try Call(global)
    if let warning = call.clockWarning { call.output.warn(warning) }
    return call
  }

  /// Returns the error for an unknown verb.
  ///
  /// The parser would complain about a global option after the word instead.
  private static func failure(
    _ unknown: ArgumentOrder.UnknownVerb, in arguments: [String]
  ) -> CommandFailure {
    let words = (["carillon"] + unknown.path).joined(separator: " ")
    let likely = LikelyCommand.text(for: unknown, in: arguments)
    return .usage(
      "\(words) has no command \"\(unknown.word)\"",
      hint: likely.map { "did you mean: \($0)" }
        ?? (unknown.near.map { "did you mean \(words) \($0)? " } ?? "") + "see \(words) --help")
  }

  /// Reports an error and returns the exit code.
  private static func report(
    _ error: any Error, _ given: [String], _ signals: SignalCancellation? = nil
  ) -> Int32 {
    let order = ArgumentOrder(given, verbs: verbs)
    let isJSON = ArgumentOrder.asksForJSON(given)
    if let code = error as? ExitCode { return code.rawValue }
    if isOfParser(error) {
      return reportParsing(error, order, store: ArgumentOrder.store(given), isJSON: isJSON)
    }
    guard var failure = CommandFailure(error) else {
      return signals?.number.map { 128 + $0 } ?? ExitStatus.interrupted.rawValue
    }
    if failure.code == StoreError.Code.notFound.rawValue,
      let likely = LikelyCommand.text(order, isWrong: { failure.message.contains("\"\($0)\"") })
    {
      failure.hint = "did you mean: \(likely.withoutPasswords)"
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
    _ error: any Error, _ order: ArgumentOrder, store: String?, isJSON: Bool
  ) -> Int32 {
    let code = CarillonCommand.exitCode(for: error)
    var failure = failure(ofParser: error, order.path)
    if code.isSuccess {
      do throws(CommandFailure) {
        try ByteOutput.standardOutput.write(CarillonCommand.fullMessage(for: error) + "\n")
        return code.rawValue
      } catch {
        failure = error
      }
    } else if let hint = LikelyCommand.hint(hyphensIn: order) {
      failure.hint = hint
    } else if let likely = LikelyCommand.text(order) {
      failure.hint = "did you mean: \(likely)"
      // The parser's own guess is the option with the most similar name.
      failure.message = failure.message.replacing(
        /\ Did you mean '[^']*'\?$/, with: "")
    }
    say(failure.naming(store: store), isJSON: isJSON)
    return failure.status.rawValue
  }

  /// Returns the failure for an error of the parser.
  static func failure(ofParser error: any Error, _ path: [String]) -> CommandFailure {
    .usage(
      CarillonCommand.message(for: error),
      hint: "see \((["carillon"] + path + ["--help"]).joined(separator: " "))")
  }

  /// Writes a failure to standard error.
  static func say(_ failure: CommandFailure, isJSON: Bool) {
    // If even standard error is gone, the exit code remains.
    _ = try? ByteOutput.standardError.write(isJSON ? failure.json.line : failure.text)
  }

  private static func verbs(of command: any ParsableCommand.Type) -> [ArgumentOrder.Verb] {
    command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.flatMap { verb in
      ([verb._commandName] + verb.configuration.aliases).map {
        ArgumentOrder.Verb(name: $0, verbs: verbs(of: verb))
      }
    }
  }
}

/// Cancels a task on Ctrl-C, SIGTERM or SIGHUP, and ends the process on a second signal or after 2
/// seconds.
///
/// A plain verb ends on the first signal. All are safe: every write is all or nothing.
final class SignalCancellation: Sendable {
  private let received = Mutex<Int32?>(nil)
  private let sources: [(number: Int32, source: any DispatchSourceSignal)]

  init() {
    sources = Self.handle(by: SIG_IGN).map {
      ($0, DispatchSource.makeSignalSource(signal: $0, queue: .global()))
    }
  }

  /// Ends the process on the first signal, without a thread that waits for one.
  static func endAtOnce() {
    _ = handle { SignalEnd.end(by: $0) }
  }

  /// Sets what the signals do, and returns those that the process handles.
  private static func handle(by action: @escaping @convention(c) (Int32) -> Void) -> [Int32] {
    [SIGINT, SIGTERM, SIGHUP].filter { number in
      let before = unsafeBitCast(signal(number, action), to: Int.self)
      // A process that was started by nohup goes on when its terminal is closed.
      guard number == SIGHUP, before == unsafeBitCast(SIG_IGN, to: Int.self) else { return true }
      signal(number, SIG_IGN)
      return false
    }
  }

  /// The first signal that was received; nil if there was none.
  var number: Int32? { received.withLock(\.self) }

  func cancel(_ task: Task<Void, any Error>) {
    for (number, source) in sources {
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

  /// Ends this process and the processes that it started, at once.
  private static func exit(_ signal: Int32) -> Never {
    RunningPrograms.shared.killAll()
    SignalEnd.end(by: signal)
  }
}
