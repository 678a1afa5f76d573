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

  /// Replaces this process if the arguments name this verb.
  ///
  /// Must be called before any task or thread, since the program would take over their signal mask.
  ///
  /// - Returns: The failure to report if the program cannot be started; nil for any other verb.
  static func runAtOnce(_ given: [String]) -> CommandFailure? {
    guard given.contains("serve"), !given.contains("help") else { return nil }
    let order = ArgumentOrder(given, verbs: CommandRunner.verbs)
    guard order.path == ["serve"] else { return nil }
    let arguments = [program] + order.arguments.dropFirst()
    var words = arguments.map { strdup($0) } + [nil]
    if let directory = Bundle.main.executableURL?.deletingLastPathComponent() {
      execv(directory.appending(path: program).path, &words)
    }
    execvp(program, &words)
    let reason = errno == ENOENT ? "there is none" : String(cString: strerror(errno))
    return CommandFailure(
      status: .unreachable, code: "unreachable",
      message: "\(program) cannot be started: beside carillon, and in the directories of PATH, "
        + reason,
      hint: "build it: swift build --enable-all-traits --product \(program)")
  }
}
