import ArgumentParser
import Carillon

/// `carillon verify`: checks every event and the projections.
struct VerifyCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every event's ID and the projections; exit 1 if bad.",
    discussion: """
      An event can be held by its ID alone, where its content was damaged in the replica that sent \
      it. It is listed by name, all else is checked, and the exit code is 1, as that of each sync, \
      until a sync with a replica that holds the content brings it.
      """)

  @OptionGroup var global: GlobalOptions

  func run(_ call: Call) async throws {
    let bar = ProgressBar("verifying", isQuiet: call.output.isQuiet)
    try await call.withStore { store in
      let problems = try await store.verify { bar.update($0) }
      bar.finish()
      let digest = try await store.status().stateDigest
      try call.output.answer([
        "ok": .bool(problems.isEmpty), "problems": .array(problems) { .text($0.message) },
        "missing": .integer(problems.count { $0.kind == .missingContent }),
        "stateDigest": .text(digest.description),
      ]) {
        problems.isEmpty
          ? "All is well.\nstate digest  \(digest)\n"
          : problems.map { $0.message.printable + "\n" }.joined()
            + Self.next(problems, call.output.carillon)
      }
      if !problems.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
  }

  /// What to try: the tables follow from the log, its free pages from those in use, and the rest
  /// from another replica, which takes writing.
  private static func next(_ problems: [StoreProblem], _ carillon: String) -> String {
    let kinds = Set(problems.map(\.kind))
    guard !kinds.contains(.freePages) else {
      return "Next: write the log's file anew: \(carillon) compact\n"
    }
    guard !kinds.contains(.damage) else {
      return "Next: repair it from another replica: \(carillon) sync PEER --audit\n"
    }
    let rebuild =
      kinds.contains(.projections) ? "Next: \(carillon) rebuild\n" : "All else is well.\n"
    guard kinds.contains(.missingContent) else { return rebuild }
    return rebuild + "Next: \(carillon) sync PEER, with a replica that holds the content\n"
  }
}
