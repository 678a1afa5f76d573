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
    #expect(try await bench.run("done", "water").output == "Already done: Water.\n")
    try await bench.run("done", "water", "--at", "7:30", "--note", "late")
    let list = try await entries(bench)
    #expect(list.count == 1 && list[0]["note"]?.text == "late", "\(list)")
    #expect(try await bench.run("undo", "water").output == "Undone: Water.\n")
    #expect(try await entries(bench).isEmpty)
  }
}
