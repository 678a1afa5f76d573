import CarillonDocuments
import Foundation
import Testing

@testable import CarillonCLI

/// Files that the command line writes: the desktop's queue and the file of `plan --apply`.
@Suite(.timeLimit(.minutes(30)))
struct WrittenFileTests {
  private static func mode(_ url: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private static func bench() async throws -> Workbench {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.allowReminders()
    return bench
  }

  private static func run(_ bench: Workbench, _ script: String) async throws {
    let answer = try await bench.startShell(
      script + " --now \(Workbench.now) --zone \(Workbench.zone)",
      with: ["SYSTEM": bench.path("system.json"), "PATH": "/nowhere"]
    ).answer()
    #expect(answer.status == 0, "\(answer)")
  }

  @Test(
    "Every file of a store is accessible only to its owner, and so is every directory",
    arguments: ["lmdb", "sqlite"])
  func store(storage: String) async throws {
    let bench = try Workbench()
    try await Self.run(
      bench,
      """
      set -e; umask 022
      at="--now \(Workbench.now) --zone \(Workbench.zone)"
      "$CARILLON" init --replica phone --storage \(storage) $at
      "$CARILLON" habit add Walk --at 17:00 $at
      "$CARILLON" permission grant $at
      "$CARILLON" alerts on $at
      "$CARILLON" done walk $at
      "$CARILLON" watch --once $at
      "$CARILLON" rebuild $at
      "$CARILLON" compact $at
      watch="${CARILLON_STORE%phone}watch"
      "$CARILLON" clone "$CARILLON_STORE" "$watch" --replica watch --storage \(storage) $at
      "$CARILLON" sync "$watch" $at
      "$CARILLON" pending
      """)
    for store in ["phone", "watch"] {
      #expect(try Self.mode(bench.url(store)) == 0o700)
      let files = try #require(FileManager.default.enumerator(atPath: bench.path(store)))
      var count = 0
      for case let name as String in files {
        let url = bench.url(store).appending(path: name)
        var isDirectory: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory))
        #expect(try Self.mode(url) == (isDirectory.boolValue ? 0o700 : 0o600), "\(name)")
        count += 1
      }
      #expect(count >= 3, "\(store)")
    }
  }

  @Test(
    "A new file is accessible only to its owner, under any umask",
    arguments: ["000", "022", "077", "277"])
  func mode(umask: String) async throws {
    let bench = try await Self.bench()
    try await Self.run(bench, "umask \(umask); \"$CARILLON\" plan --apply \"$SYSTEM\"")
    try await Self.run(bench, "umask \(umask); \"$CARILLON\" watch --once")
    #expect(try Self.mode(bench.url("system.json")) == 0o600)
    #expect(try Self.mode(bench.url("phone/desktop.json")) == 0o600)
  }

  @Test("A replaced file keeps its mode, and a link still points to it")
  func keptMode() async throws {
    let bench = try await Self.bench()
    let file = bench.url("real.json")
    try bench.write("[]", to: "real.json")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    try FileManager.default.createSymbolicLink(
      at: bench.url("system.json"), withDestinationURL: file)
    try await Self.run(bench, "\"$CARILLON\" plan --apply \"$SYSTEM\"")
    #expect(try String(contentsOf: file, encoding: .utf8).contains("Walk"))
    #expect(try Self.mode(file) == 0o640)
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: bench.path("system.json"))
    #expect(link == file.path)
  }

  @Test("A link to a missing file leads to the new file, and a link to itself is refused")
  func danglingLink() async throws {
    let bench = try await Self.bench()
    let files = FileManager.default
    try files.createDirectory(at: bench.url("folder"), withIntermediateDirectories: false)
    for (link, target) in [
      ("system.json", "second.json"), ("second.json", "folder/real.json"), ("circle", "circle"),
    ] {
      try files.createSymbolicLink(atPath: bench.path(link), withDestinationPath: target)
    }
    try await Self.run(bench, "\"$CARILLON\" plan --apply \"$SYSTEM\"")
    let written = try String(contentsOf: bench.url("folder/real.json"), encoding: .utf8)
    #expect(written.contains("Walk"))
    #expect(try files.destinationOfSymbolicLink(atPath: bench.path("system.json")) == "second.json")
    #expect(
      try files.destinationOfSymbolicLink(atPath: bench.path("second.json")) == "folder/real.json")
    let circle = try await bench.run("plan", "--apply", bench.path("circle"))
    #expect(circle.status == 65 && circle.errors.contains("leads to no file"), "\(circle)")
    #expect(try files.destinationOfSymbolicLink(atPath: bench.path("circle")) == "circle")
  }

  @Test("A partial file of a killed run is removed by the next run, even without a change")
  func leftover() async throws {
    let bench = try await Self.bench()
    try await Self.run(bench, "\"$CARILLON\" plan --apply \"$SYSTEM\"")
    let before = try FileManager.default.contentsOfDirectory(atPath: bench.path("")).filter {
      $0.hasPrefix(".")
    }
    #expect(before == [".carillon-lock"])
    #expect(try Self.mode(bench.url(".carillon-lock")) == 0o600)
    let written = try String(contentsOf: bench.url("system.json"), encoding: .utf8)
    try bench.write("{\"pending\":[{\"title\":\"Erased\"", to: ".carillon-new")
    try await Self.run(bench, "\"$CARILLON\" plan --apply \"$SYSTEM\"")
    #expect(!FileManager.default.fileExists(atPath: bench.path(".carillon-new")))
    #expect(try String(contentsOf: bench.url("system.json"), encoding: .utf8) == written)
  }

  @Test("A file that cannot be written is left unchanged, and no other file is left behind")
  func failure() throws {
    let bench = try Workbench()
    let folder = bench.url("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try bench.write("old", to: "folder/inside")
    // A file does not replace a directory of that name.
    let replacement = FileReplacement(of: folder)
    #expect(throws: CommandFailure.self) { try replacement.write("new") }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bench.path("")).sorted() == ["folder"])
    #expect(try String(contentsOf: bench.url("folder/inside"), encoding: .utf8) == "old")
  }

  @Test(
    "An error of the system has the code of its reason",
    arguments: [
      (ENOSPC, "full", 74), (EDQUOT, "full", 74),
      (EROFS, "readOnly", 77), (EACCES, "readOnly", 77), (EIO, "io", 74),
    ])
  func reasons(reason: Int32, code: String, status: Int32) {
    let failure = CommandFailure.system("a.json cannot be written", reason, hint: "look")
    #expect(failure.code == code && failure.status.rawValue == status)
    #expect(failure.message.hasPrefix("a.json cannot be written: ") && !failure.hint.isEmpty)
  }
}
