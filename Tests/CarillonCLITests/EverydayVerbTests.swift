import CarillonDocuments
import Foundation
import Testing

/// What the verbs of every day say, and whether it is true.
struct EverydayVerbTests {
  @Test(
    "A time before the start of the day belongs to the date that had not ended, which is named",
    arguments: [
      ("2026-11-24T02:00:00+01:00", "01:30", "2026-11-24T01:30:00+01:00"),
      ("2026-11-24T02:00:00+01:00", "23:30", "2026-11-23T23:30:00+01:00"),
      ("2026-11-24T12:00:00+01:00", "01:30", "2026-11-24T01:30:00+01:00"),
    ])
  func nightTimes(now: String, at time: String, instant: String) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("settings", "set", "dayStart", "04:00")
    let done = try await bench.run("done", "Walk", "--at", time, now: now)
    #expect(done.output == "Done: Walk on Mon 23 Nov.\n", "\(done)")
    let entries = try await bench.json("entry", "list", "Walk", "--on", "2026-11-23", now: now)
    #expect(entries["entries"]?[0]?["at"]?.text == instant, "\(entries)")
    try await bench.run("undo", "Walk", now: now)
    let named = try await bench.run(
      "done", "Walk", "--on", "2026-11-23", "--at", time, now: now)
    #expect(named.output == done.output, "\(named)")
  }

  @Test("done a second time says when it was done, and writes nothing")
  func doneTwice() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let water = try await bench.addHabit("Water", "--target", "4")
    try await bench.run("done", "Walk", now: "2026-11-23T09:15:00+01:00")
    let log = try await bench.log()
    let again = try await bench.run("done", "Walk")
    #expect(again.output == "Already done: Walk. The recorded time is 09:15.\n", "\(again)")
    let later = try await bench.run(
      "done", "Walk", "--on", "yesterday", now: "2026-11-24T09:00:00+01:00")
    #expect(
      later.output == "Already done: Walk on Mon 23 Nov. The recorded time is 09:15.\n", "\(later)")
    #expect(try await bench.log() == log)
    for amount in 1...2 {
      let counted = try await bench.json("done", "Water")
      #expect(counted["habit"]?.text == water && counted["events"]?.list.isEmpty == false)
      let list = try await bench.json("entry", "list", "Water")["entries"]?.list
      #expect(list?.count == amount)
    }
  }

  @Test("done replaces a skip in every view, and undo brings the skip back")
  func doneAfterSkip() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done")
    _ = try await bench.addHabit("Water", "--target", "2")
    func today() async throws -> [String?] {
      try await bench.json("today")["habits"]?.list.map { $0["today"]?.text } ?? []
    }
    try await bench.run("skip", "Walk", "Water")
    #expect(try await today() == ["skipped", "skipped"])
    let done = try await bench.run("done", "Walk")
    #expect(
      done.output
        == "Done: Walk. This replaces the skip of the date; undo brings it back.\n", "\(done)")
    let part = try await bench.run("done", "Water")
    #expect(
      part.output == "Water: 1 of 2. The date stays skipped until it is done.\n", "\(part)")
    #expect(try await today() == ["done", "skipped"])
    let shown = try await bench.json("habit", "show", "Walk")
    #expect(shown["days"]?[0]?["done"] == .bool(true))
    #expect(shown["adherence"]?["streak"]?.number == 1)
    #expect(shown["adherence"]?["weeks"]?.list.last?["done"]?.number == 1)
    try await bench.run("undo", "Walk")
    #expect(try await today() == ["skipped", "skipped"])
  }

  @Test("undo reaches what was recorded last, also for a date of years ago")
  func undoLongAgo() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("done", "Walk")
    try await bench.run("done", "Walk", "--on", "2024-01-05")
    let undone = try await bench.run("undo", "Walk")
    #expect(undone.output == "Undone: Walk on Fri 5 Jan 2024.\n", "\(undone)")
    #expect(try await bench.run("undo", "Walk").output == "Undone: Walk.\n")
  }

  @Test("done warns about a date long before the habit began, and says how to take it back")
  func longBefore() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let near = try await bench.run("done", "Walk", "--on", "2026-10-23")
    #expect(near.status == 0 && near.errors.isEmpty, "\(near)")
    let old = try await bench.run("done", "Walk", "--on", "1990-01-02")
    #expect(old.errors.hasPrefix("warning: Tue 2 Jan 1990 is 13,443 days before Walk"), "\(old)")
    #expect(old.errors.hasSuffix(": carillon undo Walk --on 1990-01-02\n"), "\(old)")
    let again = try await bench.run("done", "Walk", "--on", "1990-01-03")
    #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
  }

  @Test("done warns if the clock shows a year before the program was made")
  func clockBehind() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let near = try await bench.run("done", "Walk", now: "2026-11-22T13:00:00+01:00")
    #expect(near.status == 0 && near.errors.isEmpty, "\(near)")
    let done = try await bench.run("done", "Walk", now: "1990-01-01T10:00:00+01:00")
    #expect(done.errors.hasPrefix("warning: the clock shows 1990-01-01, 13,475 days"), "\(done)")
    #expect(done.errors.hasSuffix(": carillon undo Walk --on 1990-01-01\n"), "\(done)")
    let undone = try await bench.run("undo", "Walk", "--on", "1990-01-01")
    #expect(undone.output == "Undone: Walk on Mon 1 Jan 1990.\n", "\(undone)")
  }

  @Test("A goal or quota of 3/week counts from Monday to Sunday, and of 3/7d any seven days")
  func goals() async throws {
    let bench = try await Workbench.withStore()
    let dates = ["2026-11-13", "2026-11-15", "2026-11-16"]
    for (title, flags) in [
      ("Week", ["--goal", "3/week"]), ("Seven", ["--goal", "3/7d"]),
      ("Quota", ["--at", "17:00", "--quota", "3/week"]),
    ] {
      let added = try await bench.start(
        ["habit", "add", title, "--start", "2026-11-09"] + flags
      ).answer()
      #expect(added.status == 0, "\(added)")
      for date in dates { try await bench.run("done", title, "--on", date) }
    }
    let shown = try await ["Week", "Seven", "Quota"].async {
      try await bench.json("habit", "show", $0)
    }
    #expect(shown.map { $0["goal"]?.text } == ["3/week", "3/7d", nil])
    #expect(
      shown.map { $0["adherence"]?["goal"]?.text } == ["3/week", "3/7d", "3/week"])
    let streaks = shown.map { $0["adherence"]?["longestStreak"]?.number }
    #expect(streaks == [2, 7, 2])
    #expect(shown[0]["adherence"] == shown[2]["adherence"])
    let quota = try await bench.run("habit", "show", "Quota")
    #expect(quota.output.contains("3/week, the quota of its reminders"), "\(quota)")
    let month = try await bench.run("habit", "edit", "Week", "--goal", "2/month")
    #expect(month.status == 0, "\(month)")
    #expect(try await bench.json("habit", "show", "Week")["goal"]?.text == "2/month")
  }

  @Test("A reminder can be snoozed after undo of the done that ended its snooze")
  func snoozeAfterUndo() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Plain", "--at", "17:00")
    _ = try await bench.addHabit("Until done", "--at", "17:00", "--unless", "done")
    for title in ["Plain", "Until done"] {
      try await bench.run("snooze", title, now: "2026-11-23T17:05:00+01:00")
      try await bench.run("done", title, now: "2026-11-23T17:10:00+01:00")
      try await bench.run("undo", title, now: "2026-11-23T17:11:00+01:00")
      let snoozed = try await bench.run("snooze", title, now: "2026-11-23T17:12:00+01:00")
      #expect(
        snoozed.output == "\(title) (Mon 23 Nov 17:00) is snoozed until Mon 23 Nov 17:27.\n",
        "\(snoozed)")
    }
  }

  @Test("A reminder with one date fires at its instant, also before the start of the day")
  func onceAtNight() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("settings", "set", "dayStart", "04:00")
    try await bench.run("permission", "grant")
    try await bench.run("alerts", "on")
    _ = try await bench.addHabit("Moon", "--once", "2026-11-24", "--at", "01:00")
    let pending = try await bench.json("pending")["pending"]
    #expect(pending?[0]?["fireAt"]?.text == "2026-11-24T01:00:00+01:00")
    let today = try await bench.json("today")["habits"]?[0]
    #expect(today?["today"]?.text == "open")
    #expect(today?["next"]?["fireAt"]?.text == "2026-11-24T01:00:00+01:00")
    let text = try await bench.run("today")
    #expect(text.output.contains("Tue 24 Nov 01:00"), "\(text)")
    let explained = try await bench.json("explain", "Moon", "--on", "2026-11-23")
    #expect(explained["occurrences"]?[0]?["due"]?.text == "2026-11-23")
    let later = try await bench.json("today", now: "2026-11-24T05:00:00+01:00")["habits"]?[0]
    #expect(later?["today"]?.text == "none")
  }

  @Test("A reminder of another year has its year and its time, and its instant in JSON")
  func farAhead() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Comet", "--once", "2028-03-01T18:00")
    for verb in [["today"], ["habit", "show", "Comet"], ["explain", "Comet"]] {
      let answer = try await bench.start(verb).answer()
      #expect(answer.output.contains("Wed 1 Mar 2028 18:00"), "\(answer)")
    }
    let next = try await bench.json("today")["habits"]?[0]?["next"]
    #expect(next?["scheduledAt"]?.text == "2028-03-01T18:00:00+01:00", "\(next as Any)")
  }

  @Test("A reminder added after its time is not missed on that date, in any verb")
  func addedLater() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "08:00")
    for now in [Workbench.now, "2026-11-24T12:00:00+01:00"] {
      for verb in [["today"], ["week"], ["habit", "show", "Walk"], ["habit", "list"]] {
        let answer = try await bench.start(verb, now: now).answer()
        #expect(!answer.output.contains("missed") && !answer.output.contains("✗"), "\(answer)")
      }
    }
    let later = try await bench.run("habit", "show", "Walk", now: "2026-11-25T12:00:00+01:00")
    #expect(later.output.contains("✗ missed"), "\(later)")
  }

  @Test("Where another device reminds, today and habit show name it in place of a time")
  func elsewhere() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    try await bench.run("replicas", "role", "phone", "phone")
    try await bench.run("permission", "grant")
    try await bench.run("alerts", "on")
    try await bench.run(
      "clone", bench.path("phone"), bench.path("watch"), "--replica", "watch", "--role", "watch")
    for granted in [false, true] {
      if granted {
        try await bench.run("permission", "grant", store: "watch")
        try await bench.run("alerts", "on", store: "watch")
      }
      for verb in [["today"], ["habit", "show", "Walk"]] {
        let answer = try await bench.start(verb, store: "watch").answer()
        #expect(answer.output.contains("on the phone"), "\(granted) \(answer)")
        #expect(!answer.output.contains("today 17:00"), "\(granted) \(answer)")
      }
      let next = try await bench.json("today", store: "watch")["habits"]?[0]?["next"]
      #expect(next?["reason"]?.text == "otherDevice" && next?["fireAt"] == nil, "\(granted)")
    }
  }

  @Test("explain counts a quota by what had been recorded when the reminder was due")
  func quotaThen() async throws {
    let bench = try Workbench()
    _ = try await bench.start(
      ["init", "--replica", "phone"], now: "2026-11-15T11:00:00+01:00"
    ).answer()
    let now = "2026-11-22T12:00:00+01:00"
    let add = ["habit", "add", "Gym", "--at", "17:00", "--quota", "2/week"]
    _ = try await bench.start(add, now: "2026-11-15T12:00:00+01:00").answer()
    for day in [16, 18, 20] {
      try await bench.run("done", "Gym", now: "2026-11-\(day)T12:00:00+01:00")
    }
    func explained(_ date: String) async throws -> Document? {
      try await bench.json("explain", "Gym", "--on", date, now: now)["occurrences"]?[0]
    }
    // On Tuesday only one was done, though two of the week are now.
    #expect(try await explained("2026-11-17")?["reason"]?.text == "past")
    let thursday = try await explained("2026-11-19")
    #expect(thursday?["reason"]?.text == "quotaMet")
    #expect(thursday?["done"]?.number == 2 && thursday?["of"]?.number == 2)
    #expect(thursday?["detail"]?.text?.contains("2 of 2 this week were done") == true)
    #expect(try await explained("2026-11-21")?["done"]?.number == 3)
    try await bench.run("schedule", "edit", "Gym", "--quota", "1/week", now: now)
    let unknown = try await explained("2026-11-19")
    #expect(unknown?["reason"]?.text == "quotaMet" && unknown?["done"] == nil)
    #expect(unknown?["detail"]?.text?.contains("is not known") == true, "\(unknown as Any)")
  }

  @Test("A second pause of the same dates writes nothing and says so; --until is --to")
  func pauseTwice() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let paused = try await bench.run("habit", "pause", "Walk", "--until", "2026-11-30")
    #expect(paused.output == "Paused Walk until the end of Mon 30 Nov.\n", "\(paused)")
    let log = try await bench.log()
    for end in ["2026-11-30", "2026-11-27"] {
      let again = try await bench.run("habit", "pause", "Walk", "--to", end)
      #expect(
        again.output == "Walk is paused already until the end of Mon 30 Nov.\n", "\(again)")
    }
    #expect(try await bench.log() == log)
    let longer = try await bench.run("habit", "pause", "Walk", "--to", "2026-12-02")
    #expect(longer.output == "Paused Walk until the end of Wed 2 Dec.\n", "\(longer)")
    let detail = try await bench.json("explain", "Walk")["occurrences"]?[0]
    #expect(detail?["since"]?.text == "2026-11-23" && detail?["until"]?.text == "2026-12-02")
  }

  @Test("An edit that changes what the past says, says so")
  func editsOfThePast() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.start(
      ["habit", "add", "Walk", "--at", "17:00", "--start", "2026-11-16"]
    ).answer()
    for date in ["2026-11-20", "2026-11-21", "2026-11-22"] {
      try await bench.run("done", "Walk", "--on", date)
    }
    let time = try await bench.run("schedule", "edit", "Walk", "--at", "18:00")
    #expect(time.errors.isEmpty, "\(time)")
    let days = try await bench.run("schedule", "edit", "Walk", "--on", "mon,sun")
    #expect(
      days.errors.contains("this also changes the past of Walk: ")
        && days.errors.contains("earlier dates now count differently, from Mon 16 Nov on"),
      "\(days)")
    let start = try await bench.json("habit", "edit", "Walk", "--start", "2026-11-22")
    #expect(
      start["warnings"]?[0]?.text?.contains("this also changes the past of Walk") == true,
      "\(start)")
    let title = try await bench.run("habit", "edit", "Walk", "--title", "Stroll")
    #expect(title.errors.isEmpty, "\(title)")
  }

  @Test(
    "Refused values and texts exit with 64, with a hint that helps",
    arguments: [
      (["settings", "set", "primingDays", "0"], "from 1 to 365"),
      (["settings", "set", "horizonDays", "401"], "from 1 to 400"),
      (["settings", "set", "asksToOpen", "perhaps"], "on or off"),
      (["replicas", "rename", "phone", ""], "no visible character"),
      (["skip", "Walk", "--holidays", ""], "--holidays: the path is empty"),
      (["note", "Walk", "- two km"], " -- '- two km'"),
      (["done", "Walk", "--note", "- two km"], "--note='- two km'"),
      (
        ["habit", "add", "Tea", "--at", "17:00", "--again", "2x5m"],
        "carillon habit add Tea --at 17:00 --repeat 2x5m"
      ),
    ])
  func refused(arguments: [String], text: String) async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    let answer = try await bench.start(arguments).answer()
    #expect(answer.status == 64 && answer.errors.contains(text), "\(answer)")
  }

  @Test("A note that begins with a hyphen is written as the hints say")
  func hyphens() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    #expect(try await bench.run("note", "Walk", "--", "- two km").status == 0)
    #expect(try await bench.run("done", "Walk", "--note=- two km").status == 0)
    let shown = try await bench.run("habit", "show", "Walk")
    #expect(shown.output.contains("- two km"), "\(shown)")
  }

  @Test("A name of 100,000 letters is cut in the message")
  func longName() async throws {
    let bench = try await Workbench.withStore()
    let answer = try await bench.run("done", String(repeating: "a", count: 100_000))
    #expect(answer.status == 66 && answer.errors.utf8.count < 1_000, "\(answer.errors.prefix(99))")
    #expect(answer.errors.contains("there is no habit \"aaaa"))
  }

  @Test("A name with a line break is quoted on one line, in JSON too")
  func lineBreak() async throws {
    let bench = try await Workbench.withStore()
    let text = try await bench.run("done", "a\nb")
    #expect(text.errors.hasPrefix("error: there is no habit \"a b\"\nhint: "), "\(text)")
    let json = try await bench.run("done", "a\nb", "--json")
    #expect(json.errors.contains(#""message":"there is no habit \"a b\"""#), "\(json)")
  }

  @Test(
    "Help and the version to a full device exit with 74",
    arguments: [["--help"], ["help", "times"], ["--version"], ["done", "--help"]])
  func fullDevice(arguments: [String]) async throws {
    let bench = try Workbench()
    let words = arguments.joined(separator: " ")
    let answer = try await bench.startShell("\"$CARILLON\" \(words) >/dev/full").answer()
    #expect(answer.status == 74, "\(answer)")
  }

  @Test("A damaged archive or manifest says to use another backup")
  func badBackup() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("backup", "--to", bench.path("b.tar"))
    let cut = try Data(contentsOf: bench.url("b.tar")).prefix(700)
    try cut.write(to: bench.url("cut.tar"))
    try Data(repeating: 7, count: 2_000).write(to: bench.url("noise.tar"))
    for name in ["cut.tar", "noise.tar"] {
      let answer = try await bench.run("restore", bench.path(name), bench.path("new"))
      #expect(answer.status == 65 && answer.errors.contains("use another backup"), "\(answer)")
    }
  }

  @Test("The first watch --once shows what became due since alerts are on")
  func firstWatch() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("permission", "grant")
    try await bench.run("alerts", "on")
    _ = try await bench.addHabit("Late", "--at", "11:00")
    _ = try await bench.addHabit("Walk", "--at", "12:30")
    func watch(_ now: String) async throws -> Document {
      let variables = ["CARILLON_NOTIFY": "/bin/true"]
      return try await bench.start(["watch", "--once", "--json"], now: now, with: variables)
        .answer().document()
    }
    let first = try await watch("2026-11-23T12:31:00+01:00")
    #expect(first["shown"]?.list.map { $0["title"]?.text } == ["Walk"], "\(first)")
    let second = try await watch("2026-11-23T12:32:00+01:00")
    #expect(second["shown"]?.list.isEmpty == true, "\(second)")
  }

  @Test("explain, status and watch agree on why reminders stop, and what changes it")
  func stopped() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    func expect(_ text: String, now: String = Workbench.now) async throws {
      for verb in [["explain", "Walk"], ["status"], ["watch", "--once"]] {
        let answer = try await bench.start(verb, now: now).answer()
        let all = (answer.output + answer.errors).split(whereSeparator: \.isWhitespace)
          .joined(separator: " ")
        #expect(all.contains(text), "\(verb): \(answer)")
      }
    }
    try await expect("carillon permission grant")
    try await bench.run("permission", "deny")
    try await expect("carillon permission grant")
    try await bench.run("permission", "grant")
    try await expect("carillon alerts on")
    try await bench.run("alerts", "on")
    try await bench.run("habit", "pause", "--all")
    try await expect("carillon habit resume --all")
    try await bench.run("habit", "resume", "--all")
    try await bench.run("replicas", "retire", "phone")
    try await expect("carillon replicas retire --undo phone")
  }

  @Test("A plan that ran out is named by explain and status")
  func ranOut() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("permission", "grant")
    try await bench.run("alerts", "on")
    _ = try await bench.addHabit("Walk", "--at", "17:00", "--unless", "done", "--stop-after", "90")
    try await bench.run("plan", "--apply", bench.path("plan.json"))
    let later = "2026-12-20T12:00:00+01:00"
    let status = try await bench.run("status", now: later)
    #expect(status.output.contains("the plan ran out"), "\(status)")
    let explained = try await bench.run("explain", "Walk", now: later)
    #expect(
      explained.output.contains("The plan that the system has ended on")
        && explained.output.contains("once the system has a new plan")
        && explained.output.contains("carillon plan --apply FILE"), "\(explained)")
  }
}

extension [String] {
  /// Maps each text, one after another.
  fileprivate func async<Value>(_ body: (String) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for text in self { values.append(try await body(text)) }
    return values
  }
}
