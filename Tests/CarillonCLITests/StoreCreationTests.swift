import CarillonTestSupport
import Foundation
import Testing

/// Several processes that create a store in one directory, and processes that are killed meanwhile.
struct StoreCreationTests {
  /// The names of a log's files in a store directory.
  private static func logNames(_ storage: String) -> [String] {
    storage == "lmdb" ? ["log"] : ["log.identity", "log.sqlite"]
  }

  private func logNames(in bench: Workbench, _ store: String) throws -> [String] {
    try bench.names(in: store).filter { $0.hasPrefix("log") }.sorted()
  }

  @Test(
    "Of several processes that create a store in one directory, exactly one succeeds",
    .timeLimit(.minutes(30)),
    arguments: StorageVerbTests.storages)
  func race(storage: String) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    for round in 0..<2 {
      let name = "raced\(round)"
      let verb =
        round % 2 == 0
        ? ["init"] : ["clone", bench.path("phone"), bench.path(name)]
      var children: [Child] = []
      for number in 0..<4 {
        children.append(
          try await bench.start(
            verb + ["--replica", "r\(number)", "--storage", storage, "--json"], store: name))
      }
      var winners: [Answer] = []
      for child in children {
        let answer = try await child.answer()
        if answer.status == 0 {
          winners.append(answer)
        } else {
          #expect(answer.status == 73, "\(answer)")
        }
      }
      try #require(winners.count == 1, "\(winners)")
      let made = try winners[0].document()
      let status = try await bench.json("status", store: name)
      #expect(status["store"] == made["store"])
      #expect(status["replica"]?["id"] == made["replica"]?["id"])
      #expect(try logNames(in: bench, name) == Self.logNames(storage))
    }
  }

  @Test("Of processes that create a store on different storages, at most one succeeds")
  func raceOfStorages() async throws {
    let bench = try Workbench()
    for round in 0..<4 {
      let name = "raced\(round)"
      var children: [Child] = []
      for storage in StorageVerbTests.storages {
        children.append(
          try await bench.start(["init", "--replica", "r", "--storage", storage], store: name))
      }
      var winners: [String] = []
      for (storage, child) in zip(StorageVerbTests.storages, children) {
        let answer = try await child.answer()
        #expect(answer.status == 0 || answer.status == 73, "\(answer)")
        if answer.status == 0 { winners.append(storage) }
      }
      #expect(winners.count <= 1)
      if let storage = winners.first {
        #expect(try await bench.json("status", store: name)["storage"]?.text == storage)
      }
      #expect(try logNames(in: bench, name) == winners.flatMap(Self.logNames))
    }
  }

  @Test(
    "A store works in a path of 450 bytes, and none is made or opened in a longer one",
    arguments: StorageVerbTests.storages)
  func longPath(storage: String) async throws {
    let bench = try Workbench()
    let longest = bench.path(ofBytes: 450)
    func run(_ arguments: String..., at store: String) async throws -> Answer {
      try await bench.startPlain(arguments + ["--store", store]).answer()
    }
    let made = try await run("init", "--replica", "a", "--storage", storage, at: longest)
    #expect(made.status == 0, "\(made)")
    #expect(try await run("habit", "add", "Walk", "--at", "17:00", at: longest).status == 0)
    #expect(try await run("backup", bench.path("backup"), at: longest).status == 0)
    for verb in [["rebuild"], ["verify", "--full"], ["compact"], ["pending"]] {
      let answer = try await bench.startPlain(verb + ["--store", longest]).answer()
      #expect(answer.status == 0, "\(verb) \(answer)")
    }
    // A link is as long as the path to which it leads.
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("link"),
      withDestinationPath: URL(filePath: longest).deletingLastPathComponent().path)
    let before = try bench.directories()
    let long = bench.path(ofBytes: 451)
    let name = String(repeating: "y", count: 200)
    for (arguments, place) in [
      (["init", "--replica", "b", "--storage", storage, "--store", long], long),
      (["clone", longest, long, "--replica", "b", "--storage", storage], long),
      (["clone", longest, bench.path("link/" + name), "--replica", "b"], name),
      (["restore", bench.path("backup"), long, "--storage", storage], long),
    ] {
      let answer = try await bench.startPlain(arguments).answer()
      #expect(answer.status == 64 && answer.output.isEmpty, "\(answer)")
      #expect(answer.errors.contains(place) && answer.errors.contains("at most 450"), "\(answer)")
    }
    #expect(try bench.directories() == before)
    // A store whose directory was moved there is not changed by half.
    try await bench.make("moved", storage: storage)
    let parent = URL(filePath: long).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: bench.path("moved"), toPath: long)
    for arguments in [["status", "--store", long], ["join-store", longest, long]] {
      let answer = try await bench.startPlain(arguments).answer()
      #expect(answer.status == 64 && answer.errors.contains("has 451 bytes"), "\(answer)")
    }
    try FileManager.default.moveItem(atPath: long, toPath: bench.path("moved"))
    #expect(try await run("verify", at: bench.path("moved")).status == 0)
    #expect(try await run("join-store", longest, bench.path("moved"), at: longest).status == 0)
  }

  @Test("A name of more than 255 bytes is refused for a store and for a backup")
  func longName() async throws {
    let bench = try await Workbench.withStore()
    let name = bench.path(String(repeating: "x", count: 256))
    let before = try bench.directories()
    for arguments in [
      ["init", "--replica", "b", "--store", name], ["backup", name],
      ["backup", "--to", name + ".tar"],
    ] {
      let answer = try await bench.startPlain(arguments).answer()
      #expect(answer.status == 64, "\(answer)")
      #expect(answer.errors.contains("names of at most 255"), "\(answer)")
    }
    #expect(try bench.directories() == before)
  }

  @Test("No store is created on another storage in the directory of a store")
  func otherStorage() async throws {
    for (storage, other) in zip(StorageVerbTests.storages, StorageVerbTests.storages.reversed()) {
      let bench = try Workbench()
      try await bench.make("phone", storage: storage)
      let again = try await bench.run("init", "--replica", "r", "--storage", other)
      #expect(again.status == 73 && again.errors.contains("a store"), "\(again)")
      #expect(try logNames(in: bench, "phone") == Self.logNames(storage))
    }
  }

  @Test(
    "init and clone can be repeated after a kill at any moment", .timeLimit(.minutes(30)),
    arguments: StorageVerbTests.storages)
  func killed(storage: String) async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk")
    try await bench.run("append", input: bench.entries(of: habit, count: 300))
    for round in 0..<6 {
      let name = "killed\(round)"
      let verb =
        round % 2 == 0
        ? ["init"] : ["clone", bench.path("phone"), bench.path(name)]
      let making = verb + ["--replica", "r", "--storage", storage]
      let child = try await bench.start(making, store: name)
      // Until there is a file, then a little longer.
      while child.isRunning, try bench.names(in: name).isEmpty {
        try await Task.sleep(for: .microseconds(200))
      }
      try await Task.sleep(for: .microseconds(UInt32.random(in: 0..<30_000, using: &random)))
      child.killGroup()
      _ = try await child.answer()
      if try bench.names(in: name).contains(storage == "lmdb" ? "log" : "log.sqlite") {
        // It was already complete.
        #expect(try await bench.run("status", store: name).status == 0, "seed \(seed)")
        continue
      }
      #expect(try await bench.run("status", store: name).status == 66, "seed \(seed)")
      let again = try await bench.start(making, store: name).answer()
      #expect(again.status == 0, "seed \(seed): \(again)")
      #expect(try await bench.run("verify", store: name).status == 0, "seed \(seed)")
      #expect(try logNames(in: bench, name) == Self.logNames(storage), "seed \(seed)")
    }
  }

  @Test(
    "A new store replaces what a killed creation left, also on another storage",
    arguments: ["init", "clone", "restore"])
  func leftLog(verb: String) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("backup", bench.path("backup"))
    for (storage, other) in zip(StorageVerbTests.storages, StorageVerbTests.storages.reversed()) {
      func make(at name: String) async throws -> Answer {
        let arguments =
          switch verb {
          case "init": ["--replica", "r"]
          case "clone": [bench.path("phone"), bench.path(name), "--replica", "r"]
          default: [bench.path("backup"), bench.path(name)]
          }
        return try await bench.start(
          [verb] + arguments + ["--storage", other], store: name
        ).answer()
      }
      try Self.leaveLog(storage, at: bench.url(storage))
      #expect(try await bench.run("status", store: storage).status == 66)
      let made = try await make(at: storage)
      #expect(made.status == 0, "\(made)")
      #expect(try await bench.run("verify", store: storage).status == 0)
      #expect(try logNames(in: bench, storage) == Self.logNames(other))
      // A directory with another file is somebody else's.
      try Self.leaveLog(storage, at: bench.url("mine"))
      try bench.write("", to: "mine/notes")
      let before = try bench.names(in: "mine").sorted()
      let refused = try await make(at: "mine")
      #expect(refused.status == 73 && refused.errors.contains("not an empty"), "\(refused)")
      #expect(try bench.names(in: "mine").sorted() == before)
      try FileManager.default.removeItem(at: bench.url("mine"))
    }
  }

  /// Writes the files of a log whose creation was killed early.
  private static func leaveLog(_ storage: String, at store: URL) throws {
    let directory = storage == "lmdb" ? store.appending(path: "log.new") : store
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let names =
      storage == "lmdb"
      ? ["data.mdb", "lock.mdb", "identity"]
      : ["log.identity", "log.new.sqlite", "log.new.sqlite-wal", "log.new.sqlite-shm"]
    for name in names { try Data().write(to: directory.appending(path: name)) }
  }

  @Test(
    "Projections without a log, left by a killed process, do not prevent a new store",
    arguments: ["init", "clone"])
  func leftTables(verb: String) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("status")
    let left = try #require(try bench.names(in: "phone").first { $0.hasSuffix(".sqlite") })
    try FileManager.default.createDirectory(
      at: bench.url("left"), withIntermediateDirectories: false)
    try bench.copy("phone/\(left)", to: "left/\(left)")
    try bench.write("", to: "left/projection-build.lock")
    let arguments = verb == "init" ? [verb] : [verb, bench.path("phone"), bench.path("left")]
    let made = try await bench.start(arguments + ["--replica", "r"], store: "left").answer()
    #expect(made.status == 0, "\(made)")
    #expect(try await bench.run("verify", store: "left").status == 0)
    // Next to a log they belong to a store.
    let again = try await bench.start(arguments + ["--replica", "r"], store: "left").answer()
    #expect(again.status == 73 && again.errors.contains("a store"), "\(again)")
    try bench.write("", to: "left/anything")
    try FileManager.default.removeItem(at: bench.url("left/log"))
    let foreign = try await bench.start(arguments + ["--replica", "r"], store: "left").answer()
    #expect(foreign.status == 73 && foreign.errors.contains("not an empty"), "\(foreign)")
  }

  @Test("A clone into its source's directory is refused before anything is created")
  func cloneWithin() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("status")
    try FileManager.default.createSymbolicLink(
      at: bench.url("link"), withDestinationURL: bench.url("phone"))
    let before = (try bench.names(in: "phone"), try bench.names(in: "phone/log"))
    for name in ["phone/inner", "phone/a/b", "phone/log/inner", "link/inner", "link/../phone/c"] {
      let answer = try await bench.run(
        "clone", bench.path("phone"), bench.path(name), "--replica", "r")
      #expect(answer.status == 73, "\(name): \(answer)")
      #expect(
        answer.errors.contains("lies in the directory of the cloned store"), "\(name): \(answer)")
    }
    #expect(try bench.names(in: "phone") == before.0 && bench.names(in: "phone/log") == before.1)
    // A name that merely begins like the source's is another directory.
    let beside = try await bench.run(
      "clone", bench.path("phone"), bench.path("phone2"), "--replica", "r")
    #expect(beside.status == 0, "\(beside)")
  }

  @Test("Every verb distinguishes a directory with a foreign log from a store")
  func foreignLog() async throws {
    let bench = try Workbench()
    let log = bench.path("folder/log")
    try FileManager.default.createDirectory(
      at: bench.url("folder"), withIntermediateDirectories: false)
    try bench.write("mine", to: "folder/log")
    for (verb, status) in [("init --replica r", Int32(73)), ("status", 66), ("compact", 66)] {
      let arguments = verb.split(separator: " ").map(String.init)
      let answer = try await bench.start(arguments, store: "folder").answer()
      #expect(answer.status == status && answer.errors.contains(log), "\(verb): \(answer)")
      #expect(answer.errors.contains("hint: move "), "\(verb): \(answer)")
    }
    #expect(try String(contentsOf: bench.url("folder/log"), encoding: .utf8) == "mine")
  }

  @Test("A failed clone leaves other files unchanged, and none of its own")
  func failedClone() async throws {
    let bench = try await Workbench.withStore()
    try await bench.make("other")
    let before = try await bench.log("other")
    let taken = try await bench.run(
      "clone", bench.path("phone"), bench.path("other"), "--replica", "r")
    #expect(taken.status == 73 && taken.errors.contains(bench.path("other")), "\(taken)")
    #expect(try await bench.log("other") == before)
    // A peer that disconnects in the first sync.
    let broken = try await bench.start(
      ["clone", "ssh://nobody@localhost\(bench.path("phone"))", bench.path("new/one")]
        + ["--replica", "r"], with: ["CARILLON_SSH": "/bin/false", "GIT_SSH": "/bin/false"]
    ).answer()
    #expect(broken.status != 0)
    #expect(try bench.names(in: "new").isEmpty)
  }

  @Test(
    "Directories are 0700 and files 0600 under any umask, also after rebuild and compact",
    arguments: ["000", "022", "077"])
  func permissions(umask: String) async throws {
    let bench = try Workbench()
    let script = """
      set -e; umask \(umask); mkdir -m 755 "$CARILLON_STORE"
      "$CARILLON" init --replica a >&2; "$CARILLON" habit add Walk --at 17:00 >&2
      "$CARILLON" rebuild >&2; "$CARILLON" compact >&2; "$CARILLON" rebuild --check >&2
      "$CARILLON" log --follow > "$CARILLON_STORE.followed" &
      "$CARILLON" done Walk >&2
      "$CARILLON" clone "$CARILLON_STORE" "$CARILLON_STORE-b" --replica b >&2
      find "$CARILLON_STORE" "$CARILLON_STORE-b" -printf '%y %m %P\\n'; kill %1
      """
    let answer = try await bench.startShell(script).answer()
    let lines = answer.output.split(separator: "\n")
    #expect(lines.count > 10, "\(answer)")
    for line in lines {
      #expect(line.hasPrefix("d 700 ") || line.hasPrefix("f 600 "), "\(line)")
    }
  }
}

extension Workbench {
  /// The contents of a directory; empty if it does not exist.
  func names(in name: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path(name)) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
  }

  /// Returns the path of a directory that does not exist and has this many bytes, with links
  /// resolved.
  fileprivate func path(ofBytes count: Int) -> String {
    var path = url("").resolvingSymlinksInPath().path + "/p\(count)"
    while path.utf8.count < count {
      // The last name has at least one byte.
      let rest = count - path.utf8.count - 1
      path += "/" + String(repeating: "x", count: rest > 101 ? 100 : rest)
    }
    return path
  }
}

extension Workbench {
  /// The names in its directory, without the files of the processes that it started.
  fileprivate func directories() throws -> [String] {
    try names(in: "").filter { !["in", "out", "err"].contains(URL(filePath: $0).pathExtension) }
      .sorted()
  }
}
