import CarillonDocuments
import CarillonTestSupport
import Foundation
import Testing

/// `import` of other apps' data, run as a process.
struct ImportTests {
  @Test("A backup is imported, and the report lists what was added and what was lost")
  func report() async throws {
    let bench = try await Workbench.withStore()
    let file = try await bench.backup("loop.db")
    let json = try await bench.json("import", file, "--format", "loop")
    let counts = try Document(
      json: """
        {"format":"loop",
        "habits":8,"schedules":2,"entries":262,"skips":63,"marks":38,"notes":13,"updated":0,
        "seen":0,"repeated":0,
        "ignored":{"colors":8,"derived":37}}
        """)
    for name in [
      "format", "habits", "schedules", "entries", "skips", "marks", "notes", "updated", "seen",
      "repeated", "ignored",
    ] {
      #expect(json[name] == counts[name], "\(name): \(json)")
    }
    let warnings = json["warnings"]?.list ?? []
    #expect(!warnings.isEmpty)
    #expect(warnings.allSatisfy { $0.text?.contains("habits have the title") == true })
    let again = try await bench.run("import", file, "--format", "loop")
    #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
    #expect(
      again.output.hasPrefix("All 384 records of loop.db (loop) were already here.\n"), "\(again)")
    #expect(again.output.contains("colors") && again.output.contains("Habits row 1"))
    #expect(try await bench.run("import", file, "--format", "loop", "--quiet").output.isEmpty)
    #expect(try await bench.json("habit", "list", "--all")["habits"]?.list.count == 8)
    #expect(try await bench.run("verify").status == 0)
  }

  @Test("An import says which titles several habits have now, in the file or with those before")
  func repeatedTitles() async throws {
    let bench = try await Workbench.withStore()
    let file = try await bench.backup("loop.db")
    let first = try await bench.run("import", file)
    #expect(first.errors.contains("2 habits have the title Vegan; to rename one"), "\(first)")
    #expect(try await bench.run("import", file).errors.isEmpty)
    let title = try #require(
      try await bench.json("habit", "list")["habits"]?[0]?["title"]?.text)
    let other = try await Workbench.withStore()
    _ = try await other.addHabit(title)
    let imported = try await other.run("import", file)
    #expect(imported.errors.contains("habits have the title \(title);"), "\(imported)")
    #expect(imported.errors.contains("habit archive"), "\(imported)")
  }

  @Test("An import does not count as activity of the person")
  func activity() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("import", try await bench.backup("loop.db"), "--format", "loop")
    #expect(!(try await bench.log()).contains("app.active"))
  }

  @Test("The format of a file is recognized, and the answer names it")
  func recognized() async throws {
    let bench = try await Workbench.withStore()
    let bull = "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
    try bench.write("Name\nWalk\n", to: "Habits.csv")
    try bench.write("Date,Walk,\n2016-01-01,YES_MANUAL,\n", to: "Checkmarks.csv")
    let files = [
      (try await bench.backup("loop.db"), "loop"), (bench.path(""), "loop-csv"),
      (bench.path("Habits.csv"), "loop-csv"), (bench.path("Checkmarks.csv"), "loop-csv"),
      (try bench.write(bull + "Run,,,2016-01-01,1,\n", to: "bull.csv"), "habitbull"),
      (
        try bench.write("\u{FEFF}begin:VCALENDAR\r\nEND:VCALENDAR\r\n", to: "a.ics"), "ics"
      ),
      (try bench.write(try await bench.run("export").output, to: "events"), "events"),
      (try bench.write("", to: "empty"), "events"),
    ]
    for (file, format) in files {
      let answer = try await bench.json("import", file)
      #expect(answer["format"]?.text == format, "\(file) \(answer)")
    }
    let again = try await bench.run("import", files[4].0).output
    #expect(again.contains("of bull.csv (habitbull) "), "\(again)")
    let events = try await bench.run("export").output
    #expect(try await bench.run("import", "-", input: events).status == 0)
  }

  @Test(
    "A file of an unknown format is refused with what it looks like, and what to do with it",
    arguments: [
      ("a.zip", "PK\u{3}\u{4}", "it is a zip archive", "unpack it"),
      (
        "a.json", "[\n{\"id\":\"1\"}]", "it is a JSON list",
        "carillon ingest --source NAME --format github FILE"
      ),
      (
        "a.txt", "Dear diary,\ntoday", "begins with \"Dear diary,\"",
        "events, loop, loop-csv, habitbull, or ics"
      ),
      ("Checkmarks.csv", "Walk,Run\n", "begins with \"Walk,Run\"", "--format"),
      ("a.bin", "\u{7F}ELF\u{0}", "it is a binary file", "give --format"),
    ])
  func unknown(name: String, text: String, looks: String, hint: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.run("import", bench.write(text, to: name))
    #expect(answer.status == 65 && answer.errors.contains(hint), "\(answer)")
    #expect(answer.errors.contains(looks), "\(answer)")
  }

  @Test("A folder without Loop's files is refused, and a part of its export names the folder")
  func folders() async throws {
    let bench = try await Workbench.withStore()
    let folder = try await bench.run("import", bench.path(""))
    #expect(folder.status == 65 && folder.errors.contains("folder without Habits.csv"))
    let part = try await bench.run("import", bench.write("Position,Name,Type\n", to: "part.csv"))
    #expect(part.status == 65 && part.errors.contains("use the folder with"), "\(part)")
  }

  @Test("Both CSV formats are imported")
  func tables() async throws {
    let bench = try await Workbench.withStore()
    try bench.write("Name\nWalk\n", to: "Habits.csv")
    try bench.write("Date,Walk,\n2016-01-01,YES_MANUAL,\n", to: "Checkmarks.csv")
    let folder = try await bench.json("import", bench.path(""), "--format", "loop-csv")
    #expect(folder["entries"]?.number == 1)
    let bull = try bench.write(
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
        + "Run,,,2016-01-01,1,\n", to: "bull.csv")
    #expect(try await bench.json("import", bull, "--format", "habitbull")["habits"]?.number == 1)
  }

  @Test("A calendar is imported with its alarms, and a changed event changes the habit")
  func calendar() async throws {
    let bench = try await Workbench.withStore()
    func calendar(_ title: String, _ minutes: Int) throws -> String {
      try bench.write(
        [
          "BEGIN:VCALENDAR", "PRODID:-//Google Inc//Google Calendar 70.9054//EN", "VERSION:2.0",
          "BEGIN:VEVENT", "DTSTART;TZID=Europe/Berlin:20260706T180000", "RRULE:FREQ=WEEKLY",
          "UID:abc@google.com", "SUMMARY:\(title)", "BEGIN:VALARM", "ACTION:DISPLAY",
          "TRIGGER:-P0DT0H\(minutes)M0S", "END:VALARM", "BEGIN:VALARM", "ACTION:EMAIL",
          "TRIGGER:-P1D", "END:VALARM", "END:VEVENT", "END:VCALENDAR", "",
        ].joined(separator: "\r\n"), to: "home.ics")
    }
    let first = try await bench.json("import", try calendar("Yoga", 30), "--format", "ics")
    #expect(
      first
        == (try Document(
          json: """
            {"format":"ics",
            "habits":1,"schedules":1,"entries":0,"skips":0,"marks":0,"notes":0,"updated":0,
            "seen":0,"repeated":0,"ignored":{"alarms":1}}
            """)))
    let file = try calendar("Yoga outside", 45)
    let changed = try await bench.run("import", file, "--format", "ics").output
    #expect(changed.contains("Updated from the calendar: 1.\n"), "\(changed)")
    #expect(changed.contains("line 13: an alarm with ACTION EMAIL"), "\(changed)")
    let again = try await bench.run("import", file, "--format", "ics").output
    #expect(again.hasPrefix("The record of "), "\(again)")
    #expect(again.contains(" (ics) was already here.\n"), "\(again)")
    let habits = try await bench.json("habit", "list")["habits"]
    #expect(habits?.list.map { $0["title"]?.text } == ["Yoga outside"])
  }

  @Test("An import says that a new event of a deleted habit stays out, and how to have it")
  func deletedSibling() async throws {
    let bench = try await Workbench.withStore()
    func calendar(_ hours: [String]) throws -> String {
      let events = hours.flatMap { hour in
        [
          "BEGIN:VEVENT", "UID:\(hour)", "SUMMARY:Pill", "RELATED-TO;RELTYPE=SIBLING:a",
          "DTSTART:20260706T\(hour)0000", "END:VEVENT",
        ]
      }
      let lines = ["BEGIN:VCALENDAR", "VERSION:2.0"] + events + ["END:VCALENDAR", ""]
      return try bench.write(lines.joined(separator: "\r\n"), to: "home.ics")
    }
    try await bench.run("import", calendar(["08"]))
    try await bench.run("habit", "delete", "Pill")
    let answer = try await bench.run("import", calendar(["08", "23"]))
    #expect(
      answer.errors.contains("Pill was deleted, so 1 new event of it stays out; to have"),
      "\(answer)")
    #expect(answer.errors.contains("habit restore"), "\(answer)")
  }

  @Test("Duplicate rows in a file are counted apart from rows of an earlier import")
  func repeated() async throws {
    let bench = try await Workbench.withStore()
    let file = try bench.write(
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
        + "Run,,,2016-01-01,1,\nRun,,,2016-01-02,1,\nRun,,,2016-01-01,1,\n", to: "bull.csv")
    let first = try await bench.run("import", file, "--format", "habitbull").output
    #expect(first.contains("Duplicate rows in the file, left out: 1.\n"), "\(first)")
    #expect(!first.contains("Already imported"), "\(first)")
    let again = try await bench.json("import", file, "--format", "habitbull")
    #expect(again["seen"]?.number == 3 && again["repeated"]?.number == 1)
  }

  @Test("An import says how much of the file was already here")
  func alreadyHere() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let part = try bench.write(try await bench.run("export").output, to: "part.ndjson")
    _ = try await bench.addHabit("Read")
    let all = try bench.write(try await bench.run("export").output, to: "all.ndjson")
    let count = try #require(try await bench.json("import", all)["seen"]?.number)
    #expect(
      try await bench.run("import", all).output == "All \(count) events were already here.\n")
    let store = try #require(try await bench.json("status")["store"]?.text)
    _ = try await bench.start(["init", "--replica", "b", "--store-id", store], store: "b").answer()
    let old = try #require(try await bench.json("import", part, store: "b")["imported"]?.number)
    #expect(
      try await bench.run("import", all, store: "b").output
        == "Imported \(count - old) of \(count) events; \(old) were already here.\n")
    let none = try await bench.run("import", "-", input: "")
    #expect(none.output == "There are no events to import.\n", "\(none)")
    let bull = try bench.write(
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
        + "Run,,,2016-01-01,1,\n", to: "bull.csv")
    try await bench.run("import", bull)
    let again = try await bench.run("import", bull)
    #expect(
      again.output == "All 2 records of bull.csv (habitbull) were already here.\n", "\(again)")
  }

  @Test("Imported entries have a date and no time of day, and the answer says so")
  func withoutTime() async throws {
    let bench = try await Workbench.withStore()
    let file = try bench.write(
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
        + "Run,,,2026-11-22,1,\n", to: "bull.csv")
    let answer = try await bench.run("import", file)
    #expect(answer.output.contains("dates without times of day"), "\(answer)")
    // One minute that is midnight UTC, but was recorded here.
    try await bench.run("done", "Run", "--at", "01:00")
    let entries = try await bench.json("entry", "list", "Run")["entries"]?.list ?? []
    #expect(entries.map { $0["at"]?.text } == ["2026-11-23T01:00:00+01:00", nil], "\(entries)")
    let shown = try await bench.run("habit", "show", "Run")
    #expect(shown.output.components(separatedBy: "01:00").count == 2, "\(shown)")
    let table = try await bench.run("export", "--format", "csv")
    #expect(table.output.contains("2026-11-22,Run,done,1,,,,"), "\(table)")
  }

  @Test("An export of another store is refused with the command that creates a replica of it")
  func otherStore() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    let store = try #require(try await bench.json("status")["store"]?.text)
    let file = try bench.write(try await bench.run("export").output, to: "events.ndjson")
    try await bench.make("other")
    let refused = try await bench.run("import", file, store: "other")
    #expect(refused.status == 65, "\(refused)")
    let flags = ["--replica", "watch", "--store-id", store]
    #expect(
      refused.errors.contains(
        "hint: make a replica of that store: "
          + "carillon init --store DIR --replica NAME --store-id \(store)\n"), "\(refused)")
    _ = try await bench.start(["init"] + flags, store: "replica").answer()
    #expect(try await bench.run("import", file, store: "replica").status == 0)
    let listed = try await bench.json("habit", "list", store: "replica")["habits"]
    #expect(listed?.list.count == 1)
  }

  @Test("A file that cannot be imported is refused with its exit code, and nothing is written")
  func refusals() async throws {
    let bench = try await Workbench.withStore()
    let before = try await bench.log()
    let text = try bench.write("no database at all, only some text\n", to: "text.db")
    let base = try bench.write("SQLite format 3\0\n\n", to: "base.db")
    let ragged = try bench.write(
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\nRun,1\n",
      to: "ragged.csv")
    let cut = try bench.write("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\n", to: "cut.ics")
    let cases: [(arguments: [String], status: Int32, says: String)] = [
      (["import", text, "--format", "loop"], 65, "text.db"),
      (["import", base], 65, "base.db"),
      (["import", bench.path(""), "--format", "loop"], 65, "is a directory"),
      (["import", ragged, "--format", "habitbull"], 65, "ragged.csv line 2"),
      (["import", text, "--format", "ics"], 65, "text.db line 1"),
      (["import", cut, "--format", "ics"], 65, "cut.ics line 2 starts a VEVENT"),
      (["import", "-", "--format", "ics"], 64, "standard input"),
      (["import", bench.path("none.db"), "--format", "loop"], 66, "none.db"),
      (["import", bench.path("none"), "--format", "loop-csv"], 66, "Habits.csv"),
      (["import", "-", "--format", "loop"], 64, "standard input"),
      (["import", text, "--format", "diary"], 64, "diary"),
    ]
    for item in cases {
      let answer = try await bench.start(item.arguments).answer()
      #expect(answer.status == item.status, "\(item.arguments) \(answer)")
      #expect(answer.output.isEmpty && answer.errors.contains(item.says), "\(answer)")
      #expect(answer.errors.contains("\nhint: "), "\(answer)")
      let json = try await bench.start(item.arguments + ["--json"]).answer()
      #expect(json.errors.hasPrefix(#"{"error":{"#), "\(json)")
    }
    #expect(try await bench.log() == before)
  }

  /// An import into a new store is killed at random moments and repeated until one run completes;
  /// then further stores follow, until there were 50 kills.
  ///
  /// Each store then has the same rows and number of events as after an undisturbed import.
  @Test(
    "An import that is killed at any moment and repeated equals an undisturbed one",
    .timeLimit(.minutes(30)))
  func kills() async throws {
    let seed = TestSeed.value
    var random = SeededGenerator(seed: seed)
    let bench = try await Workbench.withStore("whole")
    let file = try await bench.backup("loop.db", "--repetitions", "30000", "--habits", "20")
    try await bench.run("import", file, "--format", "loop", store: "whole")
    let whole = try await said(bench, "whole")
    var kills = 0
    var round = 0
    while kills < 50 {
      round += 1
      let store = "store\(round)"
      try await bench.make(store)
      var isKilled = true
      var attempts: UInt32 = 0
      while isKilled {
        let child = try await bench.start(["import", file, "--format", "loop"], store: store)
        // On a busy machine a run takes longer, so each gets more time than the one before it.
        try await Task.sleep(
          for: .microseconds(UInt32.random(in: 0..<300_000 + attempts * 30_000, using: &random)))
        attempts += 1
        child.killGroup()
        isKilled = try await child.answer().wasSignalled
        kills += isKilled ? 1 : 0
      }
      #expect(try await said(bench, store) == whole, "seed \(seed): \(kills) kills")
      #expect(try await bench.run("verify", store: store).status == 0, "seed \(seed)")
      #expect(try await bench.rebuiltDigest(store) == (try await bench.digest(store)))
    }
  }

  /// The tables of a store, and the number of its events.
  private func said(_ bench: Workbench, _ store: String) async throws -> [String] {
    var texts = ["\(String(describing: try await bench.json("status", store: store)["events"]))"]
    for table in ["habits", "entries"] {
      texts.append(
        try await bench.run("export", "--format", "csv", "--table", table, store: store).output)
    }
    return texts
  }

  @Test("An import that is interrupted keeps complete batches, and the next one finishes it")
  func interrupted() async throws {
    let bench = try await Workbench.withStore()
    let file = try await bench.backup("loop.db", "--repetitions", "40000", "--habits", "20")
    let whole = try await bench.json("status")["events"]?.number ?? 0
    let child = try await bench.start(["import", file, "--format", "loop"])
    while child.isRunning, try await bench.json("status")["events"]?.number == whole {}
    child.signal(SIGINT)
    let answer = try await child.answer()
    #expect(answer.status == SIGINT || answer.status == 0, "\(answer)")
    #expect(answer.status == 0 || answer.output.isEmpty, "\(answer)")
    let part = try await bench.run("export", "--format", "csv").output.split(separator: "\r\n")
      .count
    let rest = try await bench.json("import", file, "--format", "loop")
    #expect(try await bench.run("verify").status == 0)
    let added = ["entries", "skips", "marks", "notes"].compactMap { rest[$0]?.number }.reduce(0, +)
    let all = try await bench.run("export", "--format", "csv").output.split(separator: "\r\n").count
    #expect(part + added == all)
  }
}
