import ArgumentParser
import Carillon
import CarillonDocuments

/// `carillon verify`: checks every event and the projections.
struct VerifyCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every event's ID and the projections.",
    discussion: """
      Exits with 1 if a check fails.

      With --full, the command also checks every index, lists the damaged events and rows, and \
      says what is lost and what restores it. With --repair, it repairs what follows from intact \
      events: indexes, projections and the plan. It never changes an event. It exits with 1 if \
      damage is left.

      If the content of an event was damaged in the replica that sent it, only its ID is stored \
      here. Such events are listed, and verify and sync exit with 1, until a sync with a replica \
      that has the content restores it.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Check everything, and list all damage.") var full = false
  @Flag(help: "Check everything, and repair what can be repaired without loss.") var repair = false

  func run(_ call: Call) async throws {
    let bar = ProgressBar("verifying", isQuiet: call.output.isQuiet)
    try await call.withStore(mayLackKeys: true) { store in
      defer { bar.finish() }
      if full || repair, store.hasContents { return try await verifyFully(store, bar, call) }
      let problems = try await store.verify { bar.update($0) }
      bar.finish()
      let digest = try await store.hasContents ? store.stateDigest() : nil
      try call.output.answer([
        "ok": .bool(problems.isEmpty), "problems": .array(problems) { .text($0.message) },
        "missing": .integer(problems.count { $0.kind == .missingContent }),
        "stateDigest": .text(digest),
      ]) {
        problems.isEmpty
          ? "No problems found.\n"
            + (digest.map { "state digest  \($0)\n" }
              ?? "\(Call.lackOfKeys): its content was not checked.\n")
          : problems.map { $0.message.printable + "\n" }.joined()
            + Self.next(problems, call.output.carillon)
      }
      if !problems.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
  }

  /// Returns what to try next.
  ///
  /// The projections can be rebuilt from the log, and the log's free pages from the pages in use.
  /// Everything else needs another replica.
  private static func next(_ problems: [StoreProblem], _ carillon: String) -> String {
    let kinds = Set(problems.map(\.kind))
    guard !kinds.contains(.freePages) else {
      return "Next: rewrite the log's file: \(carillon) compact\n"
    }
    guard !kinds.contains(.index) || kinds.contains(.damage) else {
      return "Next: \(carillon) verify --repair\n"
    }
    guard !kinds.contains(.damage) else {
      return "Next: repair the log from another replica: \(carillon) sync PEER --audit\n"
    }
    let rebuild =
      kinds.contains(.projections) ? "Next: \(carillon) rebuild\n" : "No other problems.\n"
    guard kinds.contains(.missingContent) else { return rebuild }
    return rebuild + "Next: sync with a replica that has the content: \(carillon) sync PEER\n"
  }
}
