import ArgumentParser
import Carillon

/// `carillon rebuild`: builds the projections anew, checks them, or tells of an earlier moment.
struct RebuildCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Build the projections anew from the log.")

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Build beside and compare; change nothing; exit 1 where they differ.")
  var check = false

  @Option(
    help: ArgumentHelp("Tell the digest as of this moment; change nothing.", valueName: "instant"))
  var until: Given<InstantText>?

  func run(_ call: Call) async throws {
    guard !check || until == nil else {
      throw CommandFailure.usage("--check and --until exclude each other", hint: "give one of them")
    }
    let until = try until.value(for: "--until")?.instant(in: call.zone)
    let bar = ProgressBar(check ? "checking" : "rebuilding", isQuiet: call.output.isQuiet)
    try await call.withStore { store in
      defer { bar.finish() }
      if check { return try await compare(store, bar, call) }
      if let until { return try await tell(store, until, call) }
      let report = try await store.rebuild { bar.update($0) }
      bar.finish()
      let seconds = report.duration / .seconds(1)
      try call.output.answer([
        "events": .integer(report.events), "seconds": .number(seconds),
        "stateDigest": .text(report.stateDigest.description),
        "damaged": .integer(report.damagedEventCount),
      ]) {
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
        "Damaged in the log: the event at \(difference.key.printable). What it said is in the "
          + "tables still, and a rebuild would lose it.\n" + repair(call)
      } else if let difference {
        "Table \(difference.table) differs at \(difference.key.printable).\n"
          + "Next: \(call.output.carillon) rebuild\n"
      } else if !isRight {
        damage(damagedCount, call)
      } else {
        "The projections are what the log comes to.\n"
      }
    }
    if !isRight { throw ExitCode(ExitStatus.no.rawValue) }
  }

  /// What to do about damaged events; empty where there are none.
  private func damage(_ count: Int, _ call: Call) -> String {
    count == 0
      ? "" : "Damaged in the log, and shown as missing: \(count.counted("event")).\n" + repair(call)
  }

  private func repair(_ call: Call) -> String {
    "Next: repair it from another replica: \(call.output.carillon) sync PEER --audit\n"
  }

  private func tell(_ store: Store, _ moment: Instant, _ call: Call) async throws {
    let (events, damagedCount, digest) = try await store.stateDigest(asOf: moment)
    try call.output.answer([
      "events": .integer(events), "until": .text(call.output.time.rfc3339(moment)),
      "stateDigest": .text(digest.description), "damaged": .integer(damagedCount),
    ]) {
      "\(events.counted("event")) until \(call.output.time.text(moment))\nstate digest  \(digest)\n"
        + damage(damagedCount, call)
    }
  }
}
