import Testing

/// What verbs say about the reminders that come, and about those that fired.
struct ReminderAnswerTests {
  /// A phone that may remind since 06:00 on Mon 23 Nov 2026, in Berlin.
  private struct Phone {
    let bench: Workbench

    init() async throws {
      bench = try Workbench()
      for command in ["init --replica phone --role phone", "permission grant", "alerts on"] {
        try await at("23T06:00", command)
      }
    }

    /// Runs a command, with its arguments separated by spaces, on a day of November; `_` stands for
    /// a space in an argument.
    @discardableResult
    func at(_ time: String, _ command: String, store: String = "phone") async throws -> Answer {
      let words = command.split(separator: " ").map { word in
        word == "SYSTEM" ? bench.path("system") : String(word).replacing("_", with: " ")
      }
      return try await bench.start(words, store: store, now: "2026-11-\(time):00+01:00").answer()
    }

    /// The lines of an answer, with the columns of a table separated by one space.
    func lines(_ time: String, _ command: String) async throws -> [String] {
      try await at(time, command).output.split(separator: "\n").map { line in
        line.split(separator: " ").joined(separator: " ")
      }
    }

    func json(_ time: String, _ command: String, store: String = "phone") async throws -> Document {
      try await at(time, command + " --json", store: store).document()
    }

    /// What `today` has for a habit.
    func today(_ time: String, _ title: String, store: String = "phone") async throws -> Document? {
      try await json(time, "today", store: store)["habits"]?.list.first {
        $0["title"]?.text == title
      }
    }
  }

  @Test("done of a habit whose purpose is to come again says when, and not how to silence it")
  func comesAgain() async throws {
    let phone = try await Phone()
    try await phone.at("23T06:00", "habit add Antibiotic --after-done 8h --from 8:00")
    try await phone.at("23T06:00", "habit add Water --interval 2h --window 8-20 --from 8:00")
    try await phone.at(
      "23T06:00", "habit add Eyes --interval 1h --window 9-17 --unless-done-within 50m")
    try await phone.at("23T06:00", "habit add Tea --at 17:00 --unless-done-within 50m")
    try await phone.at("23T06:00", "settings set quietHours 22-7")
    for (time, title, answer) in [
      ("23T08:03", "Antibiotic", "Next reminder at 16:03."),
      ("23T08:40", "Eyes", "Next reminder at 10:00."),
      ("23T09:00", "Water", "Next reminder at 10:00."),
      ("23T10:00", "Tea", "Next reminder at 17:00."),
      ("23T20:10", "Antibiotic", "Next reminder at Tue 24 Nov 07:00, when quiet hours end."),
    ] {
      let done = try await phone.at(time, "done \(title)")
      #expect(done.output == "Done: \(title). \(answer)\n", "\(done)")
    }
  }

  @Test("done says which reminders of its date no longer come, and how to do each by itself")
  func severalTimes() async throws {
    let phone = try await Phone()
    try await phone.at("23T06:00", "habit add Pill --at 6:30,22:30 --unless done")
    try await phone.at("23T06:00", "habit add Walk --at 6:30 --repeat 2x10m --unless done")
    let done = try await phone.at("23T06:35", "done Pill")
    #expect(
      done.output
        == "Done: Pill. Its reminder at 22:30 no longer comes; to do each by itself: "
        + "carillon habit edit Pill --target 2\n", "\(done)")
    let after = try await phone.today("23T06:36", "Pill")?["next"]?["fireAt"]?.text
    #expect(after == "2026-11-24T06:30:00+01:00")
    #expect(try await phone.at("23T06:37", "habit edit Pill --target 2").status == 0)
    let each = try await phone.today("23T06:38", "Pill")?["next"]?["fireAt"]?.text
    #expect(each == "2026-11-23T22:30:00+01:00")
    #expect(try await phone.at("23T06:35", "done Walk").output == "Done: Walk.\n")
    let early = try await phone.at("23T06:39", "done Pill --on tomorrow")
    #expect(!early.output.contains("no longer"), "\(early)")
    // On other dates it has another number of reminders.
    try await phone.at("23T06:00", "habit add Gym --on mon --at 9,17 --unless done")
    try await phone.at("23T06:00", "schedule add Gym --on wed --at 10 --unless done")
    let gym = try await phone.at("23T08:00", "done Gym")
    #expect(gym.output == "Done: Gym. Its reminders at 09:00, 17:00 no longer come.\n", "\(gym)")
  }

  @Test("done says that the reminder at a place stays, unless its schedule asks for done")
  func place() async throws {
    let phone = try await Phone()
    try await phone.at("23T06:00", "habit add Bag --place 52.52,13.405,200m")
    try await phone.at("23T06:00", "habit add Key --place 52.52,13.405,200m --unless done")
    #expect(
      try await phone.at("23T08:00", "done Bag").output
        == "Done: Bag. Its reminder at a place stays; to change that: "
        + "carillon schedule edit Bag --unless done\n")
    #expect(try await phone.at("23T08:00", "done Key").output == "Done: Key.\n")
  }

  @Test("snooze of a date that is done or skipped says so, and a reminder without condition fires")
  func snoozeAfterDone() async throws {
    let phone = try await Phone()
    for habit in ["Gym --unless done", "Run --unless done", "Tea"] {
      try await phone.at("23T06:00", "habit add \(habit) --at 18:00")
    }
    try await phone.at("23T17:00", "plan --apply SYSTEM")
    try await phone.at("23T18:10", "plan --apply SYSTEM")
    try await phone.at("23T18:10", "done Gym Tea")
    try await phone.at("23T18:10", "skip Run")
    let gym = try await phone.at("23T18:11", "snooze Gym")
    #expect(gym.output == "Nothing to snooze: Gym is done on Mon 23 Nov.\n" && gym.status == 1)
    let run = try await phone.json("23T18:11", "snooze Run")
    #expect(run["snoozed"] == .null && run["reason"]?.text == "skipped", "\(run)")
    #expect(run["detail"]?.text == "Run is skipped on Mon 23 Nov", "\(run)")
    let tea = try await phone.at("23T18:11", "snooze Tea")
    #expect(
      tea.output == "Tea (Mon 23 Nov 18:00) is snoozed until Mon 23 Nov 18:26. The date is done; "
        + "it fires nevertheless.\n", "\(tea)")
    #expect(
      try await phone.today("23T18:12", "Tea")?["next"]?["fireAt"]?.text
        == "2026-11-23T18:26:00+01:00")
  }

  @Test("explain of a date lists what quiet hours or a snooze move to it from another date")
  func moved() async throws {
    let phone = try await Phone()
    try await phone.at("23T06:00", "settings set quietHours 22-7")
    try await phone.at("23T06:00", "habit add Late --at 23:30")
    try await phone.at("23T06:00", "habit add Read --on mon --at 21:00")
    let late = "Mon 23 Nov 23:30 Tue 24 Nov 07:00 it will fire when quiet hours end"
    for (time, date) in [("24T06:00", "today"), ("23T12:00", "tomorrow")] {
      let lines = try await phone.lines(time, "explain Late --on \(date)")
      #expect(lines.count == 4 && lines[2] == late, "\(lines)")
      #expect(lines[3].hasPrefix("23:30 Wed 25 Nov 07:00"), "\(lines)")
    }
    #expect(try await phone.lines("24T08:00", "explain Late").count == 3, "nothing is recorded")
    try await phone.at("23T21:05", "snooze Read --until 8:00")
    let read = try await phone.lines("24T06:00", "explain Read")
    #expect(
      read.dropFirst(2)
        == ["Mon 23 Nov 21:00 Tue 24 Nov 08:00 it will fire, since it was snoozed until then"],
      "\(read)")
    try await phone.at("24T12:00", "plan --apply SYSTEM")
    try await phone.at("25T08:00", "plan --apply SYSTEM")
    let past = try await phone.lines("25T08:01", "explain Late")
    #expect(
      past.dropFirst(2).first == "Tue 24 Nov 23:30 Wed 25 Nov 07:00 delivered", "\(past)")
  }

  @Test("explain names the condition that suppresses a reminder, not another that is met too")
  func condition() async throws {
    let phone = try await Phone()
    try await phone.at(
      "23T06:00", "habit add Eyes --interval 1h --window 9-17 --unless-done-within 50m")
    try await phone.at("23T08:40", "done Eyes")
    let lines = try await phone.lines("23T08:41", "explain Eyes")
    #expect(
      lines.dropFirst(2).prefix(2) == [
        "09:00 — it was done shortly before, which counts until Mon 23 Nov 09:30",
        "10:00 Mon 23 Nov 10:00 it will fire",
      ], "\(lines)")
    let nine = try await phone.json("23T08:41", "explain Eyes")["occurrences"]?[0]
    #expect(nine?["reason"]?.text == "done", "\(String(describing: nine))")
    #expect(nine?["until"]?.text == "2026-11-23T09:30:00+01:00")
  }

  @Test("The answer to a new or changed schedule says when that one fires next, or why it does not")
  func ownNext() async throws {
    let phone = try await Phone()
    try await phone.at("23T06:00", "habit add Walk --at 8:00")
    let added = try await phone.json("23T06:00", "schedule add Walk --at 20:00")
    let evening = try #require(added["schedules"]?[0]?.text)
    let edited = try await phone.at("23T06:01", "schedule edit \(evening) --at 21:00")
    #expect(edited.output == "Walk: daily 21:00; it next fires on Mon 23 Nov 21:00\n", "\(edited)")
    try await phone.at("23T06:02", "habit pause Walk")
    let paused = try await phone.at("23T06:03", "schedule add Walk --at 12:00")
    #expect(
      paused.output
        == "Added to Walk: daily 12:00; not planned: paused until resumed; to resume: "
        + "carillon habit resume Walk\n", "\(paused)")
  }

  @Test("A first date beyond the horizon is named, whatever the rule")
  func firstDate() async throws {
    let phone = try await Phone()
    let once = "planned once it is within 8 days"
    for (flags, date) in [
      ("--every other_week --at 7", "Mon 7 Dec 07:00"), ("--every 20d --at 7", "Sun 13 Dec 07:00"),
      ("--rrule FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=20 --at 7", "Wed 20 Jan 2027 07:00"),
      ("--once 24.12. --at 18:00 --before 1h", "Thu 24 Dec 17:00"),
    ] {
      let title = flags.filter(\.isLetter)
      let added = try await phone.at("23T08:00", "habit add \(title) \(flags)")
      #expect(added.output.hasSuffix("; it next fires on \(date), \(once)\n"), "\(added)")
      #expect(
        try await phone.today("23T08:00", title)?["next"]?["detail"]?.text == "on \(date), \(once)")
    }
    try await phone.at("23T08:00", "habit add Injection --after-done 10d")
    let done = try await phone.at("23T08:00", "done Injection").output
    #expect(done == "Done: Injection. Next reminder at Thu 3 Dec 08:00.\n", "\(done)")
    #expect(
      try await phone.today("23T08:01", "Injection")?["next"]?["detail"]?.text
        == "on Thu 3 Dec 08:00, \(once)")
  }

  @Test("A habit is open on a date with a reminder after it was done, and a reached goal is named")
  func openToday() async throws {
    let phone = try await Phone()
    try await phone.at("23T06:00", "habit add Antibiotic --after-done 12h --from 8:00")
    try await phone.at("23T06:00", "habit add Gym --at 18:00 --goal 1/week")
    #expect(try await phone.today("23T06:30", "Antibiotic")?["today"]?.text == "open")
    try await phone.at("23T22:00", "done Antibiotic Gym")
    #expect(try await phone.today("23T22:01", "Antibiotic")?["today"]?.text == "done")
    #expect(try await phone.today("24T06:00", "Antibiotic")?["today"]?.text == "open")
    let lines = try await phone.lines("24T06:00", "today")
    #expect(lines.contains("Gym goal reached today 18:00, in 12 h"), "\(lines)")
  }

  @Test("The start and the end of a habit are named with their year if it is another one")
  func dates() async throws {
    let phone = try await Phone()
    let added = try await phone.at("23T08:00", "habit add X --at 7 --end 22.11.")
    #expect(
      added.output
        == "Added X: daily 07:00, to Mon 22 Nov 2027; it next fires on Tue 24 Nov 07:00\n",
      "\(added)")
    let edited = try await phone.at("23T08:00", "habit edit X --start 1.12.")
    #expect(edited.output == "Changed X, from Tue 1 Dec.\n", "\(edited)")
  }

  @Test("explain says that a snooze fired, or that no device recorded that it fired")
  func snoozed() async throws {
    for isPlanned in [true, false] {
      let phone = try await Phone()
      try await phone.at("23T06:00", "habit add Walk --at 7:30")
      try await phone.at("23T06:00", "plan --apply SYSTEM")
      try await phone.at("23T07:31", "plan --apply SYSTEM")
      try await phone.at("23T07:32", "snooze Walk --until 9")
      if isPlanned { try await phone.at("23T07:33", "plan --apply SYSTEM") }
      let lines = try await phone.lines("23T09:05", "explain Walk")
      #expect(
        lines.last
          == (isPlanned
            ? "07:30 Mon 23 Nov 09:00 delivered Mon 23 Nov 07:30; after the snooze presumed "
              + "delivered: the system had it, and no answer came back"
            : "07:30 Mon 23 Nov 07:30 delivered; snoozed until Mon 23 Nov 09:00, and no device "
              + "recorded that it fired"),
        "\(lines)")
    }
  }

  @Test("The next reminder of an interval comes before one that is snoozed past midnight")
  func intervalPastMidnight() async throws {
    let phone = try await Phone()
    try await phone.at("23T21:00", "habit add Iv --interval 1h --from 2026-11-23T21:30")
    try await phone.at("23T21:00", "plan --apply SYSTEM")
    try await phone.at("23T23:31", "plan --apply SYSTEM")
    let snoozed = try await phone.at("24T00:05", "snooze Iv --for 1h")
    #expect(
      snoozed.output == "Iv (Mon 23 Nov 23:30) is snoozed until Tue 24 Nov 01:05.\n", "\(snoozed)")
    let done = try await phone.at("24T00:05", "done Iv")
    #expect(done.output == "Done: Iv. Next reminder at 00:30.\n", "\(done)")
  }

  @Test("explain says that a pause ends a snooze, and resume that the snooze is back")
  func pausedSnooze() async throws {
    let phone = try await Phone()
    try await phone.at("23T06:00", "habit add Walk --at 7:30")
    try await phone.at("23T06:00", "plan --apply SYSTEM")
    try await phone.at("23T07:31", "plan --apply SYSTEM")
    try await phone.at("23T07:32", "snooze Walk --until 9")
    try await phone.at("23T07:33", "habit pause Walk")
    let lines = try await phone.lines("23T07:34", "explain Walk")
    #expect(
      lines.last == "07:30 Mon 23 Nov 07:30 delivered; snoozed until Mon 23 Nov 09:00, which a "
        + "pause ends", "\(lines)")
    let resumed = try await phone.at("23T07:35", "habit resume Walk")
    #expect(
      resumed.output == "Resumed Walk. It is snoozed until Mon 23 Nov 09:00.\n", "\(resumed)")
    let again = try await phone.at("23T09:35", "habit pause Walk")
    #expect(again.output == "Paused Walk until resumed.\n", "\(again)")
    let late = try await phone.at("23T09:36", "habit resume --all")
    #expect(!late.output.contains("snoozed"), "\(late)")
  }

  @Test("On a device that does not remind, a date that is done does not hide which device does")
  func elsewhere() async throws {
    let phone = try await Phone()
    try await phone.at("23T06:00", "habit add Walk --at 17:00 --unless done")
    try await phone.at("23T06:00", "plan --apply SYSTEM")
    let (from, to) = (phone.bench.path("phone"), phone.bench.path("watch"))
    let cloned = try await phone.bench.start(
      ["clone", from, to, "--replica", "watch", "--role", "watch"], now: "2026-11-23T07:00"
    ).answer()
    #expect(cloned.status == 0, "\(cloned)")
    for command in ["permission grant", "alerts on", "done Walk"] {
      try await phone.at("23T08:00", command, store: "watch")
    }
    let next = try await phone.today("23T08:01", "Walk", store: "watch")?["next"]
    #expect(next?["detail"]?.text == "on the phone", "\(String(describing: next))")
    #expect(next?["scheduledAt"]?.text != nil, "\(String(describing: next))")
  }

  @Test("Before the system was asked for permission, reminders are off")
  func beforePermission() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    #expect(try await bench.run("today").output.contains("  off\n"))
  }
}
