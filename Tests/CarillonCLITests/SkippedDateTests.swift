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
      ("tue, wed, thu", "3 dates, Tue 24 Nov to Thu 26 Nov; 1 of them were skipped already"),
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
        + "1 of them were skipped already.\n", "\(skipped)")
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
}
