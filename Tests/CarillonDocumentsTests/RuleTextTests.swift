import Carillon
import CarillonDocuments
import CarillonModel
import Foundation
import Testing

/// Descriptions of rules for people.
struct RuleTextTests {
  private static let text = RuleText(
    time: LocalTime(
      zone: .gmt, now: Instant(rfc3339: "2026-11-20T12:00:00Z") ?? Instant(milliseconds: 0)))

  @Test(
    "A recurrence is described by a short sentence, or else by its own text",
    arguments: [
      ("20261123T0730", "FREQ=DAILY", "daily from 2026-11-23 07:30"),
      ("20261123", "FREQ=DAILY;INTERVAL=3", "every 3 days from 2026-11-23 at 08:00"),
      ("20261123", "FREQ=WEEKLY;COUNT=1", "weekly on Mon from 2026-11-23, 1 time at 08:00"),
      (
        "20261123T0730", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO;UNTIL=20270101",
        "every 2 weeks on Mon, Fri from 2026-11-23 07:30, until 2027-01-01"
      ),
      (
        "20261123", "FREQ=WEEKLY;BYDAY=MO,TU,WE,SA",
        "weekly on Mon-Wed, Sat from 2026-11-23 at 08:00"
      ),
      ("20261123", "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO", nil),
      ("20261123", "FREQ=MONTHLY", "monthly on day 23 from 2026-11-23 at 08:00"),
      (
        "20261123", "FREQ=MONTHLY;BYMONTHDAY=1,15,-1",
        "monthly on day 1, 15 and the last day from 2026-11-23 at 08:00"
      ),
      (
        "20261123", "FREQ=MONTHLY;BYDAY=3TH,TU,-2FR",
        "monthly on the 2nd to last Fri and every Tue and the 3rd Thu from 2026-11-23 at 08:00"
      ),
      ("20261123", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", nil),
      ("20261123", "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", nil),
      ("20261123", "FREQ=MONTHLY;BYMONTH=5", nil), ("20261123", "FREQ=DAILY;BYDAY=MO", nil),
      ("20261224T1800", "FREQ=YEARLY", "yearly on day 24 of Dec from 2026-12-24 18:00"),
      (
        "20261123", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
        "yearly on the 4th Thu of Nov from 2026-11-23 at 08:00"
      ),
      ("20261123", "FREQ=YEARLY;BYDAY=20MO", nil),
      (
        "20261123",
        "FREQ=YEARLY;BYWEEKNO=1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,"
          + "49,51,53;BYDAY=TU",
        "yearly on Tue of the odd weeks from 2026-11-23 at 08:00"
      ),
      (
        "20261123", "FREQ=YEARLY;INTERVAL=2;BYWEEKNO=20,-1",
        "every 2 years on Mon of week 20 and the last week from 2026-11-23 at 08:00"
      ),
      (
        "20261123", "FREQ=YEARLY;BYYEARDAY=100,-1",
        "yearly on day 100 and the last day of the year from 2026-11-23 at 08:00"
      ),
      ("20261123", "FREQ=YEARLY;BYYEARDAY=100;BYDAY=MO", nil),
      (
        "20261123", "FREQ=YEARLY;BYMONTHDAY=15",
        "yearly on day 15 of every month from 2026-11-23 at 08:00"
      ),
      ("20261123T0730", "FREQ=HOURLY", "hourly from 2026-11-23 07:30"),
      (
        "20261123T0730", "FREQ=HOURLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9,11;BYMINUTE=0,30",
        "every 2 hours on Mon-Fri in hour 9, 11 at minute 0, 30 from 2026-11-23 07:30"
      ),
      (
        "20261123T0730", "FREQ=MINUTELY;INTERVAL=45;BYMONTH=6,7;BYMONTHDAY=1;COUNT=9",
        "every 45 minutes on day 1 of the month in Jun, Jul from 2026-11-23 07:30, 9 times"
      ),
      ("20261123T0730", "FREQ=HOURLY;BYMINUTE=0,30;BYSETPOS=1", nil),
      (
        "20261123T0730", "FREQ=DAILY;BYHOUR=7,12;BYMINUTE=0",
        "daily from 2026-11-23 07:00 12:00"
      ),
    ])
  func recurrences(start: String, rule: String, words: String?) throws {
    let parameter = start.count == 8 ? ";VALUE=DATE" : ""
    let seconds = start.count == 8 ? "" : "00"
    let recurrence = try Recurrence(
      parsing: "DTSTART\(parameter):\(start)\(seconds)\nRRULE:\(rule)")
    let times: [TimeOfDay] = recurrence.isDateOnly ? ["08:00"] : []
    let text = Self.text.text(.recurrence(recurrence), at: times)
    if let words {
      #expect(text == words)
    } else {
      #expect(text.hasPrefix("DTSTART") && text.contains("RRULE:FREQ="))
    }
  }

  @Test(
    "A description has the added dates, exceptions and zone of a recurrence",
    arguments: [
      (
        "DTSTART:20261224T180000\nRDATE:20261231T180000",
        "once on 2026-12-24 18:00, 2026-12-31 18:00"
      ),
      (
        "DTSTART;TZID=Asia/Tokyo:20261123T090000\nRRULE:FREQ=DAILY\n"
          + "EXDATE;TZID=Asia/Tokyo:20261124T090000",
        "daily from 2026-11-23 09:00, without 2026-11-24 09:00 Asia/Tokyo"
      ),
      (
        "DTSTART;VALUE=DATE:20261123\nRRULE:FREQ=DAILY\n"
          + "EXDATE;VALUE=DATE:20261124,20261125,20261126,20261127",
        "daily from 2026-11-23, without 4 dates, without times (so no reminder)"
      ),
      (
        "DTSTART:20261123T090000\nRRULE:FREQ=DAILY;COUNT=5\nRRULE:FREQ=WEEKLY;BYHOUR=20\n"
          + "EXRULE:FREQ=MONTHLY\nEXDATE:20261124T090000",
        "daily 09:00, 5 times, and weekly on Mon 20:00, from 2026-11-23, "
          + "without monthly on day 23 09:00, 2026-11-24 09:00"
      ),
      (
        "DTSTART:20261123T090000\nRRULE:FREQ=DAILY\nRDATE:20261124T100000",
        "DTSTART:20261123T090000 RRULE:FREQ=DAILY RDATE:20261124T100000"
      ),
    ])
  func dates(lines: String, words: String) throws {
    #expect(Self.text.text(.recurrence(try Recurrence(parsing: lines)), at: []) == words)
  }

  @Test("A zone in both rule and schedule is named once, and an end in UTC as such")
  func zones() throws {
    let recurrence = try Recurrence(
      parsing: "DTSTART;TZID=America/New_York:20261123T090000\n"
        + "RRULE:FREQ=WEEKLY;UNTIL=20261231T140000Z")
    let schedule = Schedule(
      rule: .recurrence(recurrence), times: [], zone: .fixed("America/New_York"))
    #expect(
      schedule.summary(Self.text.time)
        == "weekly on Mon from 2026-11-23 09:00, until 2026-12-31 14:00 UTC America/New_York")
  }

  @Test("Offsets, places and rules without times are described in words")
  func others() throws {
    let from = try #require(Instant(rfc3339: "2026-11-20T08:00:00Z"))
    let window = try #require(DayWindow("08:00-20:00"))
    var end = Schedule.Relative(to: .weekly(Set(Weekday.allCases)), offsetSeconds: 600)
    (end.edge, end.durationMinutes, end.repeatCount, end.repeatSeconds) = (.end, 45, 2, 300)
    let said: [(Schedule.Rule, String)] = [
      (
        .interval(Schedule.Interval(seconds: 7_200, from: from, window: window)),
        "every 2 h 08:00-20:00, from Fri 20 Nov 08:00"
      ),
      (.interval(Schedule.Interval(seconds: 90, from: from)), "every 90 s, from Fri 20 Nov 08:00"),
      (
        .place(
          Schedule.Region(
            latitude: 52_520_000, longitude: -13_405_001, radius: 200, crossing: .exit)),
        "on leaving 200 m around 52.52, -13.405001"
      ),
      (.weekly([.monday]), "Mon, without times (so no reminder)"),
      (.weekly([.monday, .tuesday]), "Mon, Tue, without times (so no reminder)"),
      (
        .weekly([.monday, .tuesday, .wednesday, .thursday, .friday]),
        "Mon-Fri, without times (so no reminder)"
      ),
      (
        .weekly([.monday, .friday, .saturday, .sunday]),
        "Mon, Fri-Sun, without times (so no reminder)"
      ),
      (
        .everyDays(1, from: "2026-11-20"),
        "daily from 2026-11-20, without times (so no reminder)"
      ),
      (
        .relative(end),
        "10 min after the end (45 min) of daily, without times (so no reminder), then 2 more "
          + "5 min apart"
      ),
    ]
    for (rule, words) in said { #expect(Self.text.text(rule, at: []) == words) }
  }

  @Test("Commas separate the parts of a schedule, and or the conditions")
  func parts() {
    let days = Set(Weekday.allCases)
    var again = Schedule.Relative(to: .weekly(days), offsetSeconds: 0)
    (again.repeatCount, again.repeatSeconds) = (3, 600)
    let said: [(Schedule, String)] = [
      (
        Schedule(rule: .weekly(days), times: [], unless: .done),
        "daily, without times (so no reminder); unless done"
      ),
      (
        Schedule(rule: .relative(again), times: ["07:00"], unless: .done),
        "daily 07:00, then 3 more 10 min apart, unless done"
      ),
      (
        Schedule(rule: .weekly(days), times: ["22:30"], unless: .done, quietPolicy: .silent),
        "daily 22:30, unless done, silent in quiet hours"
      ),
      (
        Schedule(rule: .weekly(days), times: ["18:00"], unless: [.done, .quota]),
        "daily 18:00, unless done or the goal is met"
      ),
    ]
    for (schedule, words) in said { #expect(schedule.summary(Self.text.time) == words) }
  }

  @Test(
    "A repeating trigger is described without its encoding",
    arguments: [
      ("every 7200", "every 2 h"), ("every 3600 UTC", "every 1 h"), ("every 86400", "every 1 day"),
      ("daily 07:30", "daily 07:30"), ("weekly 1 07:30", "weekly Mon 07:30"),
      ("monthly 15 07:30 Asia/Tokyo", "monthly, day 15 07:30 Asia/Tokyo"),
      ("yearly 03-15 07:30", "yearly, 15 Mar 07:30"),
      ("place 52520000,13405000,200 entry", "on entering 200 m around 52.52, 13.405"),
    ])
  func triggers(text: String, words: String) throws {
    #expect(try #require(RequestTrigger(text)).text == words)
  }
}
