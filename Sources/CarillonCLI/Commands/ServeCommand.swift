import ArgumentParser
import CarillonDocuments
import Foundation

/// `carillon serve`: becomes `carillon-serve`, a program of its own, so that the command line stays
/// small.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Make a store reachable over HTTP.",
    discussion: """
      Runs carillon-serve with the same arguments.

      Examples:
        carillon serve
        carillon serve --listen 127.0.0.1:0
      """)

  @Argument(parsing: .captureForPassthrough, help: "See carillon-serve --help.")
  var arguments: [String] = []

  private static let program = "carillon-serve"

  /// Replaces this process if the arguments name this verb, or that of a hub.
  ///
  /// Must be called before any task or thread, since the program would take over their signal mask.
  ///
  /// A request for help goes to the program too, which knows the options.
  ///
  /// - Returns: The failure to report if the program cannot be started; nil for any other verb, and
  ///   for a request for help, which this program then answers.
  static func runAtOnce(_ given: [String]) -> CommandFailure? {
    guard given.contains("serve") || given.contains("hub") else { return nil }
    let order = ArgumentOrder(given, verbs: CommandRunner.verbs)
    let asksForHelp = given.contains("help") && order.arguments.last == "--help"
    let arguments: [String]
    switch order.path {
    case ["hub"] where asksForHelp: arguments = [program] + order.arguments
    case ["serve"]: arguments = [program] + order.arguments.dropFirst()
    case ["hub"]:
      // Options belong to the verbs of the hub, which come after it.
      let parts = given.split(separator: "hub", maxSplits: 1, omittingEmptySubsequences: false)
      arguments = [program, "hub"] + parts[1] + parts[0]
    default: return nil
    }
    var words = arguments.map { strdup($0) } + [nil]
    if let directory = Bundle.main.executableURL?.deletingLastPathComponent() {
      execv(directory.appending(path: program).path, &words)
    }
    execvp(program, &words)
    if asksForHelp { return nil }
    let reason = errno == ENOENT ? "there is none" : String(cString: strerror(errno))
    return CommandFailure(
      status: .unreachable, code: "unreachable",
      message: "\(program) cannot be started: beside carillon, and in the directories of PATH, "
        + reason,
      hint: "install all three programs: tools/install --prefix DIR; or build this one: "
        + "tools/release \(program)")
  }
}

/// `carillon hub`: becomes `carillon-serve hub`.
struct HubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub", abstract: "Keep the logs of many people, and sync their devices.",
    discussion: """
      Runs carillon-serve hub with the same arguments. Without a subcommand, the hub is served.

      Subcommands: people, invite, quota, erase, compact, shards, move, group, migrate, reopen.

      Examples:
        carillon hub --database hub.sqlite
        carillon hub people add --database hub.sqlite
        carillon hub erase --help
      """)

  @Argument(parsing: .captureForPassthrough, help: "See carillon hub --help.")
  var arguments: [String] = []
}
