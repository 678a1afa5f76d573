import ArgumentParser
import Carillon

/// `carillon verify`: checks every event and the projections.
struct VerifyCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every event's ID and the projections; exit 1 if bad.")

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    let bar = ProgressBar("verifying", isQuiet: call.output.isQuiet)
    try await call.withStore { store in
      let problems = try await store.verify { bar.update($0) }
      bar.finish()
      let digest = try await store.status().stateDigest
      try call.output.answer([
        "ok": .bool(problems.isEmpty), "problems": .array(problems) { .text($0) },
        "stateDigest": .text(digest.description),
      ]) {
        problems.isEmpty
          ? "All is well.\nstate digest  \(digest)\n"
          : problems.map { $0.printable + "\n" }.joined() + Self.next(problems)
      }
      if !problems.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
  }

  /// What to try: the tables follow from the log, the log from another replica.
  private static func next(_ problems: [String]) -> String {
    problems.allSatisfy { $0.hasPrefix("projections: ") }
      ? "Next: carillon rebuild\n"
      : "Next: repair it from another replica: carillon sync PEER --audit\n"
  }
}
