import Foundation
import Testing

/// Several dates skipped at once, and those of a holiday calendar.
struct SkippedDateTests {
  private static let holidays = """
    BEGIN:VCALENDAR\r
    BEGIN:VEVENT\r
    UID:1\r
    DTSTART;VALUE=DATE:20201225\r
    DTEND;VALUE=DATE:20201227\r
    RRULE:FREQ=YEARLY\r
    SUMMARY:Christmas\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:2\r
    DTSTART;VALUE=DATE:20270101\r
    SUMMARY:New Year\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:3\r
    DTSTART:20261130T090000\r
    SUMMARY:A meeting\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:4\r
    DTSTART;VALUE=DATE:20261201\r
    STATUS:CANCELLED\r
    SUMMARY:Cancelled\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:5\r
    DTSTART;VALUE=DATE:20190501\r
    SUMMARY:Past\r
    END:VEVENT\r
    END:VCALENDAR\r

    """

  @Test("A range that ends before it begins is refused, and a weekday ends it after its start")
  func reversed() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Gym", "--at", "18:00")
    let refused = try await bench.run(
      "skip", "Gym", "--from", "2026-12-26", "--to", "2026-12-20")
    #expect(refused.status == 64 && refused.errors.contains("is before"), "\(refused)")
    let written = try await bench.run("skip", "Gym", "--from", "friday", "--to", "sunday")
    #expect(written.output.contains("Fri 27 Nov to Sun 29 Nov"), "\(written)")
  }

  @Test("--on takes several dates with commas, and one with a comma in it")
  func listed() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Gym", "--at", "17:00")
    for (dates, answer) in [
      ("wed,fri", "2 dates: Wed 25 Nov and Fri 27 Nov"), ("nov 30, 2026", "Mon 30 Nov"),
      ("tue, wed, thu", "3 dates, Tue 24 Nov to Thu 26 Nov; 1 of them was skipped already"),
    ] {
      let skipped = try await bench.run("skip", "Gym", "--on", dates)
      #expect(skipped.output == "Skipped: Gym on \(answer).\n", "\(skipped)")
    }
    #expect(try await bench.run("skip", "Gym", "--on", "wed,").status == 64)
  }

  @Test("--on may be repeated, and dates that are skipped already are left as they are")
  func severalDates() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Gym", "--at", "17:00")
    try await bench.run("skip", "Gym", "--on", "2026-12-24")
    let skipped = try await bench.run(
      "skip", "Gym", "--on", "2026-12-24", "--on", "2026-12-25", "--on", "2026-12-31")
    #expect(
      skipped.output == "Skipped: Gym on 3 dates: Thu 24 Dec, Fri 25 Dec and Thu 31 Dec; "
        + "1 of them was skipped already.\n", "\(skipped)")
    let again = try await bench.json(
      "skip", "Gym", "--on", "2026-12-24", "--on", "2026-12-25", "--on", "2026-12-31")
    #expect(again["events"]?.list.isEmpty == true && again["newCount"]?.number == 0, "\(again)")
    #expect(again["count"]?.number == 3 && again["last"]?.text == "2026-12-31")
  }

  @Test("A range is skipped for several habits, one event each, and nothing fires in it")
  func range() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Gym", "--at", "17:00", "--unless", "done")
    try await bench.run("habit", "add", "Walk", "--at", "18:00", "--unless", "done")
    let answer = try await bench.json("skip", "gym", "walk", "--from", "today", "--to", "thu")
    let records = answer["records"]?.list ?? []
    #expect(records.map { $0["newCount"]?.number } == [4, 4], "\(answer)")
    #expect(
      records.allSatisfy {
        $0["events"]?.list.map { $0["type"]?.text }.contains("day.marked") ?? false
      })
    let pending = try await bench.json("pending")["pending"]
    #expect(pending?[0]?["fireAt"]?.text == "2026-11-27T17:00:00+01:00")
  }

  @Test("The all-day events of a holiday calendar are skipped, and repeating it adds nothing")
  func holidays() async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Gym", "--at", "17:00")
    let file = try bench.write(Self.holidays, to: "holidays.ics")
    let skipped = try await bench.json("skip", "Gym", "--holidays", file)
    // Christmas has two dates, in two years.
    #expect(skipped["newCount"]?.number == 5, "\(skipped)")
    #expect(skipped["first"]?.text == "2026-12-25" && skipped["last"]?.text == "2027-12-26")
    let again = try await bench.run("skip", "Gym", "--holidays", file)
    #expect(again.output.hasPrefix("Already skipped: Gym on 5 dates"), "\(again)")
    let none = try await bench.run(
      "skip", "Gym", "--holidays", file, "--from", "2026-11-24", "--to", "2026-12-24")
    #expect(none.status == 66 && none.errors.contains("no all-day event"), "\(none)")
  }

  @Test(
    "A range that is no range, and flags that exclude each other, are refused with a hint",
    arguments: [
      ["--on", "mon", "--from", "tue"], ["--from", "2026-12-24", "--to", "2026-12-23"],
      ["--from", "2026-12-24", "--to", "2029-12-23"], ["--holidays", "missing.ics"],
    ])
  func refused(flags: [String]) async throws {
    let bench = try await Workbench.withStore()
    try await bench.run("habit", "add", "Gym", "--at", "17:00")
    let answer = try await bench.start(["skip", "Gym"] + flags).answer()
    #expect(answer.status != 0 && answer.errors.contains("hint: "), "\(answer)")
  }

  /// A calendar with an all-day event for each of some lines.
  private static func calendar(_ events: [String]) -> String {
    let all = events.enumerated().map { "BEGIN:VEVENT\r\nUID:\($0)\r\n\($1)\r\nEND:VEVENT\r\n" }
    return "BEGIN:VCALENDAR\r\n" + all.joined() + "END:VCALENDAR\r\n"
  }

  @Test("An event that ends before it starts skips nothing, and a warning names its line")
  func reversedEvents() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Gym", "--at", "17:00")
    let file = try bench.write(
      Self.calendar([
        "DTSTART;VALUE=DATE:20261225", "DTSTART;VALUE=DATE:20261228\r\nDURATION:-P1D",
        "DTSTART;VALUE=DATE:20261230\r\nDTEND;VALUE=DATE:20261229",
      ]), to: "holidays.ics")
    let skipped = try await bench.run("skip", "Gym", "--holidays", file)
    #expect(skipped.output.hasPrefix("Skipped: Gym on Fri 25 Dec."), "\(skipped)")
    #expect(
      skipped.errors.contains("2 events left out, the first at line 9: DURATION below 0"),
      "\(skipped)")
    let imported = try await bench.json("import", file)
    #expect(imported["habits"]?.number == 1 && imported["ignored"]?["dates"]?.number == 2)
  }

  @Test("A file that cannot be read, or whose line is too long, is named and not read to its end")
  func unreadable() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Gym", "--at", "17:00")
    // 64 GB without a line end, which take no place on the disk.
    let long = try bench.write("BEGIN:VCALENDAR\r\n", to: "long.ics")
    let handle = try FileHandle(forWritingTo: URL(filePath: long))
    try handle.truncate(atOffset: 1 << 36)
    try handle.close()
    for command in [["skip", "Gym", "--holidays", long], ["import", long]] {
      let answer = try await bench.start(command).answer()
      #expect(answer.status == 65, "\(answer)")
      #expect(
        answer.errors.contains("long.ics line 2 has more than 1048576 bytes"), "\(answer)")
    }
    #if os(Linux)
    // Its first page is not mapped, so that reading it is an error.
    let failing = try await bench.run("skip", "Gym", "--holidays", "/proc/self/mem")
    #expect(failing.status == 74, "\(failing)")
    #expect(failing.errors.contains("cannot read /proc/self/mem"), "\(failing)")
    #endif
  }

  @Test("Thousands of holidays that never come are searched only in the dates that are skipped")
  func neverMatching() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Gym", "--at", "17:00")
    let rules = [
      "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5",
    ]
    let events = (0..<3_000).map {
      "DTSTART;VALUE=DATE:20260101\r\nRRULE:\(rules[$0 % rules.count])"
    }
    let file = try bench.write(
      Self.calendar(events + ["DTSTART;VALUE=DATE:20261225"]), to: "holidays.ics")
    let skipped = try await bench.json("skip", "Gym", "--holidays", file)
    #expect(skipped["newCount"]?.number == 1 && skipped["first"]?.text == "2026-12-25")
  }

  @Test("A skip of 731 dates is recorded, and one of a date more is refused")
  func mostDates() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Gym", "--at", "17:00")
    let range = ["skip", "Gym", "--from", "2026-12-01", "--to"]
    let refused = try await bench.start(range + ["2028-12-01"]).answer()
    #expect(refused.status == 64, "\(refused)")
    #expect(refused.errors.contains("give at most 731 dates"), "\(refused)")
    let skipped = try await bench.start(range + ["2028-11-30", "--json"]).answer()
    #expect(skipped.status == 0, "\(skipped)")
  }
}
