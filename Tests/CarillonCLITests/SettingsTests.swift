import Testing

/// The settings of a store are shared, checked, and used.
struct SettingsTests {
  @Test("A setting is shown as it was set, on every replica, and none resets it")
  func setAndShow() async throws {
    let bench = try await Workbench.withStore()
    let blank = try await bench.json("settings")["settings"]
    #expect(blank?["dayStart"]?.text == "00:00" && blank?["quietHours"] == .null)
    #expect(blank?["horizonDays"]?.number == 8 && blank?["asksToOpen"] == .bool(false))
    for (name, value) in [
      ("dayStart", "04:00"), ("quietHours", "22:00-07:00"), ("horizonDays", "14"),
      ("digest", "3/300s"), ("asksToOpen", "on"),
    ] {
      #expect(try await bench.run("settings", "set", name, value).status == 0, "\(name)")
    }
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    for store in ["phone", "watch"] {
      let now = try await bench.json("settings", "show", store: store)["settings"]
      #expect(now?["dayStart"]?.text == "04:00" && now?["horizonDays"]?.number == 14, "\(store)")
      #expect(now?["quietHours"]?.text == "22:00-07:00" && now?["digest"]?.text == "3/300s")
    }
    try await bench.run("settings", "set", "quietHours", "none")
    #expect(try await bench.json("settings")["settings"]?["quietHours"] == .null)
    let digest = try await bench.digest()
    try await bench.run("settings", "set", "quietHours", "none")
    #expect(try await bench.digest() == digest)
    let text = try await bench.run("settings").output
    #expect(text.contains("horizonDays  14") && text.contains("quietHours   none"), "\(text)")
  }

  @Test(
    "A setting that is written as an option is answered with the command that was meant",
    arguments: [
      (["--quiet-hours", "22:00-07:00"], "quietHours 22:00-07:00"),
      (["dayStart=3am"], "dayStart 3am"),
    ])
  func asOption(words: [String], meant: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.startPlain(["settings", "set"] + words).answer()
    #expect(answer.status == 64, "\(answer)")
    #expect(
      answer.errors.contains("did you mean: carillon settings set \(meant)\n"), "\(answer)")
  }

  @Test("A default that is already in effect is not written, even if it has a value")
  func defaults() async throws {
    let bench = try await Workbench.withStore()
    let digest = try await bench.digest()
    for (name, value) in [("dayStart", "00:00"), ("horizonDays", "8"), ("asksToOpen", "off")] {
      try await bench.run("settings", "set", name, value)
    }
    #expect(
      try await bench.run("log", "--json").documents().allSatisfy {
        $0["type"]?.text != "settings.set"
      })
    try await bench.run("settings", "set", "dayStart", "04:00")
    try await bench.run("settings", "set", "dayStart", "00:00")
    #expect(try await bench.json("settings")["settings"]?["dayStart"]?.text == "00:00")
    #expect(try await bench.digest() != digest)
  }

  @Test(
    "A bad setting is refused with the values that it takes",
    arguments: [
      ("dayStart", "25:00"), ("quietHours", "22:00"), ("quietHours", "07:00-07:00"),
      ("horizonDays", "0"), ("horizonDays", "401"), ("digest", "3"), ("asksToOpen", "yes"),
      ("moonPhase", "full"), ("primingDays", "0"),
    ])
  func bad(name: String, value: String) async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.run("settings", "set", name, value)
    #expect(answer.status == 64 && answer.errors.contains("hint: "), "\(answer)")
    #expect(answer.errors.contains(name == "moonPhase" ? "quietHours" : name), "\(answer)")
  }

  @Test("Before the day's start, done, undo and the app's use count to the previous day")
  func dayStart() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "02:00", "--unless", "done")
    try await bench.run("settings", "set", "dayStart", "04:00")
    let night = "2026-11-25T03:00:00+01:00"
    try await bench.run("done", "Walk", now: night)
    let events = try await bench.run("log", "--json").documents()
    #expect(events.last { $0["type"]?.text == "entry.recorded" }?["date"]?.text == "2026-11-24")
    #expect(events.last { $0["type"]?.text == "app.active" }?["date"]?.text == "2026-11-24")
    let days = try await bench.json("habit", "show", "Walk", now: night)["days"]
    #expect(days?[0]?["date"]?.text == "2026-11-24", "\(String(describing: days))")
    try await bench.run("undo", "Walk", now: night)
    #expect(try await bench.json("habit", "show", "Walk", now: night)["days"] == .list([]))
  }

  @Test("The horizon is the store's setting, unless a call gives another")
  func horizon() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done", "--stop-after", "0")
    #expect(try await bench.json("pending")["pending"]?.list.count == 8)
    try await bench.run("settings", "set", "horizonDays", "3")
    #expect(try await bench.json("pending")["pending"]?.list.count == 3)
    #expect(try await bench.json("pending", "--days", "5")["pending"]?.list.count == 5)
    #expect(try await bench.json("pending")["pending"]?.list.count == 3)
  }

  @Test("Quiet hours that drop all reminders of a habit are reported with its name")
  func silenced() async throws {
    let bench = try await Workbench.withStore()
    let night = try await bench.run(
      "habit", "add", "Pills", "--at", "23:00", "--quiet-hours", "drop")
    #expect(night.errors.isEmpty, "\(night)")
    _ = try await bench.addHabit("Walk", "--at", "17:00,23:00", "--quiet-hours", "drop")
    _ = try await bench.addHabit("Tea", "--at", "23:00")
    let set = try await bench.json("settings", "set", "quietHours", "22-7")
    let warnings = set["warnings"]?.list.compactMap(\.text) ?? []
    #expect(warnings.count == 1, "\(set)")
    #expect(
      warnings.first?.hasPrefix(
        "quiet hours 22:00-07:00 drop all reminders of Pills; to be reminded when they end: "
          + "carillon schedule edit ") == true, "\(set)")
    let added = try await bench.run(
      "habit", "add", "Read", "--at", "22:30", "--quiet-hours", "drop")
    #expect(added.errors.contains("drop all reminders of Read;"), "\(added)")
    let more = try await bench.run(
      "schedule", "add", "Tea", "--at", "22:30", "--quiet-hours", "drop")
    #expect(more.errors.contains("drop all reminders of Tea;"), "\(more)")
  }

  @Test("A new reminder within quiet hours says that it fires when they end")
  func reminderInQuietHours() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    try await bench.run("settings", "set", "quietHours", "22-7")
    for (title, time, end) in [
      ("Read", "23:00", "07:00, when quiet hours end\n"), ("Walk", "8:00", "08:00\n"),
    ] {
      let added = try await bench.run("habit", "add", title, "--at", time)
      #expect(added.output.hasSuffix("; it next fires on Tue 24 Nov \(end)"), "\(added)")
    }
  }
}
