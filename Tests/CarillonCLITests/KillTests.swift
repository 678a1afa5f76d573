import CarillonTestSupport
import Foundation
import Testing

/// Processes that are killed during their work.
struct KillTests {
  /// A shell appends one event per call, and each line that it prints acknowledges one.
  ///
  /// It is repeatedly killed with its child, after a random number of acknowledgements and at a
  /// random moment.
  @Test(
    "Acknowledged events survive 8 kills, and log and projections agree", .timeLimit(.minutes(30)),
    arguments: StorageVerbTests.storages)
  func killedWriters(storage: String) async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let bench = try Workbench()
    try await bench.make("phone", storage: storage)
    let habit = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    var acknowledged: [String] = []
    for round in 0..<8 {
      let child = try await bench.startShell(Self.appending, input: "\(habit)\n\(round * 1000)\n")
      let count = Int.random(in: 1...3, using: &random)
      try await child.prints { $0.split(separator: "\n").count >= count }
      try await Task.sleep(for: .microseconds(UInt32.random(in: 0..<60_000, using: &random)))
      child.killGroup()
      let answer = try await child.answer()
      #expect(answer.wasSignalled && answer.status == SIGKILL, "seed \(seed): \(answer)")
      acknowledged += try Self.acknowledged(answer.output)
    }
    let held = try await bench.ids()
    let missing = acknowledged.filter { !held.contains($0) }
    #expect(missing.isEmpty, "seed \(seed): \(missing)")
    #expect(acknowledged.count >= 8, "seed \(seed)")
    let verified = try await bench.run("verify", "--json")
    #expect(verified.status == 0, "seed \(seed): \(verified)")
    let before = try await bench.digest()
    let rebuilt = try await bench.rebuiltDigest()
    #expect(rebuilt == before, "seed \(seed)")
  }

  /// Reads a habit's ID and a first day from standard input, and appends an entry per call.
  private static let appending = """
    read habit; read day
    while :; do
      echo '{"type":"entry.recorded","habit":"'$habit'","date":"2020-01-01","kind":"imported",'\\
    '"source":"'$day'"}' | "$CARILLON" append --json || exit 9
      day=$((day + 1))
    done
    """

  /// The IDs of complete lines; a line without its line break was cut by the kill.
  private static func acknowledged(_ output: String) throws -> [String] {
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return try lines.map { try #require(try Document(json: String($0))["first"]?["id"]?.text) }
  }

  @Test(
    "Repeating a killed import completes it", .timeLimit(.minutes(30)),
    arguments: StorageVerbTests.storages)
  func killedImports(storage: String) async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("append", input: bench.entries(of: habit, count: 4_500))
    let exported = try bench.write(try await bench.run("export").output, to: "events.ndjson")
    let storeID = try #require(try await bench.json("status")["store"]?.text)
    let digest = try await bench.digest()
    for round in 0..<3 {
      let name = "copy\(round)"
      try await bench.make(name, storeID: storeID, storage: storage)
      let child = try await bench.start(["import", exported], store: name)
      try await Task.sleep(for: .microseconds(UInt32.random(in: 0..<800_000, using: &random)))
      child.killGroup()
      _ = try await child.answer()
      let kept = try await bench.run("verify", store: name)
      #expect(kept.status == 0, "seed \(seed): \(kept)")
    }
    let again = try await bench.run("import", exported, store: "copy2")
    #expect(again.status == 0, "seed \(seed): \(again)")
    let held = try await bench.ids("copy2")
    #expect(held.isSuperset(of: try await bench.ids()), "seed \(seed)")
    #expect(try await bench.run("verify", store: "copy2").status == 0, "seed \(seed)")
    try await bench.run("sync", bench.path("copy2"))
    #expect(try await bench.digest("copy2") == (try await bench.digest()), "seed \(seed)")
    #expect(try await bench.rebuiltDigest("copy2") == (try await bench.digest()), "seed \(seed)")
    #expect(digest.count == 64)
  }

  /// A shell ingests overlapping pairs of items and confirms each fresh one.
  ///
  /// It is repeatedly killed at a random moment, and starts again at items that were ingested
  /// before.
  @Test("Through 8 kills no item alerts twice, and no receipt is lost", .timeLimit(.minutes(30)))
  func killedIngests() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let bench = try await Workbench.withStore()
    var fresh: [String] = []
    var receipts: [String] = []
    for round in 0..<8 {
      let child = try await bench.startShell(Self.ingesting, input: "\(round * 2)\n")
      let count = Int.random(in: 1...4, using: &random)
      try await child.prints { $0.split(separator: "\n").count >= count }
      try await Task.sleep(for: .microseconds(UInt32.random(in: 0..<60_000, using: &random)))
      child.killGroup()
      for line in try await child.answer().output.split(separator: "\n") {
        // A line that the kill cut acknowledges nothing.
        guard let answer = try? Document(json: String(line)) else { continue }
        fresh += answer["fresh"]?.list.compactMap { $0["item"]?.text } ?? []
        receipts += answer["events"]?.list.compactMap { $0["id"]?.text } ?? []
      }
    }
    #expect(!fresh.isEmpty && !receipts.isEmpty, "seed \(seed)")
    #expect(Set(fresh).count == fresh.count, "seed \(seed): \(fresh)")
    #expect(try await bench.ids().isSuperset(of: receipts), "seed \(seed)")
    let lines = fresh.map { #"{"id":"\#($0)"}"# }.joined(separator: "\n")
    let again = try await bench.json("ingest", "--source", "feed", input: lines)
    #expect(again["fresh"] == .list([]), "seed \(seed)")
    #expect(try await bench.run("verify").status == 0, "seed \(seed)")
    #expect(try await bench.rebuiltDigest() == (try await bench.digest()), "seed \(seed)")
  }

  /// Reads a first number from standard input, and ingests overlapping pairs from there on.
  private static let ingesting = """
    read item
    while :; do
      answer=$(printf '{"id":"%s"}\\n{"id":"%s"}\\n' "$item" $((item + 1)) |
        "$CARILLON" ingest --source feed --json) || exit 9
      echo "$answer"
      id=$(echo "$answer" | sed -n 's/.*"fresh":\\[{"id":"\\([^"]*\\)".*/\\1/p')
      if [ -n "$id" ]; then "$CARILLON" receipt delivered "$id" --json || exit 9; fi
      item=$((item + 1))
    done
    """
}
