import ArgumentParser
import Carillon
import CarillonDocuments
import CarillonModel

/// `carillon rebuild`: rebuilds or checks the projections, or computes the state digest of an
/// earlier time.
struct RebuildCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Rebuild the projections from the log.",
    discussion: """
      Exits with 1 if an event in the log is damaged.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Compare the projections with a fresh build, and exit with 1 if they differ.")
  var check = false

  @Option(
    help: ArgumentHelp(
      "Print the state digest as of this time, such as 2026-11-23T17:00, without changing "
        + "anything.", valueName: "time"))
  var until: Given<EndText>?

  func run(_ call: Call) async throws {
    guard !check || until == nil else {
      throw CommandFailure.usage(
        "--check and --until cannot be used together", hint: "give one of them")
    }
    let moment = try until.value(for: "--until")?.resolved(call.output.time)
    if let warning = moment?.warning(for: "--until") { call.output.warn(warning) }
    let until = moment?.instant
    let bar = ProgressBar(check ? "checking" : "rebuilding", isQuiet: call.output.isQuiet)
    try await call.withStore { store in
      defer { bar.finish() }
      if check { return try await compare(store, bar, call) }
      if let until { return try await tell(store, until, call) }
      let report = try await store.rebuild { bar.update($0) }
      bar.finish()
      try call.output.answer(report.json) {
        "Rebuilt from \(report.events.counted("event")).\nstate digest  \(report.stateDigest)\n"
          + damage(report.damagedEventCount, call)
      }
      if report.damagedEventCount > 0 { throw ExitCode(ExitStatus.no.rawValue) }
    }
  }

  private func compare(_ store: Store, _ bar: ProgressBar, _ call: Call) async throws {
    let difference = try await store.checkProjections { bar.update($0) }
    let damagedCount = try await store.damagedEventCount()
    bar.finish()
    let isRight = difference == nil && damagedCount == 0
    try call.output.answer([
      "ok": .bool(isRight),
      "difference": difference.map { ["table": .text($0.table), "key": .text($0.key)] } ?? .null,
      "damaged": .integer(damagedCount),
    ]) {
      if let difference, difference.table == "unconfirmed" {
        "Damaged in the log: the event at \(difference.key.printable). The projections still have "
          + "its content, and a rebuild would lose it.\n" + repair(call)
      } else if let difference {
        "Table \(difference.table) differs at \(difference.key.printable).\n"
          + "Next: \(call.output.carillon) rebuild\n"
      } else if !isRight {
        damage(damagedCount, call)
      } else {
        "The projections match the log.\n"
      }
    }
    if !isRight { throw ExitCode(ExitStatus.no.rawValue) }
  }

  /// Returns what to do about damaged events; empty if there are none.
  private func damage(_ count: Int, _ call: Call) -> String {
    count == 0
      ? ""
      : "Damaged in the log, and treated as missing: \(count.counted("event")).\n" + repair(call)
  }

  private func repair(_ call: Call) -> String {
    "Next: repair the log from another replica: \(call.output.carillon) sync PEER --audit\n"
  }

  private func tell(_ store: Store, _ moment: Instant, _ call: Call) async throws {
    let state = try await store.stateDigest(asOf: moment)
    let damagedCount = state.damagedEventCount
    try call.output.answer([
      "events": .integer(state.eventCount), "until": .text(call.output.time.rfc3339(moment)),
      "stateDigest": .text(state.digest.description), "damaged": .integer(damagedCount),
    ]) {
      "\(state.eventCount.counted("event")) until \(call.output.time.text(moment))\n"
        + "state digest  \(state.digest)\n" + damage(damagedCount, call)
    }
  }
}
