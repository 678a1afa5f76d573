import Foundation
import Testing

/// Several processes on one store, and processes that are interrupted.
struct SeveralProcessesTests {
  /// A store of 20,005 events, created once and copied by each test.
  private static let large = Task {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.run("append", input: bench.entries(of: habit, count: 20_000))
    try await bench.run("pending")
    return bench
  }

  private func large(_ name: String) async throws -> Workbench {
    let bench = try await Self.large.value
    try bench.copy("phone", to: name)
    return bench
  }

  /// The generation of the projection file in use.
  private func generations(_ bench: Workbench, _ store: String) throws -> [Int] {
    try FileManager.default.contentsOfDirectory(atPath: bench.path(store)).compactMap { name in
      guard name.hasSuffix(".sqlite"), let dash = name.lastIndex(of: "g") else { return nil }
      return Int(name[name.index(after: dash)...].dropLast(".sqlite".count))
    }.sorted()
  }

  @Test("While one process rebuilds, another can read", .timeLimit(.minutes(30)))
  func rebuildBesideReaders() async throws {
    let bench = try await large("rebuilt")
    let pending = try await bench.run("pending", "--json", store: "rebuilt").output
    let digest = try await bench.digest("rebuilt")
    let before = try #require(try generations(bench, "rebuilt").last)
    let child = try await bench.start(["rebuild", "--json"], store: "rebuilt")
    var answers = 0
    while child.isRunning {
      #expect(try await bench.run("pending", "--json", store: "rebuilt").output == pending)
      #expect(try await bench.digest("rebuilt") == digest)
      answers += 1
    }
    #expect(try await child.answer().document()["stateDigest"]?.text == digest)
    #expect(answers > 0)
    #expect(try await bench.digest("rebuilt") == digest)
    #expect(try await bench.run("pending", "--json", store: "rebuilt").output == pending)
    #expect(try generations(bench, "rebuilt") == [before + 1])
  }

  @Test(
    "An interrupted rebuild leaves the old projections in use",
    .timeLimit(.minutes(30)), arguments: [SIGINT, SIGTERM])
  func interruptedRebuild(signal: Int32) async throws {
    let store = "interrupted\(signal)"
    let bench = try await large(store)
    let digest = try await bench.digest(store)
    // A fast machine may finish before the signal; then the rebuild is repeated.
    for _ in 0..<20 {
      let before = try generations(bench, store)
      let child = try await bench.start(["rebuild"], store: store)
      while child.isRunning, try generations(bench, store) == before {
        try await Task.sleep(for: .microseconds(200))
      }
      child.signal(signal)
      let answer = try await child.answer()
      #expect(try await bench.digest(store) == digest)
      // The signal may also come when the rebuild has just answered, and then changes nothing.
      guard answer.output.isEmpty else {
        #expect(!answer.wasSignalled && answer.status == 0, "\(answer)")
        continue
      }
      #expect(answer.wasSignalled && answer.status == signal, "\(answer)")
      #expect(try generations(bench, store) == before)
      return
    }
    Issue.record("no rebuild was asked to end in time")
  }

  @Test(
    "An interrupted backup to an archive leaves nothing behind",
    .timeLimit(.minutes(30)), arguments: [SIGHUP, SIGTERM])
  func interruptedBackup(signal: Int32) async throws {
    let store = "archived\(signal)"
    let bench = try await large(store)
    // A fast machine may finish before the signal; then another archive is made.
    for number in 0..<20 {
      let folder = bench.url("archives\(signal)-\(number)")
      func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
      }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let archive = folder.appending(path: "a.tar").path
      let child = try await bench.start(["backup", "--to", archive], store: store)
      while child.isRunning, try names().isEmpty {
        try await Task.sleep(for: .microseconds(200))
      }
      child.signal(signal)
      let answer = try await child.answer()
      guard answer.status != 0 else {
        #expect(try names() == ["a.tar"])
        continue
      }
      #expect(answer.wasSignalled && answer.status == signal, "\(answer)")
      #expect(try names().isEmpty)
      return
    }
    Issue.record("no backup was asked to end in time")
  }

  @Test("An interrupted import keeps complete batches", .timeLimit(.minutes(30)))
  func interruptedImport() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    // Three batches: the signal comes after the first, and the import ends after the second.
    try await bench.run("append", input: bench.entries(of: habit, count: 8_500))
    let exported = try bench.write(try await bench.run("export").output, to: "events.ndjson")
    let storeID = try #require(try await bench.json("status")["store"]?.text)
    // A fast import may finish before the signal; then another one is interrupted.
    for store in (1...20).map({ "imported\($0)" }) {
      try await bench.make(store, storeID: storeID)
      let child = try await bench.start(["import", exported], store: store)
      let file = bench.path("\(store)/log/data.mdb")
      func size() throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
      }
      let empty = try size()
      while child.isRunning, try size() <= empty {
        try await Task.sleep(for: .microseconds(200))
      }
      child.signal(SIGINT)
      let answer = try await child.answer()
      #expect(try await bench.run("verify", store: store).status == 0)
      guard answer.status != 0 else { continue }
      #expect(answer.wasSignalled && answer.status == SIGINT, "\(answer)")
      #expect(try await bench.run("import", exported, store: store).status == 0)
      #expect(try await bench.ids(store).isSuperset(of: try await bench.ids()))
      return
    }
    Issue.record("no import was asked to end in time")
  }

  @Test("Two processes that append at once lose nothing", .timeLimit(.minutes(30)))
  func twoWriters() async throws {
    let bench = try await Workbench.withStore()
    let habits = [try await bench.addHabit("Walk"), try await bench.addHabit("Read")]
    let script = """
      read habit
      for day in 01 02 03 04 05 06 07 08 09 10; do
        echo '{"type":"entry.recorded","habit":"'$habit'","date":"2020-01-'$day'"}' |
          "$CARILLON" append --json || exit 9
      done
      """
    var children: [Child] = []
    for habit in habits {
      children.append(try await bench.startShell(script, input: habit + "\n"))
    }
    var acknowledged: Set<String> = []
    for child in children {
      let documents = try await child.answer().documents()
      #expect(documents.count == 10)
      acknowledged.formUnion(documents.compactMap { $0["first"]?["id"]?.text })
    }
    #expect(acknowledged.count == 20)
    #expect(try await bench.ids().isSuperset(of: acknowledged))
    #expect(try await bench.run("verify").status == 0)
  }

  @Test(
    "Following a store ends with exit 74 if its directory is renamed or restored from a copy",
    arguments: [["log", "--follow"], ["watch"], ["sync", "other", "--watch"]], [false, true])
  func movedAway(verb: [String], isPutBack: Bool) async throws {
    let (bench, child) = try await follower(verb)
    try FileManager.default.moveItem(at: bench.url("phone"), to: bench.url("away"))
    if isPutBack {
      try bench.copy("away", to: "back")
      try FileManager.default.moveItem(at: bench.url("back"), to: bench.url("phone"))
    }
    let answer = try await child.answer()
    #expect(!answer.wasSignalled && answer.status == 74, "\(answer)")
    #expect(answer.errors.contains("/phone/log/"), "\(answer)")
  }

  @Test(
    "Following a store ends with exit 65 if its log is truncated or overwritten, or 74 when read",
    arguments: [["log", "--follow"], ["watch"], ["sync", "other", "--watch"]], [false, true])
  func damaged(verb: [String], isCut: Bool) async throws {
    let (bench, child) = try await follower(verb)
    let file = try FileHandle(forWritingTo: bench.url("phone/log/data.mdb"))
    if isCut {
      try file.truncate(atOffset: 8_192)
    } else {
      try file.write(contentsOf: Data(count: 8_192))
    }
    try file.close()
    let answer = try await child.answer()
    #expect(!answer.wasSignalled, "\(answer)")
    // The page that is read may be gone before the length is checked.
    if isCut, answer.status == 74 {
      #expect(answer.errors.contains("a file of the store became shorter"), "\(answer)")
      return
    }
    #expect(answer.status == 65, "\(answer)")
    #expect(answer.errors.contains("the data file"), "\(answer)")
    #expect(answer.errors.contains(#""code":"corrupt""#), "\(answer)")
  }

  /// Starts a verb that follows a store, and waits until it does.
  private func follower(_ verb: [String]) async throws -> (Workbench, Child) {
    let bench = try await Workbench.withStore()
    try await bench.run("clone", bench.path("phone"), bench.path("other"), "--replica", "other")
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let child = try await bench.start(verb.map { $0 == "other" ? bench.path($0) : $0 } + ["--json"])
    switch verb[0] {
    case "log":
      try await child.prints { !$0.isEmpty }
    case "watch":
      // It prints nothing before something is due, but writes its queue in the first round.
      while child.isRunning, try !bench.names(in: "phone").contains("desktop.json") {
        try await Task.sleep(for: .milliseconds(5))
      }
    default:
      let ids = try await bench.ids()
      while child.isRunning, try await !bench.ids("other").isSuperset(of: ids) {}
    }
    return (bench, child)
  }

  @Test("log --follow lists what another process writes, and ends on Ctrl-C")
  func follow() async throws {
    let bench = try await Workbench.withStore()
    let child = try await bench.start(["log", "--follow", "--json"])
    try await child.prints { $0.contains("device.described") }
    _ = try await bench.addHabit("Walk")
    try await child.prints { $0.contains("habit.created") }
    child.signal(SIGINT)
    let answer = try await child.answer()
    #expect(answer.wasSignalled && answer.status == SIGINT, "\(answer)")
    #expect(answer.output.contains(#""title":"Walk""#))
    #expect(answer.errors.isEmpty, "\(answer)")
  }
}
