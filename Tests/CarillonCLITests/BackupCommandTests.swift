import CarillonTestSupport
import Foundation
import Testing

/// `backup` and `restore` on the command line.
struct BackupCommandTests {
  @Test("backup says what it did, and restore creates a store that says the same as before")
  func roundTrip() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let first = try await bench.run("backup", bench.path("b"))
    #expect(first.status == 0 && first.output.hasPrefix("Backed up "), "\(first)")
    #expect(first.output.contains("Verified: "))
    try await bench.run("done", "Walk")
    let full = try await bench.run("backup", bench.path("b"))
    #expect(full.status == 73 && full.errors.contains("make an incremental backup"), "\(full)")
    let second = try await bench.json("backup", bench.path("b"), "--incremental")
    #expect(second["added"]?.number == 1 && second["files"]?.number == 2)
    let dry = try await bench.run("restore", bench.path("b"), bench.path("r"), "--dry-run")
    #expect(dry.status == 0 && dry.output.hasPrefix("The backup is intact. Would restore "))
    #expect(!FileManager.default.fileExists(atPath: bench.path("r")))
    let restored = try await bench.run("restore", bench.path("b"), bench.path("r"))
    #expect(restored.status == 0 && restored.output.contains("as replica phone"), "\(restored)")
    let (before, after) = (
      try await bench.run("today"), try await bench.run("today", store: "r")
    )
    #expect(before.output == after.output && before.output.contains("Walk"))
    let sync = try await bench.json("sync", bench.path("r"))
    #expect(sync["eventsSent"]?.number == 0 && sync["eventsReceived"]?.number == 3, "\(sync)")
  }

  @Test("A restore until a time before the first event is refused with its time")
  func early() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("backup", bench.path("b"))
    for more in [[], ["--dry-run"]] {
      let answer = try await bench.start(
        ["restore", bench.path("b"), bench.path("r"), "--until", "2020-01-01"] + more
      ).answer()
      #expect(answer.status == 64 && answer.output.isEmpty, "\(answer)")
      #expect(answer.errors.contains("first event of the backup is of Mon 23 Nov"), "\(answer)")
    }
    #expect(!FileManager.default.fileExists(atPath: bench.path("r")))
  }

  @Test("The command in the refusal of a damaged backup restores what is before the damage")
  func damagedIncrement() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let (backup, target) = (bench.path("it's"), bench.path("new one"))
    try await bench.run("backup", backup)
    try await bench.run("habit", "add", "Later")
    try await bench.run("backup", backup, "--incremental")
    try FileManager.default.removeItem(atPath: backup + "/events-2")
    let restore = "hint: restore what those files have, up to Mon 23 Nov 12:0"
    for (arguments, hint) in [
      (["backup", "--check", backup], restore), (["restore", backup, target], restore),
      (["backup", backup, "--incremental"], "hint: back up to another directory; or restore"),
      (["restore", backup, target, "--dry-run"], " --until 2026-11-23T12:0"),
    ] {
      let answer = try await bench.start(arguments).answer()
      #expect(answer.status == 65 && answer.errors.contains("events-2 is missing"), "\(answer)")
      #expect(answer.errors.contains("files before it are intact\nhint: "), "\(answer)")
      #expect(answer.errors.contains(hint), "\(answer)")
    }
    #expect(!FileManager.default.fileExists(atPath: target))
    let answer = try await bench.startShell(
      """
      cd "$TMPDIR"
      "$CARILLON" restore "$backup" "$target" $time 2>errors
      command=$(sed -n 's/^hint: .*: carillon/"$CARILLON"/p' errors)
      eval "$command $time --dry-run --json"
      eval "$command $time"
      """,
      with: [
        "backup": backup, "target": target,
        "time": "--now \(Workbench.now) --zone \(Workbench.zone)",
      ]
    ).answer()
    #expect(answer.status == 0 && answer.output.contains("\nRestored "), "\(answer)")
    #expect(answer.output.contains(#"events-2 is missing""#), "\(answer)")
    #expect(answer.errors.contains("what the device got after 2026-11-23T11:0"), "\(answer)")
    let habits = try await bench.run("habit", "list", store: "new one")
    #expect(habits.output.contains("Walk") && !habits.output.contains("Later"), "\(habits)")
  }

  @Test("The archive can be read by tar")
  func tar() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("backup", "--to", bench.path("b.tar"))
    let list = try await bench.startShell(
      #"cd "$TMPDIR" && mkdir x && tar -xf b.tar -C x && ls x && sha256sum x/events-1"#
    ).answer()
    #expect(list.status == 0 && list.output.hasPrefix("events-1\nmanifest.json\n"), "\(list)")
    let manifest = try String(contentsOf: bench.url("x/manifest.json"), encoding: .utf8)
    let digest = try #require(list.output.split(separator: "\n").last?.prefix(64))
    #expect(manifest.contains(#""sha256":"\#(digest)""#))
    let check = try await bench.run("backup", "--check", bench.path("x"))
    #expect(check.status == 0 && check.output.hasPrefix("The backup is intact: "), "\(check)")
  }

  @Test("An archive is made with or without --to, and refused in the same words if it exists")
  func archives() async throws {
    let bench = try await Workbench.withStore()
    let (one, two) = (bench.path("1.tar"), bench.path("2.tar"))
    for arguments in [["backup", one], ["backup", "--to", two]] {
      #expect(try await bench.start(arguments).answer().status == 0)
      let again = try await bench.start(arguments).answer()
      #expect(again.status == 73 && again.errors.contains(".tar already exists"), "\(again)")
      #expect(again.errors.contains("hint: give the archive another name"), "\(again)")
      let added = try await bench.start(arguments + ["--incremental"]).answer()
      #expect(added.status == 65 && added.errors.contains("takes no increments"), "\(added)")
    }
    let help = try await bench.run("help", "backup")
    #expect(help.output.contains("name ends in .tar, also without --to"), "\(help)")
  }

  @Test("What cannot be backed up or restored is refused with a hint")
  func refused() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("backup", bench.path("b"))
    try Data().write(to: bench.url("file"))
    for (arguments, status, text) in [
      (["backup"], 64, "--to FILE.tar"), (["backup", bench.path("b")], 73, "already has a backup"),
      (["backup", "--to", bench.path("b.zip")], 64, "does not end in .tar"),
      (["backup", bench.path("b"), "--incremental", "--check"], 64, "cannot be used together"),
      (["backup", bench.path("file")], 73, "is a file, not a directory"),
      (["backup", bench.path("phone") + "/b"], 73, "lies in the directory of the store"),
      (["backup", "--check", bench.path("none")], 66, "none"),
      (["restore", bench.path("none"), bench.path("r")], 66, "the tar archive of a backup"),
      (["restore", bench.path("b"), bench.path("phone")], 73, "a store already exists"),
      (["restore", bench.path("phone"), bench.path("r")], 66, "is not a backup"),
    ] {
      let answer = try await bench.start(arguments).answer()
      #expect(answer.status == status && answer.errors.contains(text), "\(arguments) \(answer)")
      #expect(answer.errors.contains("hint: ") || answer.errors.contains("Try: "), "\(answer)")
    }
    #expect(!FileManager.default.fileExists(atPath: bench.path("r")))
  }

  @Test("Errors of a backup's files name the file and are not those of a store")
  func unreadable() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("backup", bench.path("b"))
    func pipe(_ name: String) { mkfifo(bench.path(name), 0o600) }
    pipe("pipe")
    for name in ["events", "manifest", "loop"] { try bench.copy("b", to: name) }
    for name in ["events/events-1", "manifest/manifest.json", "loop/events-1"] {
      try FileManager.default.removeItem(at: bench.url(name))
    }
    pipe("events/events-1")
    pipe("manifest/manifest.json")
    symlink("events-1", bench.path("loop/events-1"))
    let noBackup = "hint: give the directory or the tar archive"
    let other = "hint: use another backup"
    for (name, status, file, hint) in [
      ("pipe", 66, "pipe is not a backup", noBackup), ("none", 66, "none", noBackup),
      ("/dev/null", 66, "/dev/null is not a backup", noBackup),
      ("events", 65, "events/events-1", other), ("manifest", 65, "manifest/manifest.json", other),
      ("loop", 74, "loop/events-1", other),
    ] {
      let backup = name.hasPrefix("/") ? name : bench.path(name)
      for arguments in [["backup", "--check", backup], ["restore", backup, bench.path("r")]] {
        let answer = try await bench.start(arguments).answer()
        #expect(answer.status == status && answer.errors.contains(file), "\(answer)")
        #expect(answer.errors.contains(hint), "\(answer)")
      }
    }
    let next = try await bench.run("backup", bench.path("manifest"), "--incremental")
    #expect(next.status == 65 && next.errors.contains(other), "\(next)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("r")))
  }

  @Test(
    "A backup that may not be read is refused with its permissions",
    .enabled(if: geteuid() != 0, "root may read every file"))
  func forbidden() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("backup", bench.path("b"))
    chmod(bench.path("b/events-1"), 0)
    let backup = bench.path("b")
    for arguments in [["backup", "--check", backup], ["restore", backup, bench.path("r")]] {
      let answer = try await bench.start(arguments).answer()
      #expect(answer.status == 77 && answer.errors.contains("permissions of the backup"))
    }
  }

  @Test("A backup that is killed at any moment leaves the one before it intact")
  func killed() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("backup", bench.path("b"))
    try await bench.run("append", input: bench.entries(of: walk, count: 3_000))
    var random = SeededGenerator(seed: TestSeed.value)
    for _ in 0..<12 {
      let child = try await bench.start(["backup", bench.path("b"), "--incremental"])
      try await Task.sleep(for: .milliseconds(Int.random(in: 1...120, using: &random)))
      child.killGroup()
      _ = try await child.answer()
      let check = try await bench.run("backup", "--check", bench.path("b"))
      #expect(check.status == 0, "\(check)")
    }
    let last = try await bench.json("backup", bench.path("b"), "--incremental")
    #expect(try await last["events"]?.number == bench.json("status")["events"]?.number)
  }
}
