import Testing

/// Snoozed reminders.
struct SnoozeTests {
  private static let afterRinging = "2026-11-23T17:05:00+01:00"

  @Test("A snooze moves the last reminder on every replica, until it is undone")
  func snooze() async throws {
    let bench = try await Workbench.withStore()
    let walk = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    let snoozed = try await bench.json("snooze", "Walk", "--for", "15m", now: Self.afterRinging)
    #expect(snoozed["habit"]?.text == walk)
    #expect(snoozed["snoozed"]?["nominal"]?.text == "2026-11-23T17:00")
    #expect(snoozed["snoozed"]?["until"]?.text == "2026-11-23T17:20:00+01:00")
    #expect(snoozed["events"]?.list.last?["type"]?.text == "snooze.set")
    try await bench.run("clone", bench.path("phone"), bench.path("watch"), "--replica", "watch")
    for store in ["phone", "watch"] {
      let pending = try await bench.json("pending", store: store, now: Self.afterRinging)["pending"]
      #expect(pending?[0]?["fireAt"]?.text == "2026-11-23T17:20:00+01:00", "\(store)")
      #expect(pending?[0]?["nominal"]?.text == "2026-11-23T17:00", "\(store)")
    }
    try await bench.run("done", "Walk", now: Self.afterRinging)
    let done = try await bench.json("pending", now: Self.afterRinging)["pending"]
    #expect(done?[0]?["nominal"]?.text == "2026-11-24T17:00")
  }

  @Test("snooze --off ends the snoozes of a habit, and says which; without one it writes nothing")
  func off() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.run("snooze", "Walk", "--for", "2h", now: Self.afterRinging)
    let ended = try await bench.run("snooze", "Walk", "--off", now: Self.afterRinging)
    #expect(
      ended.output == "Walk is no longer snoozed until Mon 23 Nov 19:05.\n", "\(ended)")
    let pending = try await bench.json("pending", now: Self.afterRinging)["pending"]
    #expect(pending?[0]?["nominal"]?.text == "2026-11-24T17:00")
    let before = try await bench.log()
    let again = try await bench.run("snooze", "Walk", "--off", now: Self.afterRinging)
    #expect(again.status == 0 && again.output == "Walk is not snoozed.\n", "\(again)")
    let both = try await bench.run("snooze", "Walk", "--off", "--for", "1h", now: Self.afterRinging)
    #expect(both.status == 64 && both.errors.contains("--off"), "\(both)")
    #expect(try await bench.log() == before)
  }

  @Test("A snooze that waits for the end of quiet hours can be ended until it has fired")
  func endedWhileWaiting() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("settings", "set", "quietHours", "22-7")
    _ = try await bench.addHabit("Read", "--at", "21:00", "--unless", "done")
    func at(_ time: String) -> String { "2026-11-23T\(time):00+01:00" }
    func ended(_ words: String...) async throws -> String {
      try await bench.run("snooze", "Read", "--for", "2h", now: at("21:05"))
      let answer = try await bench.start(words, now: at("23:06")).answer().output
      let pending = try await bench.json("pending", now: at("23:06"))["pending"]
      #expect(pending?[0]?["nominal"]?.text == "2026-11-24T21:00", "\(words)")
      return answer
    }
    #expect(
      try await ended("snooze", "Read", "--off")
        == "Read is no longer snoozed until Mon 23 Nov 23:05.\n")
    #expect(try await ended("done", "Read").contains("Its snooze until 23:05 is ended."))
  }

  @Test(
    "A pause stops what quiet hours or a snooze move to its dates, and explain names the pause",
    arguments: [nil, "07:10"])
  func pauseEnds(_ end: String?) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Read", "--at", "22:30")
    if let end {
      try await bench.run("snooze", "Read", "--until", end, now: "2026-11-23T23:00:00+01:00")
    } else {
      try await bench.run("settings", "set", "quietHours", "22-7")
    }
    let morning = "2026-11-24T06:00:00+01:00"
    func next() async throws -> String? {
      try await bench.json("pending", now: morning)["pending"]?[0]?["fireAt"]?.text
    }
    let moved = "2026-11-24T\(end ?? "07:00"):00+01:00"
    #expect(try await next() == moved)
    try await bench.run("habit", "pause", "Read", now: morning)
    #expect(try await next() == nil)
    let why = try await bench.run("explain", "Read", "--on", "yesterday", now: morning).output
    #expect(why.contains("paused until resumed"), "\(why)")
    try await bench.run("habit", "resume", "Read", now: morning)
    #expect(try await next() == moved)
  }

  @Test("undo after done or skip says that the snooze is back, with its time")
  func back() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    try await bench.run("snooze", "Walk", now: Self.afterRinging)
    for verb in ["done", "skip"] {
      try await bench.run(verb, "Walk", now: Self.afterRinging)
      let undone = try await bench.run("undo", "Walk", now: Self.afterRinging)
      #expect(
        undone.output == "Undone: Walk. It is snoozed until Mon 23 Nov 17:20.\n", "\(undone)")
    }
  }

  @Test("undo says when a snooze that is back fires, if quiet hours defer it")
  func backInQuietHours() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("settings", "set", "quietHours", "22-7")
    _ = try await bench.addHabit("Read", "--at", "21:00,23:30", "--unless", "done")
    let now = "2026-11-23T21:05:00+01:00"
    try await bench.run("snooze", "Read", "--for", "2h", now: now)
    for verb in ["done", "skip"] {
      try await bench.run(verb, "Read", now: now)
      let undone = try await bench.run("undo", "Read", now: now)
      // The reminder of 23:30 fires for both.
      #expect(
        undone.output
          == "Undone: Read. It is snoozed until Mon 23 Nov 23:05, in quiet hours: it fires when "
          + "they end, Tue 24 Nov 07:00.\n", "\(undone)")
    }
  }

  @Test("A snooze that done or skip ended is not the next reminder of a habit with one date")
  func endedIsNotNext() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Dentist", "--once", "2026-11-23T14:00", "--unless", "done")
    let now = "2026-11-23T14:05:00+01:00"
    try await bench.run("snooze", "Dentist", "--for", "8h", now: now)
    for verb in ["done", "skip"] {
      try await bench.run(verb, "Dentist", now: now)
      let pending = try await bench.run("pending", now: now)
      #expect(pending.output.contains("No habit has a reminder in the days ahead"), "\(pending)")
      let today = try await bench.run("today", now: now)
      #expect(today.output.contains("it was once, Mon 23 Nov 14:00"), "\(today)")
      try await bench.run("undo", "Dentist", now: now)
      let fires = try await bench.json("pending", now: now)["pending"]?[0]?["fireAt"]?.text
      #expect(fires == "2026-11-23T22:05:00+01:00")
    }
  }

  @Test(
    "The end of a snooze is the next one that the clocks show, also in the hour that comes twice",
    arguments: [
      ("2:50", "00:40", "2027-10-31T02:50:00+02:00"),
      ("2:50", "01:40", "2027-10-31T02:50:00+01:00"),
      ("2:50", "01:55", "2027-11-01T02:50:00+01:00"),
      ("today 2:50", "00:40", "2027-10-31T02:50:00+02:00"),
      ("today 2:50", "01:40", "2027-10-31T02:50:00+01:00"),
      ("sun 2:50", "01:40", "2027-10-31T02:50:00+01:00"),
      ("31 Oct 2:50", "01:40", "2027-10-31T02:50:00+01:00"),
      ("2027-10-31T02:50", "01:40", "2027-10-31T02:50:00+01:00"),
      ("today 2:50", "01:55", nil), ("2027-10-31T02:50", "01:55", nil),
      ("2027-10-31T02:50+02:00", "01:40", nil),
    ])
  func nextTime(end: String, utc: String, until: String?) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Tea", "--at", "21:00", now: "2027-10-30T08:00:00+02:00")
    let answer = try await bench.start(
      ["snooze", "Tea", "--until", end, "--json"], now: "2027-10-31T\(utc):00Z"
    ).answer()
    guard let until else {
      #expect(answer.status == 64 && answer.errors.contains("is past"), "\(answer)")
      return
    }
    let document = try answer.document()
    #expect(document["snoozed"]?["until"]?.text == until, "\(answer)")
    guard until.hasPrefix("2027-10-31") else { return }
    let which = until.hasSuffix("+02:00") ? "first" : "second"
    #expect(
      document["warnings"]?[0]?.text?.hasSuffix("the \(which) of both times is used") == true)
  }

  @Test("A number without a unit is refused with the minutes that it may mean, if they are allowed")
  func numbers() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    for (number, says) in [("30", "for minutes write 30m\n"), ("0", "15m\n"), ("525601", "15m\n")] {
      let refused = try await bench.run("snooze", "Walk", "--for", number)
      #expect(refused.status == 64 && refused.errors.contains(says), "\(refused)")
      #expect(refused.errors.contains("write \(number)m") == (number == "30"), "\(refused)")
    }
  }

  @Test("Done ends a snooze, whatever the schedule's condition and whether the date was done")
  func doneEnds() async throws {
    let bench = try await Workbench.withStore()
    func snoozed(_ habit: String) async throws -> Bool {
      let pending = try await bench.json("pending", now: Self.afterRinging)["pending"]?.list ?? []
      return pending.contains {
        $0["habit"]?.text == habit && $0["nominal"]?.text == "2026-11-23T17:00"
      }
    }
    let pills = try await bench.addHabit("Pills", "--at", "08:00,17:00")
    let water = try await bench.addHabit("Water", "--target", "2", "--at", "17:00")
    try await bench.run("snooze", "Pills", now: Self.afterRinging)
    #expect(try await snoozed(pills))
    let done = try await bench.json("done", "Pills", now: Self.afterRinging)
    #expect(done["events"]?.list.compactMap { $0["type"]?.text } == ["entry.recorded"])
    #expect(try await !snoozed(pills))
    let undone = try await bench.run("undo", "Pills", now: Self.afterRinging)
    #expect(undone.output.contains("It is snoozed until Mon 23 Nov 17:20."), "\(undone)")
    #expect(try await snoozed(pills))
    try await bench.run("done", "Pills", now: Self.afterRinging)
    #expect(try await !snoozed(pills))
    // The date is done, but the person may want to be reminded of the second pill.
    try await bench.run("snooze", "Pills", now: Self.afterRinging)
    #expect(try await snoozed(pills))
    let again = try await bench.json("done", "Pills", now: Self.afterRinging)
    #expect(again["events"]?.list.compactMap { $0["type"]?.text } == ["snooze.set"])
    #expect(try await !snoozed(pills))

    // One of two glasses does not complete the date.
    try await bench.run("snooze", "Water", now: Self.afterRinging)
    try await bench.run("done", "Water", now: Self.afterRinging)
    #expect(try await snoozed(water))
    try await bench.run("done", "Water", now: Self.afterRinging)
    #expect(try await !snoozed(water))
  }

  @Test("Changing an entry ends the snooze of its date, and removing it brings the snooze back")
  func entries() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Water", "--target", "4", "--at", "17:00")
    func answer(_ arguments: String...) async throws -> String {
      try await bench.start(arguments, now: Self.afterRinging).answer().output
    }
    _ = try await answer("done", "Water", "--amount", "3")
    _ = try await answer("snooze", "Water")
    let entries = try await bench.json("entry", "list", "Water", now: Self.afterRinging)
    let entry = try #require(entries["entries"]?[0]?["entry"]?.text)
    let changed = try await answer("entry", "edit", entry, "--amount", "4")
    #expect(changed.hasSuffix(" Its snooze until 17:20 is ended.\n"), "\(changed)")
    let again = try await bench.json("entry", "list", "Water", now: Self.afterRinging)
    let removed = try await answer(
      "entry", "remove", try #require(again["entries"]?[0]?["entry"]?.text))
    #expect(removed.hasSuffix(" It is snoozed until Mon 23 Nov 17:20.\n"), "\(removed)")
    let skipped = try await answer("skip", "Water")
    #expect(skipped == "Skipped: Water. Its snooze until 17:20 is ended.\n")
  }

  @Test("An entry of the next date ends the snooze of a reminder that counts from entries")
  func afterEntry() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run(
      "habit", "add", "Eye", "--after-done", "1h", "--from", "2026-11-23T23:30",
      now: "2026-11-23T21:00:00+01:00")
    try await bench.run("snooze", "Eye", "--for", "1h", now: "2026-11-23T23:31:00+01:00")
    let now = "2026-11-24T00:05:00+01:00"
    let done = try await bench.run("done", "Eye", now: now)
    #expect(done.output == "Done: Eye. Its snooze until 00:31 is ended.\n")
    let pending = try await bench.json("pending", now: now)["pending"]?.list ?? []
    #expect(pending.first?["fireAt"]?.text == "2026-11-24T01:05:00+01:00", "\(pending)")
    let undone = try await bench.run("undo", "Eye", now: now)
    #expect(undone.output.contains("It is snoozed until Tue 24 Nov 00:31."), "\(undone)")
  }

  @Test("Each verb that ends a snooze says so, and so does one that brings it back")
  func endedByOtherVerbs() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("snooze", "Walk", now: Self.afterRinging)
    let ended = "Its snooze until 17:20 is ended."
    let back = "It is snoozed until Mon 23 Nov 17:20."
    for (verb, says) in [
      ("habit archive Walk", "Archived Walk. \(ended)"),
      ("habit unarchive Walk", "Unarchived Walk. \(back)"),
      ("habit delete Walk", "Deleted Walk. \(ended)"),
      ("habit restore Walk", "Restored Walk. \(back)"),
      ("habit pause Walk", "Paused Walk until resumed. \(ended)"),
      ("habit resume Walk", "Resumed Walk. \(back)"),
      (
        "habit pause --all",
        "Paused all habits until resumed. The snooze of Walk until 17:20 is ended."
      ),
      ("habit resume --all", "Resumed all habits. Walk is snoozed until Mon 23 Nov 17:20."),
      (
        "skip Walk --from today --to tomorrow",
        "Skipped: Walk on 2 dates, Mon 23 Nov to Tue 24 Nov. \(ended)"
      ),
      ("undo Walk --on today", "Undone: Walk on Mon 23 Nov. \(back)"),
    ] {
      let answer = try await bench.start(
        verb.split(separator: " ").map(String.init), now: Self.afterRinging
      ).answer()
      #expect(answer.output == says + "\n", "\(answer)")
    }
  }

  @Test("After snooze --off, undo does not bring back a snooze that done or skip ended")
  func offForGood() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Pill", "--at", "17:00")
    for verb in ["done", "skip"] {
      try await bench.run("snooze", "Pill", now: Self.afterRinging)
      try await bench.run(verb, "Pill", now: Self.afterRinging)
      let off = try await bench.run("snooze", "Pill", "--off", now: Self.afterRinging)
      #expect(off.output == "Pill is no longer snoozed until Mon 23 Nov 17:20.\n")
      let undone = try await bench.run("undo", "Pill", now: Self.afterRinging)
      #expect(undone.output == "Undone: Pill.\n", "\(undone)")
    }
  }

  @Test("A day of --for is a calendar day, hours are elapsed time, and --until names the end")
  func ends() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "7:30")
    // The clocks are set forward in the next night.
    let now = "2027-03-27T07:35:00+01:00"
    for (flags, until) in [
      (["--for", "1d"], "2027-03-28T07:35:00+02:00"),
      (["--for", "24h"], "2027-03-28T08:35:00+02:00"),
      (["--for", "1d2h"], "2027-03-28T09:35:00+02:00"),
      (["--until", "9pm"], "2027-03-27T21:00:00+01:00"),
      (["--until", "7am"], "2027-03-28T07:00:00+02:00"),
      (["--until", "mon 8:00"], "2027-03-29T08:00:00+02:00"),
    ] {
      let snoozed = try await bench.start(["snooze", "Walk", "--json"] + flags, now: now).answer()
      #expect(try snoozed.document()["snoozed"]?["until"]?.text == until, "\(flags) \(snoozed)")
    }
    for (end, problem) in [
      ("today 7am", "is past"), ("2029-01-01T12:00", "more than a year away"),
    ] {
      let refused = try await bench.run("snooze", "Walk", "--until", end, now: now)
      #expect(refused.status == 64 && refused.errors.contains(problem), "\(refused)")
    }
    let both = try await bench.run("snooze", "Walk", "--until", "9pm", "--for", "1h", now: now)
    #expect(both.status == 64, "\(both)")
  }

  @Test("If nothing fired recently, snooze exits with 1 and records nothing")
  func nothing() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--once", "2026-11-25T17:00")
    let tomorrow = "2026-11-24T12:00:00+01:00"
    let answer = try await bench.json("snooze", "Walk", now: tomorrow)
    #expect(answer["snoozed"] == .null)
    #expect(answer["events"] == .list([]))
    let again = try await bench.run("snooze", "Walk", now: tomorrow)
    #expect(again.status == 1 && again.output.contains("Nothing to snooze"), "\(again)")
    for duration in ["59s", "366d", "soon", "-5m"] {
      let answer = try await bench.run("snooze", "Walk", "--for", duration)
      #expect(answer.status == 64, "\(duration) \(answer)")
    }
    let short = try await bench.run("snooze", "Walk", "--for", "20s")
    #expect(short.errors.contains("--for: 20s is out of range; 1m to 365d is allowed"), "\(short)")
    #expect(try await bench.run("snooze", "Nobody").status == 66)
  }

  @Test("A snooze past the next reminder fires as well, and its answer names what it snoozed")
  func pastNext() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "07:30,17:00", "--unless", "done")
    let answer = try await bench.run("snooze", "Walk", "--for", "1d", now: Self.afterRinging)
    #expect(
      answer.output.contains(
        "Walk (Mon 23 Nov 17:00) is snoozed until Tue 24 Nov 17:05.\n"), "\(answer)")
    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer)")
    let fires = try await bench.json("pending", now: Self.afterRinging)["pending"]?.list
      .prefix(3).compactMap { $0["fireAt"]?.text }
    #expect(
      fires == [
        "2026-11-24T07:30:00+01:00", "2026-11-24T17:00:00+01:00", "2026-11-24T17:05:00+01:00",
      ])
  }

  @Test("A snooze fires although the quota is met")
  func quota() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Gym", "--at", "18:00", "--quota", "3/week")
    for date in ["2026-11-23", "2026-11-24", "2026-11-27"] {
      try await bench.run("done", "Gym", "--on", date)
    }
    let now = "2026-11-28T18:30:00+01:00"
    let explained = try await bench.json("explain", "Gym", now: now)["occurrences"]
    #expect(explained?[0]?["reason"]?.text == "quotaMet")
    let answer = try await bench.run("snooze", "Gym", now: now)
    #expect(
      answer.output.contains("Gym (Sat 28 Nov 18:00) is snoozed until Sat 28 Nov 18:45.\n"),
      "\(answer)")
    let pending = try await bench.json("pending", now: now)["pending"]
    #expect(pending?[0]?["fireAt"]?.text == "2026-11-28T18:45:00+01:00")
    let again = try await bench.json("explain", "Gym", now: now)["occurrences"]
    #expect(again?[0]?["reason"]?.text == "planned")
  }

  @Test("A snooze in the evening fires although the next time is deferred to the morning")
  func beforeDeferral() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("settings", "set", "quietHours", "23:00-07:00")
    _ = try await bench.addHabit("Journal", "--at", "21:45,23:30")
    let now = "2026-11-23T21:50:00+01:00"
    let answer = try await bench.run("snooze", "Journal", "--for", "1h", now: now)
    #expect(
      answer.output.contains("(Mon 23 Nov 21:45) is snoozed until Mon 23 Nov 22:50.\n"),
      "\(answer)")
    let pending = try await bench.json("pending", now: now)["pending"]
    #expect(pending?[0]?["fireAt"]?.text == "2026-11-23T22:50:00+01:00")
  }

  @Test("Nothing fires for a time before the reminder was added, by quiet hours or by a snooze")
  func beforeCreation() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("settings", "set", "quietHours", "22:00-14:00")
    let added = "2026-11-23T12:00:00+01:00"
    _ = try await bench.addHabit("Journal", "--at", "22:30", "--unless", "done")
    let pending = try await bench.json("pending", now: added)["pending"]
    #expect(pending?[0]?["fireAt"]?.text == "2026-11-24T14:00:00+01:00")
    _ = try await bench.addHabit("Run", "--at", "18:30")
    let snoozed = try await bench.run("snooze", "Run", now: "2026-11-23T13:05:00+01:00")
    #expect(snoozed.status == 1 && snoozed.output.contains("Nothing to snooze"), "\(snoozed)")
    let explained = try await bench.run("explain", "Journal", "--on", "2026-11-22")
    #expect(explained.output.contains("was added later, Mon 23 Nov 12:00"), "\(explained)")
    // The device travels east and back: the person's clocks decide.
    let tokyo = try await bench.json("pending", now: added, zone: "Asia/Tokyo")["pending"]
    #expect(tokyo?[0]?["fireAt"]?.text == "2026-11-24T14:00:00+09:00")
  }

  @Test("A snooze into quiet hours reports when it fires, or that it is silent")
  func quietHours() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("settings", "set", "quietHours", "17:10-21:00")
    let text = try await bench.run("snooze", "Walk", "--for", "15m", now: Self.afterRinging)
    #expect(text.output.contains("until Mon 23 Nov 17:20"), "\(text)")
    #expect(text.output.contains("Mon 23 Nov 21:00"), "\(text)")
    let json = try await bench.json("snooze", "Walk", now: Self.afterRinging)["snoozed"]
    #expect(json?["fireAt"]?.text == "2026-11-23T21:00:00+01:00" && json?["silent"] == .bool(false))
    let pending = try await bench.json("pending", now: Self.afterRinging)["pending"]
    #expect(pending?[0]?["fireAt"]?.text == json?["fireAt"]?.text)
    // The end of quiet hours is not included.
    let end = try await bench.run("snooze", "Walk", "--for", "235m", now: Self.afterRinging)
    #expect(end.output.contains("until Mon 23 Nov 21:00.\n"), "\(end)")
    try await bench.run("habit", "edit", "Walk", "--quiet-hours", "silent")
    let silent = try await bench.run("snooze", "Walk", now: Self.afterRinging)
    #expect(silent.output.contains("without sound"), "\(silent)")
  }

  @Test("A snooze from a notification moves that reminder")
  func fromNotification() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    let id = try #require(try await bench.json("pending")["pending"]?[0]?["id"]?.text)
    let acted = try await bench.json(
      "receipt", "acted", id, "--action", "snooze", "--for", "10m", now: Self.afterRinging)
    let types = acted["events"]?.list.compactMap { $0["type"]?.text }
    #expect(types?.contains("snooze.set") == true, "\(acted)")
    let pending = try await bench.json("pending", now: Self.afterRinging)["pending"]?[0]
    #expect(pending?["fireAt"]?.text == "2026-11-23T17:15:00+01:00")
    #expect(pending?["id"]?.text == id)
    let again = "2026-11-23T17:16:00+01:00"
    let delivered = try await bench.json("receipt", "delivered", id, now: again)
    #expect(delivered["events"]?.list.count ?? 0 > 0, "\(delivered)")
    let revisions = try await bench.json("receipts", now: again)["receipts"]?.list
      .compactMap { $0["revision"]?.text }
    #expect(revisions?.sorted() == ["0", "1795450500000"], "\(String(describing: revisions))")
    let refused = try await bench.run("receipt", "acted", id, "--action", "done", "--for", "10m")
    #expect(refused.status == 64, "\(refused)")
  }
}
