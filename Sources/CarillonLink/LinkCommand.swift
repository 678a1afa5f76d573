#if Service
import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import CarillonModel
import Foundation
import HTTPTypes

/// `carillon-link`: connects the command line with a service over HTTPS.
@main
struct LinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carillon-link",
    abstract: "Connect the command line, which starts it, with a service.",
    subcommands: [LinkSync.self, LinkJoin.self, LinkAsk.self])

  static func main() async {
    // A write to a pipe that is closed fails with an error.
    signal(SIGPIPE, SIG_IGN)
    DispatchLog.turnOff()
    Heap.saveAddressSpace()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error
      where error is LinkFailure || error is StoreError || error is CancellationError
    {
      end(LinkFailure(error))
    } catch {
      exit(withError: error)
    }
  }

  /// Writes an answer to standard output.
  static func answer(_ text: String) throws(LinkFailure) {
    let problem = StandardStream.output.write(text)
    guard problem != 0 else { return }
    throw .unwritable("standard output", problem)
  }

  private static func end(_ failure: LinkFailure) -> Never {
    StandardStream.errors.write(failure.line)
    Foundation.exit(failure.status.rawValue)
  }
}

/// Passes the messages of an initiator on standard input and output to a service.
struct LinkSync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Pass the messages of a sync to a service.")

  @OptionGroup var service: GivenService

  @Option(help: ArgumentHelp("Give up after this time without an answer.", valueName: "seconds"))
  var stallTimeout = 30

  @Flag(help: "Report when the log of the service grows, and connect again for some time.")
  var news = false

  @Flag(help: "Name the store of the service before the first message.")
  var namesStore = false

  private static let watchPatience = Duration.seconds(5)

  func run() async throws {
    let stall = Duration.seconds(min(max(stallTimeout, 1), 3_600))
    // The failure is reported before the initiator gives up.
    let limit = stall * 4 / 5
    let connector = try Connector(
      try service.place(), patience: news ? Self.watchPatience : stall * 3 / 4,
      repeatsRefused: news)
    let transport = try PipeTransport(
      reading: STDIN_FILENO, writing: STDOUT_FILENO, stallInterval: stall,
      naming: namesStore ? try await StoreQuestion(connector).answer(within: limit) : nil)
    let relay = MessageRelay(connector, transport, limit: limit, answerLimit: stall / 2)
    do {
      try await run(relay, connector, transport)
    } catch {
      await transport.close()
      throw error
    }
    await transport.close()
  }

  private func run(
    _ relay: MessageRelay, _ connector: Connector, _ transport: PipeTransport
  ) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await relay.run()
        return true
      }
      if news, try await StoreError.translating({ try await transport.isAskedForNews() }) {
        group.addTask {
          try await NewsRelay(
            connector: connector, transport: transport, onReturn: { relay.renew() }
          ).run()
          return false
        }
      }
      for try await isEnd in group where isEnd { break }
      group.cancelAll()
    }
  }
}

/// Asks a service which store it serves.
struct StoreQuestion {
  private let connector: Connector

  init(_ connector: Connector) {
    self.connector = connector
  }

  /// - Throws: ``LinkFailure``.
  func answer(within limit: Duration) async throws -> StoreID {
    let place = connector.place
    let answer: ServiceAnswer
    do {
      answer = try await connector.withConnection(Liveness(checksIdle: true)) { connection in
        try await connection.ask(.get, "/v1/sync", accept: "application/json", within: limit)
      }
    } catch let failure as LinkFailure {
      throw failure
    } catch {
      throw LinkFailure.silent("\(place.text) did not answer: \(error)")
    }
    switch answer.refusal {
    case .end(let failure), .wait(_, let failure), .lost(let failure): throw failure
    case nil: break
    }
    guard case .text(let text)? = answer.object?["store"], let store = StoreID(text) else {
      throw LinkFailure.malformed("\(place.text) does not name its store")
    }
    return store
  }
}

/// Exchanges an invitation for a credential.
struct LinkJoin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Exchange an invitation from standard input.")

  func run() async throws {
    try LinkCommand.answer(try await JoinExchange(reading: .standardInput).run())
  }
}
#else
import CarillonDocuments
import Foundation

/// `carillon-link` of a build without the trait `Service`.
@main
struct LinkCommand {
  static func main() {
    let text = """
      {"error":{"code":"unreachable","message":"this carillon-link was built without the trait \
      Service","hint":"build it: swift build --enable-all-traits --product carillon-link"}}

      """
    StandardStream.errors.write(text)
    exit(69)
  }
}
#endif
