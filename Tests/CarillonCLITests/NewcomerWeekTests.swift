import Testing

/// What a person met in the first week, each with the commands as they were typed.
struct NewcomerWeekTests {
  /// A phone that may remind since Thu 1 Oct 2026; commands run on Mon 19 Oct at 08:00 in Berlin.
  private struct Phone {
    let bench: Workbench

    init() async throws {
      bench = try Workbench()
      for command in ["init --replica phone --role phone", "permission grant", "alerts on"] {
        try await run(command, at: "2026-10-01T08:00")
      }
    }

    /// Runs a command at a civil time of Berlin, with its arguments separated by spaces; `_` stands
    /// for a space in an argument.
    @discardableResult
    func run(_ command: String, at time: String = "2026-10-19T08:00") async throws -> Answer {
      let words = command.split(separator: " ").map { word in
        word == "SYSTEM" ? bench.path("system") : String(word).replacing("_", with: " ")
      }
      return try await bench.start(words, now: time).answer()
    }

    func lines(_ command: String, at time: String = "2026-10-19T08:00") async throws -> [String] {
      try await run(command, at: time).output.split(separator: "\n").map(String.init)
    }
  }

  @Test("An hourly habit takes no place off the phone, on any day of the week")
  func gymBag() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Gym_bag --place 52.52,13.405,200m")
    #expect(try await phone.run("plan --apply SYSTEM").output.contains("Gym bag"))
    try await phone.run("habit add Water --interval 1h --window 08:00-20:00")
    for day in 19...25 {
      for time in ["08:30", "21:00"] {
        let now = "2026-10-\(day)T\(time)"
        let applied = try await phone.run("plan --apply SYSTEM", at: now)
        #expect(!applied.output.contains("Gym bag"), "\(now) \(applied)")
        #expect(try await phone.run("pending", at: now).output.contains("at a place"), "\(now)")
      }
    }
    #expect(try await phone.run("status").output.contains("Water does not fit from "))
  }

  @Test("A snooze rings where the quota is met, and explain and pending agree with its answer")
  func quotaMet() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Gym --at 18:00 --quota 3/week", at: "2026-10-01T08:00")
    for day in [12, 13, 16] {
      try await phone.run("done Gym --on 2026-10-\(day)", at: "2026-10-16T19:00")
    }
    let now = "2026-10-17T18:30"
    let snoozed = try await phone.run("snooze Gym", at: now)
    #expect(snoozed.output == "Gym (Sat 17 Oct 18:00) is snoozed until Sat 17 Oct 18:45.\n")
    let pending = try await phone.lines("pending --days 1", at: now)
    #expect(pending.count == 2 && pending.last?.contains("Sat 17 Oct 18:45") == true, "\(pending)")
    let explained = try await phone.run("explain Gym", at: now).output
    #expect(explained.contains("Sat 17 Oct 18:45") && explained.contains("it will fire"))
  }

  @Test("explain says that a reminder had stopped also after its time has passed")
  func stoppedIsKnown() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Walk --at 09:00 --unless done", at: "2026-11-02T12:00")
    try await phone.run("plan --apply SYSTEM", at: "2026-11-02T12:00")
    for time in ["08:59", "09:01"] {
      let now = "2026-11-10T\(time)"
      try await phone.run("plan --apply SYSTEM", at: now)
      let explained = try await phone.run("explain Walk", at: now).output
      #expect(explained.contains("stopped since Tue 10 Nov"), "\(now) \(explained)")
    }
  }

  @Test("A digest combines plain daily reminders, and the plan fits while it covers the horizon")
  func digest() async throws {
    let phone = try await Phone()
    #expect(try await phone.run("settings set digest 3/300s").output == "digest is 3/5m.\n")
    for minute in 0...3 {
      try await phone.run("habit add H\(minute) --at 07:0\(minute) --group morning")
    }
    try await phone.run("habit add Night --at 23:00 --group morning")
    let pending = try await phone.lines("pending")
    #expect(pending.count == 9, "\(pending)")
    #expect(pending.count { $0.contains("07:00") && $0.contains("morning: H0, H1, H2, H3") } == 7)
    #expect(pending.contains { $0.contains("Night") && $0.contains("daily 23:00") }, "\(pending)")
    try await phone.run("plan --apply SYSTEM")
    let night = "2026-10-20T06:59"
    #expect(try await phone.run("explain H2", at: night).output.contains("07:02  Tue 20 Oct 07:00"))
    let rang = try await phone.lines("receipts", at: "2026-10-20T07:01")
    #expect(rang.count { $0.hasPrefix("Tue 20 Oct 07:00  presumed") } == 4, "\(rang)")
    let after = try await phone.lines("pending --days 1", at: "2026-10-20T07:01")
    #expect(after.count == 2 && after[1].contains("Night"), "\(after)")
  }

  @Test("A habit that stopped can be snoozed and then rings; a refused verb leaves it stopped")
  func stopped() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Iron --at 18:00 --unless done", at: "2026-10-01T08:00")
    let now = "2026-10-19T18:20"
    let before = try await phone.run("explain Iron", at: now).output
    #expect(try await phone.run("snooze Nobody", at: now).status == 66)
    #expect(try await phone.run("explain Iron", at: now).output == before)
    let snoozed = try await phone.run("snooze Iron", at: now)
    #expect(snoozed.output == "Iron (Mon 19 Oct 18:00) is snoozed until Mon 19 Oct 18:35.\n")
    let pending = try await phone.lines("pending --days 1", at: now)
    #expect(pending.count == 2 && pending.last?.hasPrefix("Mon 19 Oct 18:35") == true, "\(pending)")
  }

  @Test("In the hour that comes twice, pending shows the reminder that is still to come")
  func autumn() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Night --at 02:30 --unless done")
    let plain = try await phone.lines("pending --days 1", at: "2026-10-25T02:15")
    #expect(plain.count == 2 && plain[1].contains("Sun 25 Oct 02:30  in 15 min"), "\(plain)")
    #expect(try await phone.lines("pending --days 1", at: "2026-10-25T02:15+02:00") == plain)
  }

  @Test("A snooze over a deferred time fires with it in the morning, and done tells that it ended")
  func deferredSnooze() async throws {
    let phone = try await Phone()
    try await phone.run("settings set quietHours 22-7")
    try await phone.run("habit add Journal --at 21:45,22:30")
    let evening = "2026-10-19T21:50"
    let snoozed = try await phone.run("snooze Journal --for 1h", at: evening)
    #expect(snoozed.output.contains("it fires when they end, Tue 20 Oct 07:00"), "\(snoozed)")
    let done = try await phone.run("done Journal", at: "2026-10-19T21:55")
    #expect(
      done.output.hasPrefix(
        "Done: Journal. Its snooze until 22:50 is ended. Its reminder at Tue 20 Oct 07:00 comes "
          + "nevertheless; to change that: carillon"), "\(done)")
    let again = try await phone.run("done Journal", at: "2026-10-19T21:56")
    #expect(again.output == "Already done: Journal. The recorded time is 21:55.\n", "\(again)")
  }

  @Test("pending --days 1 lists what fires today, and tomorrow's single reminder with --days 2")
  func days() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Gym --on tue,wed,thu,fri --at 18:00")
    try await phone.run("habit add Dentist --once 2026-10-20T09:00")
    let one = try await phone.run("pending --days 1").output
    #expect(one.hasPrefix("Nothing is pending"), "\(one)")
    let two = try await phone.lines("pending --days 2")
    #expect(two.count == 3, "\(two)")
    #expect(two.contains { $0.contains("Dentist") } && two.contains { $0.contains("weekly Tue") })
  }

  @Test(
    "A wrong value is answered with the values that are allowed, in the units that were typed",
    arguments: [
      ("habit add X --at 9 --unless-done-within 20s", "20s is out of range; 1m to 365d"),
      ("habit add X --interval 20s", "20s is out of range; 1m to 365d"),
      ("snooze X --for 20s", "20s is out of range; 1m to 365d"),
      ("habit add __ --at 9", "no visible character"),
      ("receipts list --limit 0", "give a number from 1 to 100000"),
      ("receipts list --state seen", "presumed, delivered, expired"),
      ("permission grant --options smell", "alert,sound,badge"),
      ("ingest --source a --wake up", "give fetch or push"),
      ("settings set horizonDays 900", "\"900\" is not a number of days from 1 to 400"),
      ("settings set asksToOpen yes", "\"yes\" is not on or off"),
    ])
  func wrongValues(command: String, says: String) async throws {
    let phone = try await Phone()
    let log = try await phone.bench.log()
    let answer = try await phone.run(command)
    #expect([64, 65].contains(answer.status) && answer.errors.contains(says), "\(answer)")
    #expect(!answer.errors.contains("--help"), "\(answer)")
    #expect(try await phone.bench.log() == log)
  }

  @Test(
    "The help names the values of an option, and tells verbs of like meaning apart",
    arguments: [
      ("receipts list", "observed, submitted, presumed, delivered, expired, dismissed, opened"),
      ("permission grant", "alert, sound, badge"), ("ingest", "fetch or push"),
      ("skip", "habit pause stops the reminders of a range of dates"),
      ("habit pause", "skip leaves out one date"),
      ("permission revoke", "as after permission deny"), ("show", "a position in this log"),
      ("habit add", "A goal alone silences no reminder: --quota or --unless quota does."),
    ])
  func help(command: String, says: String) async throws {
    let phone = try await Phone()
    let help = try await phone.run(command + " --help").output
    let words = help.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains(says), "\(help)")
  }

  @Test("A watch tells in two days that the phone reminds, and not that nobody used the app")
  func watch() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Walk --at 17:00 --unless done")
    try await phone.run("plan --apply SYSTEM")
    let (from, to) = (phone.bench.path("phone"), phone.bench.path("watch"))
    let cloned = try await phone.bench.start(
      ["clone", from, to, "--replica", "watch", "--role", "watch"], now: "2026-10-19T08:01"
    ).answer()
    #expect(cloned.status == 0, "\(cloned)")
    let pending = try await phone.bench.start(
      ["pending"], store: "watch", now: "2026-10-21T08:00"
    ).answer()
    #expect(pending.output.hasPrefix("Nothing is pending."), "\(pending)")
    #expect(!pending.output.contains("recorded"), "\(pending)")
    #expect(pending.output.contains("phone"), "\(pending)")
  }

  @Test("Last night's time does not ring for a habit that is made this morning")
  func madeToday() async throws {
    let phone = try await Phone()
    try await phone.run("settings set quietHours 22:00-09:00")
    try await phone.run("habit add Journal --at 22:30", at: "2026-10-19T08:01")
    let today = try await phone.run("pending --days 1", at: "2026-10-19T08:01").output
    #expect(today.hasPrefix("Nothing is pending."), "\(today)")
    try await phone.run("habit add Run --at 18:30", at: "2026-10-19T08:02")
    let snoozed = try await phone.run("snooze Run", at: "2026-10-19T09:05")
    #expect(snoozed.status == 1, "\(snoozed)")
  }

  @Test("status tells that the plan ran out, in the spring after the autumn in which it was made")
  func ranOut() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Walk --at 17:00 --unless done")
    try await phone.run("plan --apply SYSTEM")
    let late = try await phone.run("status", at: "2027-03-28T01:15").output
    #expect(late.contains("the plan ran out") && !late.contains("no problems"), "\(late)")
    // A new plan that was not handed over changes nothing.
    try await phone.run("pending", at: "2027-03-28T01:16")
    let read = try await phone.run("status", at: "2027-03-28T01:17").output
    #expect(read.contains("the plan ran out"), "\(read)")
    try await phone.run("plan --apply SYSTEM", at: "2027-03-28T01:18")
    let applied = try await phone.run("status", at: "2027-03-28T01:19").output
    #expect(!applied.contains("the plan ran out"), "\(applied)")
  }

  @Test("A daily reminder that fired is not promised again when quiet hours would have moved it")
  func movedAfterFiring() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Tea --at 15:00", at: "2026-10-01T08:00")
    try await phone.run("plan --apply SYSTEM", at: "2026-10-01T08:00")
    // The system fires it each day, and nobody opens the app.
    try await phone.run("settings set quietHours 14-18", at: "2026-10-04T15:30")
    for day in [3, 4] {
      let explained = try await phone.run(
        "explain Tea --on 2026-10-0\(day)", at: "2026-10-04T15:31"
      ).output
      #expect(explained.contains("presumed delivered"), "\(explained)")
    }
    let today = try await phone.run("today", at: "2026-10-04T15:31").output
    #expect(!today.contains("18:00, in"), "\(today)")
    let pending = try await phone.run("pending", at: "2026-10-04T15:31").output
    #expect(!pending.contains("Sun 4 Oct 18:00"), "\(pending)")
    let applied = try await phone.run("plan --apply SYSTEM", at: "2026-10-04T15:32").output
    #expect(!applied.contains("Sun 4 Oct 18:00"), "\(applied)")
    let after = try await phone.bench.json("receipts", "list", now: "2026-10-04T15:33")["receipts"]
    let states = after?.list.compactMap { $0["state"]?.text }
    // The system still displays the last one.
    #expect(states == ["delivered", "presumed", "presumed", "presumed"], "\(states ?? [])")
  }

  @Test("A request that was planned and never handed to the system is not presumed delivered")
  func neverHeld() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Tea --at 15:00", at: "2026-10-01T08:00")
    try await phone.run("plan --apply SYSTEM", at: "2026-10-01T08:00")
    try await phone.run("habit edit Tea --at 10:00", at: "2026-10-02T09:00")
    try await phone.run("pending", at: "2026-10-02T09:01")
    let explained = try await phone.run("explain Tea", at: "2026-10-02T11:00").output
    #expect(!explained.contains("presumed"), "\(explained)")
  }

  @Test("log and receipts list tell the same time of an interval, in the zone of the call")
  func interval() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Pills --interval 8h --from 2026-10-19T08:00")
    let id = try #require(
      try await phone.bench.json("pending", now: "2026-10-19T08:01")["pending"]?[0]?["id"]?.text)
    try await phone.run("receipt delivered \(id)", at: "2026-10-19T16:00")
    let now = "2026-10-19T16:01"
    let log = try await phone.run("log --last 1", at: now).output
    let receipts = try await phone.run("receipts list", at: now).output
    #expect(log.contains("2026-10-19T16:00") || log.contains("Mon 19 Oct 16:00"), "\(log)")
    #expect(receipts.contains("Pills of Mon 19 Oct 16:00"), "\(receipts)")
  }

  @Test("An answer to a reminder of a later date warns, as done for that date does")
  func early() async throws {
    let phone = try await Phone()
    try await phone.run("habit add Walk --at 17:00 --unless done")
    let pending = try await phone.bench.json("pending", now: "2026-10-19T08:00")["pending"]
    let id = try #require(
      pending?.list.first { $0["nominal"]?.text == "2026-10-21T17:00" }?["id"]?.text)
    let acted = try await phone.run("receipt acted \(id) --action done")
    #expect(acted.errors == "warning: Wed 21 Oct is in the future\n", "\(acted)")
    #expect(acted.output == "Done: Walk of Wed 21 Oct 17:00.\n", "\(acted)")
    let done = try await phone.run("done Walk --on 2026-10-22")
    #expect(done.errors == "warning: Thu 22 Oct is in the future\n", "\(done)")
    let paused = try await phone.run("habit pause Walk --to 2026-10-22")
    #expect(paused.output == "Paused Walk until the end of Thu 22 Oct.\n", "\(paused)")
  }
}
