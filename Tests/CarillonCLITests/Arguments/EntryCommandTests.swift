import Testing

/// Entries are listed, changed and removed one by one.
struct EntryCommandTests {
  private func entries(_ bench: Workbench, _ flags: String...) async throws -> [Document] {
    try await bench.start(["entry", "list", "water", "--json"] + flags).answer()
      .document()["entries"]?.list ?? []
  }

  @Test("done records an amount, a time and a note, and entry list shows them newest first")
  func record() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Water", "--target", "4", "--unit", "glasses")
    let first = try await bench.run(
      "done", "water", "--at", "7:12", "--amount", "2", "--note", "after the run")
    #expect(first.output == "Water: 2 of 4 glasses.\n", "\(first)")
    let evening = try await bench.run("done", "water", "--at", "yesterday 7pm")
    #expect(evening.output == "Water: 1 of 4 glasses on Sun 22 Nov.\n", "\(evening)")
    let dated = try await bench.run("done", "water", "--on", "fri", "--at", "noon")
    #expect(dated.output == "Water: 1 of 4 glasses on Fri 20 Nov.\n", "\(dated)")
    let list = try await entries(bench)
    #expect(list.map { $0["date"]?.text } == ["2026-11-23", "2026-11-22", "2026-11-20"])
    #expect(list[0]["at"]?.text == "2026-11-23T07:12:00+01:00" && list[0]["amount"]?.number == 2000)
    #expect(list[0]["note"]?.text == "after the run" && list[1]["note"] == .null)
    #expect(list[1]["at"]?.text == "2026-11-22T19:00:00+01:00")
    #expect(list[2]["at"]?.text == "2026-11-20T12:00:00+01:00")
    #expect(try await entries(bench, "--on", "fri").count == 1)
    #expect(try await entries(bench, "--from", "sat", "--to", "sun").count == 1)
    let shown = try await bench.run("entry", "list", "water")
    #expect(shown.output.contains("2 glasses") && shown.output.contains("after the run"))
    let future = try await bench.run("done", "water", "--at", "23:00")
    #expect(future.status == 64 && future.errors.contains("in the future"), "\(future)")
  }

  @Test(
    "An ID of an entry with fewer than 4 characters is refused with that limit",
    arguments: [["edit", "903", "--amount", "2"], ["remove", "90"]])
  func shortID(arguments: [String]) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.start(["entry"] + arguments).answer()
    #expect(answer.status == 64, "\(answer)")
    #expect(answer.errors.contains("at least 4 characters are needed"), "\(answer)")
  }

  @Test("The help of entry edit lists no default for what is left unchanged")
  func defaultsOfEdit() async throws {
    let bench = try Workbench()
    let help = try await bench.startPlain(["entry", "edit", "--help"], store: nil).answer()
    for text in ["(default: 1)", "(default: now)"] {
      #expect(help.status == 0 && !help.output.contains(text), "\(help)")
    }
  }

  @Test("entry list without an entry in its range says how many are outside, and how to list them")
  func outside() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Tea")
    #expect(try await bench.run("entry", "list", "tea").output == "No entries of Tea then.\n")
    try await bench.run("done", "tea", now: "2027-05-05T12:00:00+02:00")
    #expect(
      try await bench.run("entry", "list", "tea").output
        == "No entries of Tea then. There is 1 other on Wed 5 May 2027; to list it: "
        + "carillon entry list Tea --from 2027-05-05 --to 2027-05-05\n")
    try await bench.run("done", "tea", "--on", "2026-11-02")
    let two = try await bench.run("entry", "list", "tea").output
    #expect(two.contains("There are 2 others from Mon 2 Nov to Wed 5 May 2027;"), "\(two)")
    #expect(two.hasSuffix(" --from 2026-11-02 --to 2027-05-05\n"), "\(two)")
  }

  @Test("entry list says how many entries are older than the dates that it lists by default")
  func older() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Tea")
    for date in ["2026-10-01", "2026-10-02", "today"] {
      try await bench.run("done", "tea", "--on", date)
    }
    let list = try await bench.run("entry", "list", "tea")
    #expect(
      list.errors.hasSuffix(
        "2 older entries are not listed; to list them: "
          + "carillon entry list Tea --from 2026-10-01\n"),
      "\(list)")
    let all = try await bench.run("entry", "list", "tea", "--from", "2026-10-01")
    #expect(all.errors.isEmpty, "\(all)")
    try await bench.run("undo", "tea", "--on", "2026-10-01")
    try await bench.run("done", "tea", "--on", "2026-10-03")
    let later = try await bench.run("entry", "list", "tea")
    #expect(later.errors.contains("2 older entries are not listed; to list them:"), "\(later)")
    #expect(later.errors.hasSuffix(" --from 2026-10-02\n"), "\(later)")
  }

  @Test("undo takes back the last entry, undo --all the whole date")
  func undo() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Water", "--target", "4")
    for _ in 0..<3 { try await bench.run("done", "water") }
    #expect(try await bench.run("undo", "water").output == "Undone; Water: 2 of 4.\n")
    try await bench.run("skip", "water")
    #expect(try await bench.run("undo", "water").output == "Undone; Water: 2 of 4.\n")
    #expect(try await entries(bench).count == 2)
    #expect(try await bench.run("undo", "water", "--all").output == "Undone: Water.\n")
    #expect(try await entries(bench).isEmpty)
    #expect(try await bench.run("undo", "water").output == "Nothing to undo: Water.\n")
    try await bench.run("verify")
  }

  @Test("undo without --on takes back the last act of today, of whichever date")
  func lastAct() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "7:00")
    try await bench.run("done", "Walk", "--on", "2026-10-01")
    let next = "2026-11-24T12:00:00+01:00"
    try await bench.run("done", "Walk", "--on", "2026-10-02", now: next)
    try await bench.run("skip", "Walk", "--on", "fri", now: next)
    try await bench.run("skip", "Walk", "--from", "wed", "--to", "thu", now: next)
    for answer in [
      "Undone: Walk on Thu 26 Nov.", "Undone: Walk on Wed 25 Nov.", "Undone: Walk on Fri 27 Nov.",
      "Undone: Walk on Fri 2 Oct.", "Nothing to undo: Walk.",
    ] {
      #expect(try await bench.run("undo", "Walk", now: next).output == answer + "\n")
    }
    // The act of the day before stays.
    let kept = try await bench.json("entry", "list", "Walk", "--on", "2026-10-01")
    #expect(kept["entries"]?.list.count == 1, "\(kept)")
  }

  @Test("undo without --on leaves imported entries alone")
  func imported() async throws {
    let bench = try await Workbench.withStore()
    let backup = try await bench.backup("loop.db")
    #expect(try await bench.run("import", backup).status == 0)
    let habit = try await bench.json("habit", "list")["habits"]?[0]
    let (id, title) = (try #require(habit?["id"]?.text), try #require(habit?["title"]?.text))
    #expect(try await bench.run("undo", id).output == "Nothing to undo: \(title).\n")
  }

  @Test("An edit of an imported entry without --at leaves it without a time of day")
  func editedImport() async throws {
    let bench = try await Workbench.withStore()
    let file = try bench.write(
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
        + "Water,,,2026-11-20,1,\nWater,,,2026-11-21,1,\n", to: "bull.csv")
    try await bench.run("import", file)
    func times() async throws -> [String] {
      try await entries(bench).map { "\($0["date"]?.text ?? "") \($0["at"]?.text ?? "none")" }
    }
    func id(_ index: Int) async throws -> String {
      try #require(try await entries(bench)[index]["entry"]?.text)
    }
    let noted = try await bench.run("entry", "edit", id(1), "--note", "hot")
    #expect(noted.output == "Changed: Water 1 on Fri 20 Nov.\n", "\(noted)")
    #expect(try await times() == ["2026-11-21 none", "2026-11-20 none"])
    let both = try await bench.run("entry", "edit", id(1), "--on", "sat")
    #expect(both.status == 64 && both.errors.contains("such as --at 12:00"), "\(both)")
    let moved = try await bench.run("entry", "edit", id(1), "--on", "thu")
    #expect(moved.output.hasPrefix("Changed: Water 1 on Thu 19 Nov. Its ID is now "), "\(moved)")
    #expect(try await times() == ["2026-11-21 none", "2026-11-19 none"])
    #expect(try await entries(bench)[1]["note"]?.text == "hot")
    try await bench.run("entry", "edit", id(1), "--at", "7:12")
    #expect(try await times()[1] == "2026-11-19 2026-11-19T07:12:00+01:00")
  }

  @Test("undo --on with a weekday takes back what was recorded last for one of the two dates")
  func nextWeekday() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    try await bench.run("skip", "Walk", "--on", "fri")
    #expect(
      try await bench.run("undo", "Walk", "--on", "fri").output == "Undone: Walk on Fri 27 Nov.\n")
    try await bench.run("skip", "Walk", "--on", "fri")
    try await bench.run("done", "Walk", "--on", "fri")
    for answer in ["Undone: Walk on Fri 20 Nov.", "Undone: Walk on Fri 27 Nov."] {
      #expect(try await bench.run("undo", "Walk", "--on", "fri").output == answer + "\n")
    }
    #expect(
      try await bench.run("undo", "Walk", "--on", "fri").output
        == "Nothing to undo: Walk on Fri 20 Nov.\n")
    try await bench.run("done", "Walk", "--on", "fri")
    try await bench.run("skip", "Walk", "--on", "fri")
    for answer in ["Undone: Walk on Fri 27 Nov.", "Undone: Walk on Fri 20 Nov."] {
      #expect(try await bench.run("undo", "Walk", "--on", "fri").output == answer + "\n")
    }
  }

  @Test("--at with a date must be on the date of --on, or in its night")
  func contradiction() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Water", "--target", "4")
    let before = try await bench.log()
    let refused = try await bench.run("done", "water", "--on", "yesterday", "--at", "today 7am")
    #expect(
      refused.status == 64
        && refused.errors.contains("--at: Mon 23 Nov 07:00 is not on Sun 22 Nov, the date of --on"),
      "\(refused)")
    #expect(try await bench.log() == before)
    try await bench.run("done", "water", "--on", "yesterday", "--at", "yesterday 7am")
    #expect(try await entries(bench)[0]["at"]?.text == "2026-11-22T07:00:00+01:00")
    try await bench.run("settings", "set", "dayStart", "4am")
    let night = try await bench.run("done", "water", "--on", "yesterday", "--at", "today 1:30")
    #expect(night.output == "Water: 2 of 4 on Sun 22 Nov.\n", "\(night)")
    let id = String(try #require(try await entries(bench)[0]["entry"]?.text).prefix(8))
    let edited = try await bench.run("entry", "edit", id, "--on", "sat", "--at", "today 7am")
    #expect(edited.errors.contains("is not on Sat 21 Nov, the date of --on"), "\(edited)")
  }

  @Test("entry edit changes what is given and keeps the rest; entry remove removes one entry")
  func edit() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Water", "--unit", "glasses")
    try await bench.run("done", "water", "--at", "7:12", "--note", "cold")
    try await bench.run("done", "water", "--at", "8:00")
    func id(_ index: Int) async throws -> String {
      String(try #require(try await entries(bench)[index]["entry"]?.text).prefix(8))
    }
    let changed = try await bench.run("entry", "edit", try await id(1), "--amount", "2")
    #expect(
      changed.output == "Changed: Water 2 glasses on Mon 23 Nov, done Mon 23 Nov 07:12. "
        + "Its ID is now \(try await id(1)).\n", "\(changed)")
    let list = try await entries(bench)
    #expect(list.count == 2 && list[1]["amount"]?.number == 2000, "\(list)")
    #expect(list[1]["note"]?.text == "cold", "\(list)")
    let moved = try await bench.run(
      "entry", "edit", try await id(1), "--on", "yesterday", "--at", "9pm", "--note", "")
    #expect(moved.output.contains("on Sun 22 Nov, done Sun 22 Nov 21:00"), "\(moved)")
    #expect(try await entries(bench)[1]["note"] == .null)
    let removed = try await bench.run("entry", "remove", try await id(0))
    #expect(removed.output.hasPrefix("Removed: Water 1 glasses on Mon 23 Nov"), "\(removed)")
    #expect(try await entries(bench).map { $0["date"]?.text } == ["2026-11-22"])
    #expect(try await bench.run("entry", "remove", "ffffffff").status == 66)
    #expect(try await bench.run("entry", "edit", try await id(0)).status == 64)
  }

  @Test("A habit of yes and no keeps one mark for a date, with its latest time and note")
  func mark() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Water")
    try await bench.run("done", "water", "--at", "7:12")
    let again = try await bench.run("done", "water")
    #expect(again.output == "Already done: Water. The recorded time is 07:12.\n", "\(again)")
    _ = try await bench.addHabit("Drops", "--interval", "3h")
    try await bench.run("done", "drops", "--at", "7:12")
    let second = try await bench.run("done", "drops")
    #expect(
      second.output.hasSuffix(" 07:12. To record it once more, add --amount 1.\n"), "\(second)")
    try await bench.run("done", "water", "--at", "7:30", "--note", "late")
    let list = try await entries(bench)
    #expect(list.count == 1 && list[0]["note"]?.text == "late", "\(list)")
    #expect(try await bench.run("undo", "water").output == "Undone: Water.\n")
    #expect(try await entries(bench).isEmpty)
  }
}
