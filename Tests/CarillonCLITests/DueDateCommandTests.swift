import Foundation
import Testing

/// `done` without a date is for the reminder that fired last.
struct DueDateCommandTests {
  private func run(_ bench: Workbench, _ now: String, zone: String, _ verb: String...) async throws
    -> Document
  {
    try await bench.start(verb + ["--json"], now: now, zone: zone).answer().document()
  }

  private func reasons(
    _ bench: Workbench, _ now: String, zone: String, _ habit: String, on date: String
  ) async throws -> [String] {
    let answer = try await run(bench, now, zone: zone, "explain", habit, "--on", date)
    return answer["occurrences"]?.list.compactMap { $0["reason"]?.text } ?? []
  }

  @Test("New York's 18:00 fires in Tokyo at 08:00, and done is for the date in New York")
  func fixedZone() async throws {
    let bench = try await Workbench.withStore()
    let tokyo = "Asia/Tokyo"
    _ = try await run(
      bench, "2026-11-22T12:00:00+09:00", zone: tokyo, "habit", "add", "NY", "--at", "18:00",
      "--fixed-zone", "America/New_York", "--unless", "done")
    let now = "2026-11-24T08:30:00+09:00"
    let done = try await run(bench, now, zone: tokyo, "done", "NY")
    #expect(done["date"]?.text == "2026-11-23")
    #expect(try await reasons(bench, now, zone: tokyo, "NY", on: "2026-11-23") == ["done"])
    #expect(try await reasons(bench, now, zone: tokyo, "NY", on: "2026-11-24") == ["planned"])
    let again = try await bench.start(["done", "NY"], now: now, zone: tokyo).answer()
    #expect(again.output.contains("Already done: NY on Mon 23 Nov"), "\(again)")
    let undone = try await bench.start(["undo", "NY"], now: now, zone: tokyo).answer()
    #expect(undone.output.contains("Undone: NY on Mon 23 Nov"), "\(undone)")
    #expect(try await reasons(bench, now, zone: tokyo, "NY", on: "2026-11-23") == ["past"])
    let skipped = try await run(bench, now, zone: tokyo, "skip", "NY")
    #expect(skipped["date"]?.text == "2026-11-23")
  }

  @Test("done for a reminder of the evening before is recorded for the reminder's date")
  func eveningBefore() async throws {
    let bench = try await Workbench.withStore()
    let (zone, rule) = (Workbench.zone, "DTSTART:20261125T070000\\nRRULE:FREQ=WEEKLY;BYDAY=WE")
    _ = try await run(
      bench, "2026-11-23T12:00:00+01:00", zone: zone, "habit", "add", "Bins", "--rrule", rule,
      "--before", "12h", "--repeat", "3x30m", "--unless", "done", "--stop-after", "0")
    let now = "2026-11-24T19:05:00+01:00"
    let done = try await bench.start(["done", "Bins"], now: now, zone: zone).answer()
    #expect(done.output.contains("Done: Bins on Wed 25 Nov"), "\(done)")
    let pending = try await run(bench, now, zone: zone, "pending")
    #expect(pending["pending"]?.list.first?["nominal"]?.text == "2026-12-02T07:00")
  }

  @Test("Until its date, a reminder that fired days ahead is what done and the views are about")
  func daysAhead() async throws {
    let bench = try await Workbench.withStore()
    _ = try await bench.addHabit("Plane", "--once", "2026-11-26T14:00", "--before", "3d")
    let bins = try await bench.addHabit("Bins", "--on", "thu", "--at", "14:00", "--before", "3d")
    for day in [24, 25, 26] {
      let now = "2026-11-\(day)T13:00:00+01:00"
      for title in ["Plane", "Bins"] {
        let done = try await bench.json("done", title, now: now)
        #expect(done["date"]?.text == "2026-11-26", "\(title) \(now)")
        let undone = try await bench.json("undo", title, now: now)
        #expect(undone["date"]?.text == "2026-11-26", "\(title) \(now)")
      }
      for verb in [["today"], ["habit", "show", "Plane"]] {
        let answer = try await bench.start(verb, now: now).answer()
        #expect(answer.output.contains("it is once, Thu 26 Nov 14:00"), "\(answer)")
      }
    }
    let pending = try await bench.json("pending")["pending"]?.list ?? []
    let fired = pending.first { $0["habit"]?.text == bins }?["id"]?.text
    let now = "2026-11-23T14:01:00+01:00"
    try await bench.run("receipt", "delivered", try #require(fired), now: now)
    try await bench.run("done", "Bins", now: now)
    let why = try await bench.run("explain", "Bins", now: now).output
    #expect(why.contains("Thu 26 Nov 14:00") && why.contains("delivered"), "\(why)")

    let after = "2026-11-28T15:00:00+01:00"
    #expect(try await bench.json("done", "Plane", now: after)["date"]?.text == "2026-11-28")
    let today = try await bench.run("today", now: after)
    #expect(today.output.contains("it was once, Thu 26 Nov 14:00"), "\(today)")
  }

  @Test(
    "The date is today if nothing fired, it is done, it fired long ago, or amounts are counted")
  func today() async throws {
    let bench = try await Workbench.withStore()
    let zone = Workbench.zone
    func add(_ title: String, _ flags: String...) async throws {
      _ = try await bench.start(
        ["habit", "add", title] + flags, now: "2026-11-22T12:00:00+01:00", zone: zone
      ).answer()
    }
    func date(_ title: String, _ now: String) async throws -> String? {
      try await run(bench, now, zone: zone, "done", title)["date"]?.text
    }
    try await add("Walk", "--at", "17:00")
    try await add("Read", "--at", "none")
    try await add("Water", "--at", "17:00", "--target", "2")
    try await add("New", "--at", "17:00")
    try await add("Near", "--at", "17:00")
    try await add("Mondays", "--at", "17:00", "--on", "mon")
    let morning = "2026-11-24T04:00:00+01:00"
    #expect(try await date("Walk", morning) == "2026-11-23")
    #expect(try await date("Walk", morning) == "2026-11-24")
    #expect(try await date("Walk", morning) == "2026-11-24")
    #expect(try await date("Read", morning) == "2026-11-24")
    // The next reminder is nearer than the last one, if there is one today.
    #expect(try await date("Near", "2026-11-24T05:01:00+01:00") == "2026-11-24")
    #expect(try await date("Mondays", "2026-11-24T16:59:00+01:00") == "2026-11-23")
    #expect(try await date("Water", morning) == "2026-11-24")
    // Its time was before the reminder existed.
    try await bench.run("habit", "add", "Later", "--at", "03:00", now: morning)
    #expect(try await date("Later", morning) == "2026-11-24")
    #expect(try await date("New", "2026-11-24T04:59:00+01:00") == "2026-11-23")
    #expect(try await date("New", "2026-11-24T17:01:00+01:00") == "2026-11-24")
    // Undo removes what was last recorded today, but not what was recorded yesterday.
    let undo = try await run(bench, "2026-11-24T17:02:00+01:00", zone: zone, "undo", "New")
    #expect(undo["date"]?.text == "2026-11-24")
    let next = try await run(bench, "2026-11-24T17:03:00+01:00", zone: zone, "undo", "New")
    #expect(next["date"]?.text == "2026-11-23")
    let tomorrow = try await run(bench, "2026-11-25T10:00:00+01:00", zone: zone, "undo", "Walk")
    #expect(tomorrow["date"]?.text == "2026-11-25")
  }
}
