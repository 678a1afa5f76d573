import CarillonDocuments
import CarillonTestSupport
import Foundation
import Testing

/// External data, recorded by processes that are killed.
struct KilledIntakeTests {
  /// One store, 16 kills: of imports, ingests, receipts and catch-ups in turn, each at a random
  /// moment.
  ///
  /// At the end, each is completed.
  @Test(
    "Over 16 kills nothing acknowledged is lost, and nothing is recorded twice",
    .timeLimit(.minutes(30)))
  func killed() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let intake = try await KilledIntake()
    for round in 0..<4 {
      try await intake.killImport(after: .random(in: 0..<600_000, using: &random))
      try await intake.killIngests(round, after: .random(in: 0..<60_000, using: &random))
      try await intake.killReceipts(after: .random(in: 0..<60_000, using: &random))
      try await intake.killCatchUp(round, after: .random(in: 0..<80_000, using: &random))
    }
    try await intake.finish()
    let held = try await intake.bench.ids()
    let lost = intake.acknowledged.filter { !held.contains($0) }
    #expect(lost.isEmpty, "seed \(seed): \(lost)")
    #expect(intake.acknowledged.count >= 8, "seed \(seed)")
    #expect(intake.fresh.count >= 4, "seed \(seed)")
    #expect(Set(intake.fresh).count == intake.fresh.count, "seed \(seed): alerted twice")
    let twice = try await intake.facts().filter { $0.value > 1 }
    #expect(twice.isEmpty, "seed \(seed): \(twice)")
    let verified = try await intake.bench.run("verify", "--json")
    #expect(verified.status == 0, "seed \(seed): \(verified)")
    let digest = try await intake.bench.digest()
    #expect(try await intake.bench.rebuiltDigest() == digest, "seed \(seed)")
  }
}

/// A store and what its processes acknowledged before they were killed.
private final class KilledIntake {
  let bench: Workbench
  private let habit: String
  private let backup: String
  /// The IDs of the reminders of the next days; they stay the same when all were shown.
  private let reminders: [String]
  /// The IDs of events that were acknowledged.
  private(set) var acknowledged: [String] = []
  /// The items that a process was asked to alert.
  private(set) var fresh: [String] = []

  init() async throws {
    bench = try await Workbench.withStore()
    habit = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    backup = try await bench.backup("loop.db", "--repetitions", "9000")
    let queue = try await bench.json("pending", "--limit", "8", now: "2026-11-22T12:00:00+01:00")
    reminders = queue["pending"]?.list.compactMap { $0["id"]?.text } ?? []
    try #require(reminders.count == 8)
  }

  func killImport(after microseconds: UInt32) async throws {
    let child = try await bench.start(["import", backup, "--format", "loop"])
    try await Task.sleep(for: .microseconds(microseconds))
    child.killGroup()
    _ = try await child.answer()
  }

  /// Ingests lists one after another, each with half of the items of the previous one.
  func killIngests(_ round: Int, after microseconds: UInt32) async throws {
    let answer = try await kill(
      """
      read i
      while :; do
        for n in 0 1 2 3 4 5; do echo '{"id":"'$((i + n))'"}'; done |
          "$CARILLON" ingest --source feed --json || exit 9
        i=$((i + 3))
      done
      """, input: "\(round * 1_000)\n", after: microseconds)
    fresh += answer.flatMap { $0["fresh"]?.list ?? [] }.compactMap { $0["item"]?.text }
  }

  /// Repeatedly records that the same reminder and others were delivered.
  func killReceipts(after microseconds: UInt32) async throws {
    let answer = try await kill(
      """
      read ids
      while :; do
        for id in $ids; do "$CARILLON" receipt delivered $id --json --now \(Workbench.now) || exit 9
        done
      done
      """, input: reminders.joined(separator: " ") + "\n", after: microseconds)
    note(answer)
  }

  /// Appends events without a query, then kills the query that has to apply them.
  func killCatchUp(_ round: Int, after microseconds: UInt32) async throws {
    let lines = (0..<1_500).map { index in
      #"{"type":"entry.recorded","habit":"\#(habit)","date":"2020-01-01","kind":"imported","#
        + #""source":"\#(round).\#(index)"}"#
    }
    let written = try await bench.json("append", input: lines.joined(separator: "\n") + "\n")
    acknowledged += [written["first"]?["id"]?.text, written["last"]?["id"]?.text]
      .compactMap(\.self)
    let child = try await bench.start(["pending"])
    try await Task.sleep(for: .microseconds(microseconds))
    child.killGroup()
    _ = try await child.answer()
  }

  /// Repeats everything that was interrupted, completely.
  func finish() async throws {
    let imported = try await bench.run("import", backup, "--format", "loop")
    #expect(imported.status == 0, "\(imported)")
    let again = try await bench.json(
      "ingest", "--source", "feed", input: fresh.map { "{\"id\":\"\($0)\"}\n" }.joined())
    #expect(again["fresh"]?.list == [], "what was alerted would alert again")
  }

  /// The number of events for each fact that may be in the log only once.
  func facts() async throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for event in try await bench.run("log", "--json").documents() {
      for key in Self.keys(of: event) { counts[key, default: 0] += 1 }
    }
    return counts
  }

  private static func keys(of event: Document) -> [String] {
    func text(_ names: String...) -> String {
      names.map { event[$0].map { "\($0)" } ?? "" }.joined(separator: " ")
    }
    return switch event["type"]?.text {
    case "habit.created": [text("type", "habit")]
    case "entry.recorded": [text("type", "habit", "date", "source")]
    case "item.observed":
      (event["items"]?.list ?? []).map { "item \($0["item"].map { "\($0)" } ?? "")" }
    case "receipt.advanced":
      [text("type", "habit", "schedule", "date", "time", "state", "revision")]
    default: []
    }
  }

  /// Runs a script whose verbs acknowledge with lines of JSON, and kills it and its child.
  private func kill(
    _ script: String, input: String, after microseconds: UInt32
  ) async throws -> [Document] {
    let child = try await bench.startShell(script, input: input)
    try await child.prints { $0.contains("\n") }
    try await Task.sleep(for: .microseconds(microseconds))
    child.killGroup()
    let answer = try await child.answer()
    #expect(answer.wasSignalled && answer.status == SIGKILL, "\(answer)")
    // A line without its line break was cut by the kill.
    return try answer.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map { try Document(json: String($0)) }
  }

  private func note(_ answers: [Document]) {
    acknowledged += answers.flatMap { $0["events"]?.list ?? [] }.compactMap { $0["id"]?.text }
  }
}
