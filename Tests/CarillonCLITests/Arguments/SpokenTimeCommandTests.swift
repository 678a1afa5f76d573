import Testing

/// Commands take dates as people say them, and repeat what was understood.
struct SpokenTimeCommandTests {
  @Test("done, note, skip, undo and explain take spoken dates, and the answer names the date")
  func dated() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk", "--at", "17:00")
    for (arguments, answer) in [
      (["done", "Walk", "--on", "yesterday"], "Done: Walk on Sun 22 Nov.\n"),
      (["done", "Walk", "--on", "today"], "Done: Walk on Mon 23 Nov.\n"),
      (["done", "Walk", "--on", "friday"], "Done: Walk on Fri 20 Nov.\n"),
      (["undo", "Walk", "--on", "fri"], "Undone: Walk on Fri 20 Nov.\n"),
      (["note", "Walk", "rain", "--on", "20.11."], "Noted: Walk on Fri 20 Nov.\n"),
      (["skip", "Walk", "--on", "friday"], "Skipped: Walk on Fri 27 Nov.\n"),
      (["skip", "Walk", "--on", "tomorrow"], "Skipped: Walk on Tue 24 Nov.\n"),
      (
        ["habit", "pause", "Walk", "--from", "fri", "--to", "sun"],
        "Paused Walk from Fri 27 Nov until the end of Sun 29 Nov.\n"
      ),
      (
        ["habit", "pause", "Walk", "--from", "tomorrow", "--for", "2w"],
        "Paused Walk from Tue 24 Nov until the end of Mon 7 Dec.\n"
      ),
    ] {
      let given = try await bench.start(arguments).answer()
      #expect(given.status == 0 && given.output == answer, "\(arguments) \(given)")
    }
    let explained = try await bench.json("explain", "Walk", "--on", "fri")
    #expect(explained["occurrences"]?[0]?["due"]?.text == "2026-11-27")
  }

  @Test("What has spaces needs no quotes after an option, and neither does the text of a note")
  func withoutQuotes() async throws {
    let bench = try await Workbench.withStore()
    for (line, answer) in [
      ("habit add Walk --every 3 days --at 7 pm", "every 3 days from 2026-11-23 19:00\n"),
      ("habit add Read --every other day --at 8", "every 2 days from 2026-11-23 08:00\n"),
      ("done Walk --on 2 days ago", "Done: Walk on Sat 21 Nov.\n"),
      ("done Walk --on last friday", "Done: Walk on Fri 20 Nov.\n"),
      ("note Walk rained a lot --on last friday", "Noted: Walk on Fri 20 Nov.\n"),
      ("skip Walk --on next monday", "Skipped: Walk on Mon 30 Nov.\n"),
    ] {
      let given = try await bench.start(line.split(separator: " ").map(String.init)).answer()
      #expect(given.status == 0 && given.output.hasSuffix(answer), "\(line) \(given)")
    }
    let shown = try await bench.run("habit", "show", "Walk")
    #expect(shown.output.contains("rained a lot"), "\(shown)")
    let removed = try await bench.run("note", "Walk", "", "--on", "last friday")
    #expect(
      removed.output == "Note removed: Walk on Fri 20 Nov. It was: rained a lot\n", "\(removed)")
  }

  @Test("A reminder takes spoken times, and the answer names when it fires next")
  func reminders() async throws {
    let bench = try await Workbench.withStore()
    try await bench.allowReminders()
    for (title, flags, next) in [
      ("A", ["--at", "7"], "Tue 24 Nov 07:00"), ("B", ["--at", "7:30pm"], "Mon 23 Nov 19:30"),
      ("C", ["--once", "tomorrow", "--at", "18:00"], "Tue 24 Nov 18:00"),
      ("D", ["--once", "thu 14:30", "--before", "1h30m"], "Thu 26 Nov 13:00"),
      ("E", ["--every", "2w", "--from", "thu", "--at", "noon"], "Thu 26 Nov 12:00"),
      ("F", ["--on", "weekends", "--at", "9"], "Sat 28 Nov 09:00"),
      ("G", ["--interval", "1h30m", "--from", "8:00", "--window", "8-20"], "Mon 23 Nov 12:30"),
      ("H", ["--once", "2026-11-28", "--at", "8am"], "Sat 28 Nov 08:00"),
      ("J", ["--interval", "2h", "--window", "8-20"], "Mon 23 Nov 14:00"),
      ("K", ["--interval", "90m", "--window", "9-17", "--on", "weekdays"], "Mon 23 Nov 13:30"),
      ("L", ["--every", "2w", "--on", "mon,thu", "--at", "11"], "Thu 26 Nov 11:00"),
    ] {
      let added = try await bench.start(["habit", "add", title] + flags).answer()
      #expect(added.status == 0, "\(added)")
      #expect(added.output.hasSuffix("; it next fires on \(next)\n"), "\(added)")
    }
    let both = try await bench.run(
      "habit", "add", "I", "--once", "tomorrow 7pm", "--at", "18:00")
    #expect(both.status == 64 && both.errors.contains("leave out --at"), "\(both)")
  }

  @Test("--once takes each form of a moment, and the answer names the date and time")
  func once() async throws {
    let bench = try await Workbench.withStore()
    for (index, (text, answer)) in [
      ("tomorrow 7pm", "once 2026-11-24 19:00"), ("fri 18:00", "once 2026-11-27 18:00"),
      ("2026-11-25T18:00", "once 2026-11-25 18:00"), ("18:30", "once 2026-11-23 18:30"),
      ("2026-11-25T18:00:00+01:00", "once 2026-11-25 18:00"),
      ("2026-11-25T18:00:00Z", "once 2026-11-25 19:00"),
      ("2026-11-25T23:30Z", "once 2026-11-26 00:30"),
      ("2027-10-31T02:30+02:00", "once 2027-10-31 02:30"),
    ].enumerated() {
      let added = try await bench.run("habit", "add", "Once \(index)", "--once", text)
      #expect(added.output == "Added Once \(index): \(answer)\n", "\(text) \(added)")
    }
    let fixed = try await bench.run(
      "habit", "add", "Tokyo", "--once", "2026-11-25T18:00Z", "--fixed-zone", "Asia/Tokyo")
    #expect(fixed.output.hasPrefix("Added Tokyo: once 2026-11-26 03:00"), "\(fixed)")
  }

  @Test("--once says which of two equal hours it takes, that a time is skipped, and what it lacks")
  func onceAtTheEdges() async throws {
    let bench = try await Workbench.withStore()
    for (index, (text, warning)) in [
      ("2027-10-31T02:30", "the clocks repeat 02:30 on 2027-10-31 in Europe/Berlin; the first"),
      ("2027-03-28T02:30", "the clocks skip 02:30 on 2027-03-28 in Europe/Berlin; 03:30 is used"),
      ("2026-12-24", "--once has the date 2026-12-24 and no time, so nothing fires; add one with"),
    ].enumerated() {
      let added = try await bench.run("habit", "add", "Once \(index)", "--once", text)
      #expect(added.status == 0 && added.errors.contains(warning), "\(added)")
    }
    let second = try await bench.run("habit", "add", "A", "--once", "2027-10-31T02:30+01:00")
    #expect(second.status == 64 && second.errors.contains("first of both times"), "\(second)")
    let hint = try #require(second.errors.firstMatch(of: /--once (\S+) --fixed-zone UTC/))
    let pasted = try await bench.run(
      "habit", "add", "A", "--once", String(hint.1), "--fixed-zone", "UTC")
    #expect(pasted.output.hasPrefix("Added A: once 2027-10-31 01:30"), "\(pasted)")
    let seconds = try await bench.run("habit", "add", "B", "--once", "2027-01-01T12:00:30")
    #expect(seconds.status == 64 && seconds.errors.contains("whole minute"), "\(seconds)")
    let today = try await bench.json("today")["habits"]?.list.first {
      $0["title"]?.text == "Once 2"
    }
    #expect(today?["next"] == .null, "\(String(describing: today))")
  }

  @Test("Settings take spoken hours, periods and numbers of days")
  func settings() async throws {
    let bench = try await Workbench.withStore()
    for (name, value, answer) in [
      ("quietHours", "22-7", "22:00-07:00"), ("quietHours", "off", "none"),
      ("digest", "3/5m", "3/5m"), ("digest", "90/90s", "90/90s"), ("digest", "off", "none"),
      ("dayStart", "4am", "04:00"), ("horizonDays", "2w", "14"), ("staleHours", "2d", "48"),
    ] {
      let set = try await bench.run("settings", "set", name, value)
      #expect(set.output == "\(name) is \(answer).\n", "\(set)")
    }
  }

  @Test("A malformed date or time is a usage error with two examples and the help topic")
  func refused() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Walk")
    for arguments in [
      ["done", "Walk", "--on", "someday"], ["done", "Walk", "--on", "11/12/2026"],
      ["habit", "add", "A", "--at", "25:00"], ["habit", "add", "A", "--once", "never"],
      ["snooze", "Walk", "--for", "long"], ["settings", "set", "quietHours", "late"],
      ["status", "--now", "then"],
    ] {
      let answer = try await bench.startPlain(arguments).answer()
      #expect(answer.status == 64, "\(arguments) \(answer)")
      #expect(answer.errors.contains("see carillon help times"), "\(arguments) \(answer)")
      #expect(answer.errors.contains(" or "), "\(arguments) \(answer)")
    }
  }

  @Test("carillon help times prints the one grammar")
  func help() async throws {
    let bench = try Workbench()
    let help = try await bench.startPlain(["help", "times"], store: nil).answer()
    #expect(help.status == 0 && help.output.contains("yesterday"), "\(help)")
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(help)")
    let all = try await bench.startPlain(["help"], store: nil).answer()
    #expect(all.output.contains("carillon help times") && !all.output.contains("\n  times"))
  }

  @Test("In the hour that the clocks repeat, --now without an offset is the first one")
  func repeatedHour() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Night", "--at", "02:30", now: "2026-10-24T12:00")
    let pending = try await bench.run("pending", "--days", "1", now: "2026-10-25T02:15")
    #expect(pending.output.contains("Sun 25 Oct 02:30  in 15 min  Night"), "\(pending)")
    let skipped = try await bench.run("pending", now: "2026-03-29T02:30")
    #expect(skipped.errors.contains("--now: the clocks skip 02:30 on 2026-03-29"), "\(skipped)")
    #expect(skipped.errors.contains("03:30 is used"), "\(skipped)")
  }
}
