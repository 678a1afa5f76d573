import Testing

/// What is due today, and the current week, over all habits.
struct TodayCommandTests {
  @Test("today tells each habit's state and next reminder, and why there is none")
  func today() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    _ = try await bench.addHabit("Gym", "--at", "18:00", "--quota", "1/week")
    _ = try await bench.addHabit("Gym bag", "--place", "52.52,13.405,200m")
    _ = try await bench.addHabit("Water", "--target", "4", "--unit", "glasses")
    try await bench.run("done", "Water")
    try await bench.run("done", "Gym")
    let today = try await bench.run("today", "--json")
    #expect(today.status == 0, "\(today)")
    let json = try await bench.json("today")
    #expect(json["date"]?.text == "2026-11-23" && json["habits"]?.list.count == 4)
    let habits = Dictionary(
      uniqueKeysWithValues: (json["habits"]?.list ?? []).map { ($0["title"]?.text ?? "", $0) })
    #expect(habits["Walk"]?["today"]?.text == "open")
    #expect(habits["Walk"]?["next"]?["fireAt"]?.text == "2026-11-23T17:00:00+01:00")
    #expect(habits["Gym"]?["today"]?.text == "done")
    #expect(habits["Gym"]?["next"]?["fireAt"]?.text == "2026-11-30T18:00:00+01:00")
    #expect(habits["Gym bag"]?["next"]?["place"] != nil)
    #expect(habits["Water"]?["today"]?.text == "open")
    #expect(habits["Water"]?["amount"]?.number == 1_000)
    #expect(habits["Water"]?["target"]?.number == 4_000)
    #expect(habits["Water"]?["unit"]?.text == "glasses" && habits["Walk"]?["amount"] == nil)
    let text = try await bench.run("today").output
    #expect(text.hasPrefix("Mon 23 Nov\n"), "\(text)")
    #expect(text.contains("today 17:00, in 5 h") && text.contains("1/4 glasses"), "\(text)")
    #expect(text.contains("at a place"), "\(text)")

    try await bench.run("habit", "pause", "Walk")
    let paused = try await bench.json("today")["habits"]?.list.first {
      $0["title"]?.text == "Walk"
    }
    #expect(paused?["today"]?.text == "paused" && paused?["next"]?["reason"]?.text == "paused")
  }

  @Test("A habit whose only time is past says when it was, in today and habit show")
  func once() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit("Call", "--once", "2026-11-23T11:00")
    _ = try await bench.addHabit("Dentist", "--once", "2026-11-23", "--at", "10:00,14:00")
    for (now, title, says) in [
      (Workbench.now, "Call", "it was once, Mon 23 Nov 11:00"),
      (Workbench.now, "Dentist", "today 14:00, in 2 h"),
      ("2026-11-24T12:00:00+01:00", "Dentist", "the last one was Mon 23 Nov 14:00"),
    ] {
      let today = try await bench.run("today", now: now).output
      #expect(today.contains(says), "\(today)")
      let shown = try await bench.run("habit", "show", title, now: now).output
      #expect(shown.contains(says), "\(shown)")
    }
  }

  @Test("week --on shows another week: what was done in a past one, and what fires in a coming one")
  func otherWeeks() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--start", "2026-11-01")
    try await bench.run("done", "Walk", "--on", "2026-11-18")
    let past = try await bench.json("week", "--on", "2026-11-19")
    #expect(past["from"]?.text == "2026-11-16" && past["to"]?.text == "2026-11-22")
    #expect(past["habits"]?[0]?["done"]?.number == 1)
    #expect(past["habits"]?[0]?["days"]?[2]?["state"]?.text == "done")
    #expect(past["habits"]?[0]?["days"]?[2]?["fireAt"]?.text == nil)
    #expect(try await bench.run("week", "--on", "7 days ago").output.contains("Mo 16"))
    let next = try await bench.json("week", "--on", "2026-11-30")
    #expect(next["habits"]?[0]?["done"] == Document.null)
    #expect(
      next["habits"]?[0]?["days"]?[0]?["fireAt"]?.text == "2026-11-30T17:00:00+01:00", "\(next)")
  }

  @Test("week shows a time that is not planned yet, and says so")
  func notPlannedYet() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit("Vitamin", "--at", "7:30", "--unless", "done")
    let days = try await bench.json("week", "--on", "2026-12-07")["habits"]?[0]?["days"]
    #expect(days?[6]?["fireAt"]?.text == nil)
    #expect(days?[6]?["notPlannedAt"]?.text == "2026-12-13T07:30:00+01:00", "\(days as Any)")
    let text = try await bench.run("week", "--on", "2026-12-07").output
    #expect(text.contains("~07:30") && text.contains("~ not planned yet"), "\(text)")
    #expect(try await !bench.run("week").output.contains("~"))
  }

  @Test("done says which reminder of the date still comes, unless its schedule asks for done")
  func stillComes() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    _ = try await bench.addHabit("Run", "--at", "17:00", "--unless", "done")
    let walk = try await bench.run("done", "Walk").output
    let words = "Its reminder at 17:00 comes nevertheless; to change that: carillon"
    #expect(walk.hasPrefix("Done: Walk. \(words)"), "\(walk)")
    #expect(walk.contains("schedule edit Walk --unless done"), "\(walk)")
    #expect(try await bench.run("done", "Run").output.hasPrefix("Done: Run.\n"))
    try await bench.run("schedule", "edit", "Walk", "--unless", "done")
    let again = try await bench.run("done", "Walk").output
    #expect(!again.contains("nevertheless"), "\(again)")
  }

  @Test("A maximum of 0 is kept until there is an amount, and a target of 0 is refused")
  func none() async throws {
    let bench = try await Workbench.withStore()
    let refused = try await bench.run("habit", "add", "Smoke", "--target", "0")
    #expect(refused.status == 64 && refused.errors.contains("--at-most 0"), "\(refused)")
    _ = try await bench.addHabit("Smoke", "--at-most", "0", "--start", "2026-11-20")
    #expect(try await bench.run("today").output.contains("0 of at most 0"))
    let kept = try await bench.json("habit", "show", "Smoke")["adherence"]
    #expect(kept?["strength"] == .number(1))
    let smoked = try await bench.run("done", "Smoke").output
    #expect(smoked.contains("1 of at most 0, over"), "\(smoked)")
    let failed = try await bench.json("habit", "show", "Smoke")["adherence"]
    #expect(failed?["strength"]?.number == 0, "below 1")
    let days = try await bench.json("week")["habits"]?[0]?["days"]
    #expect(days?[0]?["state"]?.text == "missed")
    #expect(try await bench.run("verify").status == 0)
  }

  @Test("today and explain say what a reminder waits for that is not planned yet")
  func waiting() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit("Pill", "--after-done", "4h")
    _ = try await bench.addHabit("Party", "--once", "2027-03-03T18:00")
    let words = [
      ("Pill", "waits until it is done, and counts from then"),
      ("Party", "on Wed 3 Mar 2027 18:00, planned once it is within 8 days"),
    ]
    let today = try await bench.run("today").output
    for (title, text) in words {
      #expect(today.contains(text), "\(today)")
      let explained = try await bench.run("explain", title).output
      #expect(
        explained == "\(title) has no reminder on Mon 23 Nov. The next one: \(text)\n",
        "\(explained)")
      let shown = try await bench.run("habit", "show", title).output
      #expect(shown.contains("next      \(text)\n"), "\(shown)")
    }
    try await bench.run("done", "Pill")
    for verb in [["today"], ["habit", "show", "Pill"]] {
      let answer = try await bench.start(verb).answer()
      #expect(answer.output.contains("today 16:00, in 4 h"), "\(answer)")
    }
    let next = try await bench.json("habit", "show", "Pill")["next"]
    #expect(next?["fireAt"]?.text == "2026-11-23T16:00:00+01:00")
  }

  @Test("pending explains five habits if nothing is pending, and counts the others")
  func idle() async throws {
    let bench = try await Workbench.withStore()
    for number in 1...7 { _ = try await bench.addHabit("Walk \(number)", "--at", "17:00") }
    try await bench.run("habit", "pause", "--all")
    let text = try await bench.run("pending").output
    #expect(text.split(separator: "\n").count { $0.contains("Walk") } == 5, "\(text)")
    #expect(text.contains("\nand 2 more habits. To see all: carillon today\n"), "\(text)")
  }

  @Test("Without a command, carillon shows today where there is a store, and else its help")
  func plain() async throws {
    let bench = try await Workbench.withStore()
    let empty = try await bench.run()
    #expect(empty.output.hasPrefix("No habits yet."), "\(empty)")
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let answers = (try await bench.run(), try await bench.run("today"))
    #expect(answers.0.output == answers.1.output && answers.0.output.contains("Walk"))
    let none = try await bench.run(store: "none")
    #expect(none.status == 66 && none.errors.contains("none"), "\(none)")
  }

  @Test("Where reminders are off, today and week give no time and say why")
  func blocked() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    _ = try await bench.addHabit("Bag", "--place", "52.52,13.405,200m")
    _ = try await bench.addHabit("Read")
    try await bench.allowReminders()
    #expect(try await bench.run("today").output.contains("today 17:00"))
    try await bench.run("alerts", "off")
    let text = try await bench.run("today").output
    #expect(!text.contains("17:00") && !text.contains("at a place"), "\(text)")
    #expect(
      text.split(separator: "\n").count { $0.hasSuffix(" off") } == 2, "\(text)")
    #expect(text.hasSuffix("Next: carillon alerts on\n"), "\(text)")
    let walk = try await bench.json("today")["habits"]?.list.first { $0["title"]?.text == "Walk" }
    #expect(walk?["next"]?["reason"]?.text == "alertsOff" && walk?["next"]?["fireAt"] == nil)
    #expect(walk?["next"]?["scheduledAt"]?.text?.contains("T17:00:00") == true)
    let week = try await bench.run("week").output
    #expect(!week.contains("17:00") && week.hasSuffix("Next: carillon alerts on\n"), "\(week)")
    #expect(try await bench.json("week")["blocked"]?.text == "alertsOff")
  }

  @Test("Views of habits that are all archived say so, and how to list them")
  func archived() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    _ = try await bench.addHabit("Read")
    try await bench.run("habit", "archive", "Read")
    try await bench.run("habit", "delete", "Walk")
    for verb in [["today"], ["week"], ["habit", "list"], []] {
      let answer = try await bench.start(verb).answer()
      #expect(
        answer.output
          == "No habits in use; 1 habit is archived. To list it: carillon habit list --all\n",
        "\(verb): \(answer)")
    }
  }

  @Test("week shows the dates ahead that are skipped, paused or already done")
  func ahead() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.run("skip", "Walk", "--on", "2026-11-25")
    try await bench.run("done", "Walk", "--on", "2026-11-26")
    try await bench.run("habit", "pause", "Walk", "--from", "2026-11-28")
    let text = try await bench.run("week").output
    let walk = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      .first { $0.first == "Walk" }
    #expect(
      walk == ["Walk", "17:00", "17:00", "–", "●", "17:00", "=", "=", "—"], "\(text)")
    for word in ["– skipped", "= paused", "● done"] { #expect(text.contains(word), "\(text)") }
    let days = try await bench.json("week")["habits"]?[0]?["days"]?.list ?? []
    #expect(
      days.map { $0["state"]?.text }
        == ["open", nil, "skipped", "done", nil, "paused", "paused"], "\(days)")
  }

  @Test("week shows a reminder on the date on which it fires, not on its due date")
  func weekOfMoved() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    try await bench.run("settings", "set", "quietHours", "22-7")
    _ = try await bench.addHabit("Pills", "--at", "23:30")
    _ = try await bench.addHabit(
      "Trash", "--on", "wed", "--at", "05:00", "--before", "12h", "--quiet-hours", "fire")
    let habits = try await bench.json("week")["habits"]?.list ?? []
    func firings(_ title: String) -> [String?] {
      let days = habits.first { $0["title"]?.text == title }?["days"]?.list ?? []
      return days.prefix(3).map { $0["fireAt"]?.text }
    }
    #expect(
      firings("Pills") == [nil, "2026-11-24T07:00:00+01:00", "2026-11-25T07:00:00+01:00"])
    #expect(firings("Trash") == [nil, "2026-11-24T17:00:00+01:00", nil])
  }

  @Test("week shows what was done, and the time of the first reminder of the days ahead")
  func week() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    _ = try await bench.addHabit(
      "Walk", "--on", "mon,fri", "--at", "07:00,17:00", "--start", "2026-11-02")
    _ = try await bench.addHabit("Read", "--start", "2026-11-02")
    try await bench.run("done", "Read", "--on", "2026-11-25", now: "2026-11-25T12:00:00+01:00")
    let text = try await bench.run("week", now: "2026-11-25T12:00:00+01:00").output
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(
      lines.first == [
        "habit", "Mo", "23", "Tu", "24", "We", "25*", "Th", "26", "Fr", "27", "Sa", "28", "Su",
        "29", "done",
      ], "\(text)")
    #expect(lines.contains(["Read", "✗", "✗", "●", "1", "of", "3"]), "\(text)")
    #expect(lines.contains(["Walk", "○", "·", "·", "07:00", "—"]), "\(text)")
    let walk = try await bench.json("week", now: "2026-11-25T12:00:00+01:00")["habits"]?.list
      .first { $0["title"]?.text == "Walk" }
    #expect(walk?["days"]?[4]?["fireAt"]?.text == "2026-11-27T07:00:00+01:00")
    #expect(walk?["days"]?[0]?["state"]?.text == "open")
  }
}
