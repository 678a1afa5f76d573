import Foundation
import Testing

/// Stores that are damaged, unrelated, or not writable.
struct BadStoreTests {
  @Test("A sync refuses a replica of another store, and writes nothing")
  func otherStore() async throws {
    let bench = try await Workbench.withStore()
    try await bench.make("other")
    let logs = [try await bench.log(), try await bench.log("other")]
    let answer = try await bench.run("sync", bench.path("other"))
    #expect(answer.status == 65 && answer.errors.contains("another store"), "\(answer)")
    #expect([try await bench.log(), try await bench.log("other")] == logs)
  }

  @Test("A damaged log is reported without a crash")
  func damagedLog() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let whole = try Data(contentsOf: bench.url("phone/log/data.mdb"))
    let damages: [(name: String, damage: (inout Data) -> Void)] = [
      ("empty", { $0 = Data() }),
      ("short", { $0 = Data(repeating: 7, count: 100) }),
      ("truncated", { $0 = $0.prefix(8192) }),
      (
        "overwritten", { $0.replaceSubrange(8192..., with: Data(repeating: 0xA5, count: $0.count)) }
      ),
      ("zeroed", { $0.replaceSubrange(8192..., with: Data(count: $0.count - 8192)) }),
      ("headless", { $0.replaceSubrange(..<8192, with: Data(count: 8192)) }),
    ]
    for (name, damage) in damages {
      try bench.copy("phone", to: name)
      var data = whole
      damage(&data)
      try data.write(to: bench.url("\(name)/log/data.mdb"))
      for verb in ["status", "log", "pending", "verify"] {
        let answer = try await bench.run(verb, store: name)
        #expect(!answer.wasSignalled && answer.status == 65, "\(name) \(verb) \(answer)")
        #expect(answer.errors.contains("damaged"), "\(name) \(verb) \(answer)")
      }
    }
  }

  @Test("A store of a newer format is refused with the format's number")
  func newerFormat() async throws {
    let bench = try await Workbench.withStore()
    try bench.setFormat(4, store: "phone")
    for verb in ["status", "log", "active", "verify"] {
      let answer = try await bench.run(verb)
      #expect(answer.status == 65 && answer.errors.contains("format"), "\(verb) \(answer)")
      #expect(answer.errors.contains("4"), "\(verb) \(answer)")
    }
  }

  @Test("A dangling link next to the projections is reported, and they are rebuilt")
  func linkBesideTables() async throws {
    for suffix in ["-wal", "-shm"] {
      let bench = try await Workbench.withStore()
      try await bench.run("status")
      let names = try FileManager.default.contentsOfDirectory(atPath: bench.path("phone"))
      let link = bench.path(
        "phone/\(try #require(names.first { $0.hasSuffix(".sqlite") }))\(suffix)")
      try? FileManager.default.removeItem(atPath: link)
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: bench.path("nowhere"))
      let answer = try await bench.run("status")
      #expect(answer.status == 0, "\(answer)")
      #expect(answer.errors.contains("\(link) is a symbolic link"), "\(answer)")
      let again = try await bench.run("verify")
      #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
    }
  }

  @Test("Damaged or missing projections are rebuilt automatically")
  func damagedProjections() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let digest = try await bench.digest()
    let pending = try await bench.run("pending", "--json").output
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: bench.path("phone"))
        .first { $0.hasSuffix(".sqlite") })
    let damages: [(Data) -> Data?] = [
      { _ in nil }, { _ in Data() }, { _ in Data("garbage".utf8) },
      { $0.prefix(4096) + Data(repeating: 0xFF, count: $0.count - 4096) },
      { $0.prefix($0.count / 2) },
    ]
    for damage in damages {
      let file =
        try FileManager.default.contentsOfDirectory(atPath: bench.path("phone"))
        .first { $0.hasSuffix(".sqlite") } ?? name
      let url = bench.url("phone/" + file)
      if let data = damage(try Data(contentsOf: url)) {
        try data.write(to: url)
      } else {
        try FileManager.default.removeItem(at: url)
      }
      #expect(try await bench.run("pending", "--json").output == pending)
      #expect(try await bench.digest() == digest)
      #expect(try await bench.run("verify").status == 0)
    }
  }

  @Test("A place in which no directory can be created is refused")
  func cannotCreate() async throws {
    let bench = try await Workbench.withStore()
    let file = try bench.write("a file", to: "file")
    // A file as the parent, since a read-only directory does not stop root.
    for place in [file + "/store", file, bench.path("phone")] {
      let answer = try await bench.startPlain(["init", "--replica", "a", "--store", place]).answer()
      #expect(answer.status == 73, "\(place) \(answer)")
      #expect(answer.errors.contains(place), "\(place) \(answer)")
    }
    #expect(try String(contentsOf: bench.url("file"), encoding: .utf8) == "a file")
  }

  @Test("A read-only directory is refused", .enabled(if: getuid() != 0))
  func readOnly() async throws {
    let bench = try Workbench()
    try FileManager.default.createDirectory(
      at: bench.url("closed"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o500])
    let answer = try await bench.run("init", "--replica", "a", store: "closed/store")
    #expect(answer.status == 73, "\(answer)")
  }

  @Test("On a full disk, only the append fails")
  func fullDisk() async throws {
    let bench = try await Workbench.withStore()
    let habit = try await bench.addHabit("Walk", "--at", "17:00")
    let events = try bench.write(bench.entries(of: habit, count: 3_000), to: "events.ndjson")
    let before = try await bench.log()
    // Blocks of 512 bytes: slightly more than the files have.
    let limited = "ulimit -f 256; exec \"$CARILLON\" append \"$EVENTS\" --json"
    let answer = try await bench.startShell(limited, with: ["EVENTS": events]).answer()
    #expect(!answer.wasSignalled && answer.status == 74, "\(answer)")
    #expect(try Document(json: answer.errors)["error"]?["hint"]?.text?.isEmpty == false)
    #expect(try await bench.log() == before)
    #expect(try await bench.run("append", events).status == 0)
    #expect(try await bench.run("verify").status == 0)
  }
}

extension Workbench {
  /// Writes a format number into a closed store's log; LMDB stores a value after its key.
  ///
  /// Removes the checksum, which another format may not have.
  fileprivate func setFormat(_ number: UInt8, store: String) throws {
    let file = url(store + "/log/data.mdb")
    var data = try Data(contentsOf: file)
    for (old, new) in [
      (Data("format".utf8) + [0, 0, 0, 3], Data("format".utf8) + [0, 0, 0, number]),
      (Data("checksum".utf8), Data("checksux".utf8)),
    ] {
      try #require(data.range(of: old) != nil)
      while let range = data.range(of: old) { data.replaceSubrange(range, with: new) }
    }
    try data.write(to: file)
  }
}
