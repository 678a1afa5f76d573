import Testing

/// The text of `log`: the words of then, and its filters.
struct LogCommandTests {
  @Test("log names habits as they were called then, and says what was changed and removed")
  func wordsOfThen() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Run", "--at", "17:00")
    try await bench.run("done", "Run")
    try await bench.run("habit", "edit", "Run", "--title", "Jog", "--group", "sport")
    let schedule = try #require(
      try await bench.json("habit", "show", "Jog")["schedules"]?[0]?["id"]?.text)
    try await bench.run("schedule", "remove", schedule)
    try await bench.run("habit", "edit", "Jog", "--title", "Morning run")
    let lines = try await bench.run("log").output.split(separator: "\n").map(String.init)
    func ends(_ type: String, _ summary: String) -> Bool {
      lines.contains { $0.contains(" \(type) ") && $0.hasSuffix("  \(summary)") }
    }
    #expect(ends("habit.created", "Run") && ends("entry.recorded", "Run 2026-11-23"), "\(lines)")
    #expect(ends("habit.edited", "Run: title Jog, group sport"), "\(lines)")
    #expect(ends("schedule.removed", "Jog: daily 17:00"), "\(lines)")
    #expect(ends("habit.edited", "Jog: title Morning run"), "\(lines)")
    let last = try await bench.run("log", "--last", "2").output.split(separator: "\n")
    #expect(last.map(String.init) == lines.suffix(2))
  }

  @Test("log tells a pause that was resumed from one that was set")
  func resumed() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("habit", "pause", "Walk", "--until", "2026-11-30")
    try await bench.run("habit", "resume", "Walk", now: "2026-11-25T12:00:00+01:00")
    let lines = try await bench.run("log", "--type", "pause.set").output.split(separator: "\n")
    #expect(lines.first?.hasSuffix("  Walk from 2026-11-23 to 2026-11-30") ?? false, "\(lines)")
    #expect(
      lines.last?.hasSuffix("  Walk resumed, paused until 2026-11-24") ?? false, "\(lines)")
  }

  @Test("log lists the events of a habit, of a type, and the last ones")
  func filters() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    _ = try await bench.addHabit("Read")
    for date in ["2026-11-20", "2026-11-21", "2026-11-22"] {
      try await bench.run("done", "Walk", "Read", "--on", date)
    }
    func types(_ flags: String...) async throws -> [String] {
      let answer = try await bench.start(["log", "--json"] + flags).answer()
      #expect(answer.status == 0, "\(answer)")
      return try answer.documents().compactMap { $0["type"]?.text }
    }
    #expect(
      try await types("--habit", "read")
        == ["habit.created"] + Array(repeating: "entry.recorded", count: 3))
    #expect(try await types("--habit", "walk", "--type", "schedule.set") == ["schedule.set"])
    let all = try await types()
    #expect(try await types("--last", "4") == all.suffix(4))
    #expect(try await types("--last", "100") == all)
    #expect(
      try await types("--type", "entry.recorded", "--last", "5")
        == Array(repeating: "entry.recorded", count: 5))
    for (flags, hint) in [
      (["--last", "0"], "1 to 100000"),
      (["--type", "entry.record"], "did you mean entry.recorded"),
      (["--habit", "nobody"], "habit list"),
    ] {
      let answer = try await bench.start(["log"] + flags).answer()
      #expect(answer.status != 0 && answer.errors.contains(hint), "\(answer)")
    }
  }

  @Test("The last lines are those of the whole list, whatever they name")
  func last() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk", "--at", "17:00")
    _ = try await bench.addHabit("Pills", "--interval", "8h", "--from", "2026-11-23T14:00")
    try await bench.allowReminders()
    try await bench.run("append", input: bench.entries(of: walk, count: 40))
    try await bench.run("plan", "--apply", bench.path("system"), now: "2026-11-23T14:01:00+01:00")
    try await bench.run("append", input: bench.entries(of: walk, count: 5))
    try await bench.run("habit", "edit", "Walk", "--title", "Hike")
    try await bench.run("append", input: bench.entries(of: walk, count: 5))
    let pills = try #require(
      try await bench.json("habit", "show", "Pills")["schedules"]?[0]?["id"]?.text)
    try await bench.run("schedule", "remove", pills)
    try await bench.run("append", input: bench.entries(of: walk, count: 30))
    for filter in [[], ["--type", "entry.recorded"], ["--habit", "Pills"], ["--after", "20"]] {
      let all = try await bench.start(["log"] + filter).answer().output.split(separator: "\n")
      #expect(all.count >= 3)
      for count in [1, 2, 7, 33, 36, 60, 1_000] {
        let answer = try await bench.start(["log", "--last", "\(count)"] + filter).answer()
        #expect(answer.output.split(separator: "\n") == all.suffix(count), "\(filter) \(count)")
      }
    }
  }

  @Test("log has the times of an interval in local time, as receipts has them")
  func intervals() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Pills", "--interval", "8h", "--from", "2026-11-23T14:00")
    try await bench.allowReminders()
    try await bench.run("plan", "--apply", bench.path("system"))
    try await bench.run("plan", "--apply", bench.path("system"), now: "2026-11-23T14:01:00+01:00")
    let log = try await bench.run("log", "--type", "receipt.advanced").output
    #expect(log.contains("Pills 2026-11-23T14:00"), "\(log)")
    #expect(!log.contains("T13:00"), "\(log)")
  }
}
