import Testing

/// The adherence that `habit show` reports.
struct AdherenceCommandTests {
  @Test("habit show reports the streak and the months, and draws the last weeks")
  func show() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit(
      "Walk", "--on", "mon,fri", "--at", "17:00", "--start", "2026-11-02")
    for date in ["2026-11-06", "2026-11-09", "2026-11-16"] {
      try await bench.run("done", "Walk", "--on", date)
    }
    try await bench.run("skip", "Walk", "--on", "2026-11-13")
    let adherence = try #require(try await bench.json("habit", "show", "Walk")["adherence"])
    #expect(adherence["streak"]?.number == 0)
    #expect(adherence["longestStreak"]?.number == 3)
    #expect(adherence["weeks"]?.list.count == 8)
    #expect(adherence["weeks"]?.list.compactMap { $0["done"]?.number }.suffix(4) == [1, 1, 1, 0])
    #expect(adherence["weeks"]?.list.compactMap { $0["due"]?.number }.suffix(4) == [2, 1, 2, 0])
    #expect(adherence["months"]?.list.last?["done"]?.number == 3)

    let text = try await bench.run("habit", "show", "Walk").output
    #expect(
      text.contains(
        """
        strength  20 %
        streak    none now, longest 3 days to Mon 16 Nov
        months    Nov 3 of 5

        week of     Mo  Tu  We  Th  Fr  Sa  Su  done
        Mon 2 Nov   ✗   ·   ·   ·   ●   ·   ·   1 of 2
        Mon 9 Nov   ●   ·   ·   ·   –   ·   ·   1 of 1
        Mon 16 Nov  ●   ·   ·   ·   ✗   ·   ·   1 of 2
        Mon 23 Nov  ○                           —
        ● done  ✗ missed  ○ still open  – skipped  · does not count

             Dec Jan Feb Mar  Apr May  Jun Jul Aug  Sep Oct Nov
        Mo                                                   ░██░
        Tu                                                   ···
        We                                                   ···
        Th                                                   ···
        Fr                                                   █·░
        Sa                                                   ···
        Su                                                   ···
        █ done  ▒ late or goal reached  ░ not done  · does not count

        """), "\(text)")
  }

  @Test("The strength and the streak of a habit with a maximum follow from the same dates")
  func maximum() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Coffee", "--at-most", "2")
    func facts(on day: Int) async throws -> [String] {
      let shown = try await bench.run(
        "habit", "show", "Coffee", now: "2026-11-\(day)T12:00:00+01:00")
      return shown.output.split(separator: "\n").filter {
        $0.hasPrefix("strength") || $0.hasPrefix("streak")
      }.map { $0.split(separator: " ").joined(separator: " ") }
    }
    #expect(try await facts(on: 23) == ["strength 100 % to begin with", "streak none yet"])
    #expect(
      try await facts(on: 25) == [
        "strength 100 %", "streak 2 days since Mon 23 Nov, the longest so far",
      ])
    try await bench.run(
      "done", "Coffee", "--amount", "4", now: "2026-11-25T12:00:00+01:00")
    #expect(
      try await facts(on: 26) == [
        "strength 95 %", "streak none now, longest 2 days to Tue 24 Nov",
      ])
  }

  @Test("habit show lists the last five entries with their time, amount and note")
  func lastEntries() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit(
      "Water", "--target", "4", "--unit", "glasses", "--start", "2026-11-01")
    for day in 16...22 {
      try await bench.run(
        "done", "Water", "--on", "2026-11-\(day)", "--at", "7:1\(day % 10)", "--amount", "2",
        "--note", "note \(day)")
    }
    let entries = try await bench.json("habit", "show", "Water")["entries"]?.list ?? []
    #expect(
      entries.compactMap { $0["date"]?.text }
        == (18...22).reversed().map { "2026-11-\($0)" })
    #expect(entries.compactMap { $0["amount"]?.number } == Array(repeating: 2_000, count: 5))
    let text = try await bench.run("habit", "show", "Water").output
    #expect(
      text.contains(
        "Last entries\ndate        done                 amount  note     entry\n"
          + "Sun 22 Nov  Sun 22 Nov 07:12  2 glasses  note 22  "), "\(text)")
    #expect(text.contains("Notes\nTue 17 Nov  note 17\nMon 16 Nov  note 16\n"), "\(text)")
  }

  @Test("A habit that was never done is missed since its creation, even after an undo")
  func neverDone() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--goal", "3/7d")
    let later = "2026-11-30T12:00:00+01:00"
    func weeks() async throws -> [Document] {
      try await bench.json("habit", "show", "Walk", now: later)["adherence"]?["weeks"]?.list ?? []
    }
    let before = try await weeks()
    #expect(before.compactMap { $0["due"]?.number }.suffix(3) == [0, 3, 3])
    try await bench.run("done", "Walk", "--on", "2026-11-25", now: later)
    #expect(try await weeks().compactMap { $0["done"]?.number }.suffix(3) == [0, 1, 0])
    try await bench.run("undo", "Walk", "--on", "2026-11-25", now: later)
    #expect(try await weeks() == before)
    let text = try await bench.run("habit", "show", "Walk", now: later).output
    #expect(text.contains("Mon 23 Nov  ✗   "), "\(text)")
  }

  @Test("habit show lists current and future pauses, and when reminders stop by default")
  func pauses() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.run("habit", "pause", "Walk", "--to", "2026-11-30")
    try await bench.run("habit", "pause", "--all", "--from", "2026-12-24")
    let text = try await bench.run("habit", "show", "Walk").output
    #expect(text.contains("paused    until the end of Mon 30 Nov\n"), "\(text)")
    #expect(text.contains("paused    from Thu 24 Dec until resumed\n"), "\(text)")
    #expect(text.contains("          stops after 7 days without activity\n"), "\(text)")
    try await bench.run("habit", "resume", "Walk")
    #expect(!(try await bench.run("habit", "show", "Walk").output.contains("until Mon")))
  }
}
