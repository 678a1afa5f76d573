import Carillon
import CarillonDocuments
import Foundation
import Testing

@testable import CarillonCLI

/// Dates, times and durations as people write them.
struct SpokenTimeTests {
  /// A Monday.
  private static let today: CivilDate = "2026-11-23"

  @Test(
    "A date is today's neighbour, a weekday, or a calendar date in any unambiguous notation",
    arguments: [
      ("today", "2026-11-23", "2026-11-23"), ("Yesterday", "2026-11-22", "2026-11-22"),
      ("tomorrow", "2026-11-24", "2026-11-24"), ("mon", "2026-11-23", "2026-11-23"),
      ("Monday", "2026-11-23", "2026-11-23"), ("tue", "2026-11-17", "2026-11-24"),
      ("sunday", "2026-11-22", "2026-11-29"), ("2026-11-20", "2026-11-20", "2026-11-20"),
      ("2026/1/5", "2026-01-05", "2026-01-05"), ("20.11.2026", "2026-11-20", "2026-11-20"),
      ("1.2.2026", "2026-02-01", "2026-02-01"), ("20/11", "2026-11-20", "2027-11-20"),
      ("24.12.", "2025-12-24", "2026-12-24"), ("11/20/2026", "2026-11-20", "2026-11-20"),
      ("20/11/2026", "2026-11-20", "2026-11-20"), ("5/5", "2026-05-05", "2027-05-05"),
      ("20 Nov", "2026-11-20", "2027-11-20"), ("nov 24", "2025-11-24", "2026-11-24"),
      ("Dec 24, 2026", "2026-12-24", "2026-12-24"), ("29 feb", "2024-02-29", "2028-02-29"),
      ("2 days ago", "2026-11-21", "2026-11-21"), ("a week ago", "2026-11-16", "2026-11-16"),
      ("in 3 days", "2026-11-26", "2026-11-26"), ("in 1 week", "2026-11-30", "2026-11-30"),
      ("last friday", "2026-11-20", "2026-11-20"), ("next Fri", "2026-11-27", "2026-11-27"),
      ("last monday", "2026-11-16", "2026-11-16"), ("next monday", "2026-11-30", "2026-11-30"),
    ])
  func dates(text: String, past: CivilDate, future: CivilDate) throws {
    let date = try DateText(argument: text)
    #expect(date.date(.past, today: Self.today) == past)
    #expect(date.date(.future, today: Self.today) == future)
  }

  @Test(
    "An ambiguous or malformed date is refused, with both readings if it has two",
    arguments: [
      ("11/12/2026", "2026-12-11 or 2026-11-12"), ("3/4", "3 Apr or 4 Mar"),
      ("2026-02-30", "\"2026-02-30\" is not"), ("30.2.2026", "is not"), ("20.11.26", "four digits"),
      ("31 feb", "is not"), ("", "is not"), ("soon", "is not"), ("mo", "is not"),
      ("2201-01-01", "2200-12-31"), ("0/0/2026", "is not"), ("13/13/2026", "is not"),
      ("1-2-3-4", "is not"), ("2 hours ago", "whole number of days"), ("last week", "is not"),
      ("in 9999 days", "out of range"), ("days ago", "is not a number of days"), ("last", "is not"),
      (String(repeating: "9/", count: 100_000), "200000 bytes"),
    ])
  func badDates(text: String, says: String) {
    #expect {
      _ = try DateText(argument: text)
    } throws: {
      ($0 as? ArgumentProblem)?.message.contains(says) == true
    }
  }

  @Test(
    "A time of day is read with or without minutes, on a clock of 24 or of 12 hours",
    arguments: [
      ("7", "07:00"), ("7:00", "07:00"), ("07:00", "07:00"), ("7pm", "19:00"), ("7 PM", "19:00"),
      ("7:30pm", "19:30"), ("12am", "00:00"), ("12pm", "12:00"), ("12:05am", "00:05"),
      ("19.30", "19:30"), ("noon", "12:00"), ("Midnight", "00:00"), ("23:59", "23:59"),
      (" 9:05 ", "09:05"),
    ])
  func times(text: String, time: TimeOfDay) throws {
    #expect(try TimeOfDay(argument: text) == time)
    #expect(try TimeList(argument: "\(text),06:00").times == [time, "06:00"])
  }

  @Test(
    "A time that does not exist is refused",
    arguments: [
      "24:00", "25", "7:5", "7:60", "13pm", "0am", "", ":", "7:", "1930", "-1", "7pmm", "noonish",
      "\u{0667}",
    ])
  func badTimes(text: String) {
    #expect(throws: ArgumentProblem.self) { try TimeOfDay(argument: text) }
  }

  @Test(
    "A duration has one unit or several, the larger first",
    arguments: [
      ("90s", 90), ("15m", 900), ("1h30m", 5_400), ("1h 30min", 5_400), ("2 weeks", 1_209_600),
      ("3d", 259_200), ("2h", 7_200), ("1w2d", 777_600), ("365d", 31_536_000), ("0s", 0),
    ])
  func durations(text: String, seconds: Int) throws {
    #expect(try DurationText(argument: text).seconds == seconds)
  }

  @Test(
    "A malformed duration is refused",
    arguments: ["", "m", "15", "30m1h", "1h1h", "1.5h", "366d", "-1m", "9999999999999999999w"])
  func badDurations(text: String) {
    #expect(throws: ArgumentProblem.self) { try DurationText(argument: text) }
  }

  @Test("Windows, quotas, goals and digests take the same times and periods")
  func compound() throws {
    #expect(try DayWindow(argument: "22-7").description == "22:00-07:00")
    #expect(try DayWindow(argument: "8am-8:30pm").description == "08:00-20:30")
    #expect(try Quota(argument: "3/2w").description == "3/14d")
    #expect(try Quota(argument: "3/week").description == "3/week")
    #expect(try DigestRule(argument: "3/5m").description == "3/300s")
    for text in ["7-7", "22", "22-7-8"] {
      #expect(throws: ArgumentProblem.self) { try DayWindow(argument: text) }
    }
    for text in ["3", "0/5m", "3/59s", "3/25h", "3/5m/1"] {
      #expect(throws: ArgumentProblem.self) { try DigestRule(argument: text) }
    }
  }

  @Test(
    "A moment is a date with a time; alone, a time is today's",
    arguments: [
      ("7:12", "2026-11-23T06:12:00Z"), ("yesterday 7pm", "2026-11-22T18:00:00Z"),
      ("fri at noon", "2026-11-20T11:00:00Z"), ("20 nov 19:00", "2026-11-20T18:00:00Z"),
      ("last fri at 7pm", "2026-11-20T18:00:00Z"), ("2 days ago 7pm", "2026-11-21T18:00:00Z"),
      ("2026-11-20T7:00", "2026-11-20T06:00:00Z"), ("2026-11-20 7:00", "2026-11-20T06:00:00Z"),
    ])
  func moments(text: String, instant: String) throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let moment = try InstantText(argument: text).resolved(in: zone, .past, today: Self.today)
    #expect(moment.instant == Instant(rfc3339: instant))
  }

  @Test(
    "A number of days is a period with or without its number",
    arguments: [
      ("3d", 3), ("3 days", 3), ("day", 1), ("other day", 2), ("every other week", 14),
      ("Every 3 days", 3), ("week", 7), ("2 weeks", 14),
    ])
  func days(text: String, days: Int) throws {
    #expect(try DayInterval(argument: text).days == days)
  }

  @Test(
    "The words of an option's value are one argument, also without quotes",
    arguments: [
      ("done walk --on last friday", ["done", "walk", "--on", "last friday"]),
      ("done --on 2 days ago walk", ["done", "--on", "2 days ago", "walk"]),
      ("done --on nov 20 2026 walk", ["done", "--on", "nov 20 2026", "walk"]),
      ("done --on yesterday walk", ["done", "--on", "yesterday", "walk"]),
      (
        "habit add Run --every 3 days --at 7 pm",
        [
          "habit", "add", "Run", "--every", "3 days", "--at", "7 pm",
        ]
      ),
      ("habit add --every other day Run", ["habit", "add", "--every", "other day", "Run"]),
      ("snooze walk --for 1 h 30 min", ["snooze", "walk", "--for", "1 h 30 min"]),
      ("habit add X --once tomorrow 7pm", ["habit", "add", "X", "--once", "tomorrow 7pm"]),
      ("today --now tuesday 9 --json", ["today", "--now", "tuesday 9", "--json"]),
      ("done walk --on soon or later", ["done", "walk", "--on", "soon", "or", "later"]),
      ("note walk -- --on last friday", ["note", "walk", "--", "--on", "last", "friday"]),
      ("restore a b --until", ["restore", "a", "b", "--until"]),
    ])
  func joined(line: String, arguments: [String]) {
    #expect(SpokenWords.joined(line.split(separator: " ").map(String.init)) == arguments)
  }

  @Test("The end of a period is a moment, or the end of a date")
  func ends() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let now = try #require(Instant(rfc3339: "2026-11-23T12:00:00+01:00"))
    let time = LocalTime(zone: zone, now: now)
    for (text, instant) in [
      ("yesterday", "2026-11-22T23:59:59.999+01:00"), ("fri", "2026-11-20T23:59:59.999+01:00"),
      ("yesterday 9:00", "2026-11-22T09:00:00+01:00"), ("11:00", "2026-11-23T11:00:00+01:00"),
    ] {
      #expect(try EndText(argument: text).resolved(time).instant == Instant(rfc3339: instant))
    }
    let problem = #expect(throws: ArgumentProblem.self) { try EndText(argument: "11:19:12") }
    #expect(problem?.message.contains("seconds, which require a date") == true)
  }

  @Test("A weekday of --now is the next one, today included, as the help says")
  func clock() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let now = try #require(Instant(rfc3339: "2026-11-23T12:00:00+01:00"))
    for (text, instant) in [
      ("tuesday 9", "2026-11-24T09:00:00+01:00"), ("mon 9", "2026-11-23T09:00:00+01:00"),
      ("last tue 9", "2026-11-17T09:00:00+01:00"), ("20 nov 9:00", "2027-11-20T09:00:00+01:00"),
    ] {
      let moment = try InstantText(argument: text).clock(in: zone, now)
      #expect(moment.instant == Instant(rfc3339: instant), "\(text)")
    }
  }

  @Test("Of a repeated hour the first is taken, of a skipped one the later, with a warning")
  func clockChanges() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    func moment(_ text: String) throws -> ResolvedMoment {
      try InstantText(argument: text).resolved(in: zone, .past, today: Self.today)
    }
    let repeated = try moment("2026-10-25T02:15:30")
    #expect(repeated.instant == Instant(rfc3339: "2026-10-25T02:15:30+02:00"))
    #expect(
      repeated.warning(for: "--now")?.hasSuffix("the first of both times is used") == true)
    let skipped = try moment("2026-03-29T02:30")
    #expect(skipped.instant == Instant(rfc3339: "2026-03-29T03:30:00+02:00"))
    #expect(skipped.warning(for: "--now")?.contains("02:30 on 2026-03-29") == true)
    #expect(skipped.warning(for: "--now")?.hasSuffix("03:30 is used") == true)
    #expect(try moment("9999-01-01T00:00").warning(for: "--now") == nil)
  }
}
