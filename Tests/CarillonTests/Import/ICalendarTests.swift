import CarillonModel
import CarillonWire
import Foundation
import Testing

@testable import Carillon
@testable import CarillonImport

/// The conversion of a calendar's events into habits.
struct ICalendarTests {
  private static let alarm = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT10M\nEND:VALARM"

  @Test("Google's calendar: a series with exceptions, moved instances, single and all-day events")
  func google() throws {
    let calendar = try ICalendar(Array(CalendarSamples.google.utf8), named: "g.ics")
    #expect(
      calendar.habits.map(\.title) == [
        "Yoga with Ana, Ben and everybody else who signed up for the summer", "Dentist", "Birthday",
      ])
    let yoga = calendar.habits[0]
    #expect(yoga.notes == "Bring, please; the mat\nand water\n\nStudio 4")
    let rule = try Recurrence(
      parsing: """
        DTSTART;TZID=Europe/Berlin:20260706T180000
        RRULE:FREQ=WEEKLY;UNTIL=20261228T170000Z;BYDAY=MO,TH
        EXDATE;TZID=Europe/Berlin:20260709T180000,20260713T180000,20260716T180000,20260720T180000
        """)
    #expect(yoga.schedules.count == 2)
    #expect(
      yoga.schedules[0].rule
        == .relative(Schedule.Relative(to: .recurrence(rule), offsetSeconds: -1_800)))
    #expect(yoga.schedules[0].times.isEmpty && yoga.schedules[0].zone == .fixed("Europe/Berlin"))
    #expect(
      yoga.schedules[1].rule
        == .relative(Schedule.Relative(to: .once("2026-07-17"), offsetSeconds: -1_800)))
    #expect(yoga.schedules[1].times == ["19:30"])
    #expect(yoga.schedules[1].content.title == "Yoga in the park")
    // In the calendar's own zone, not UTC.
    let dentist = calendar.habits[1].schedules
    #expect(dentist.map(\.times) == [["09:30"]])
    #expect(dentist[0].zone == .fixed("Europe/Berlin"))
    let birthday = calendar.habits[2].schedules
    #expect(birthday.map(\.times) == [["00:00"]])
    #expect(birthday[0].zone == .floating)
    guard case .relative(let before) = birthday[0].rule else { throw Unexpected(birthday) }
    #expect(before.offsetSeconds == -54_000)
    #expect(
      calendar.ignored.mapValues(\.count) == [.alarms: 1, .properties: 1])
    #expect(calendar.ignored[.alarms]?.first.hasSuffix("ACTION EMAIL") == true)
  }

  @Test("Apple's calendar: alarms relative to start and end, at a place, and completed to-dos")
  func apple() throws {
    var calendar = try ICalendar(Array(CalendarSamples.apple.utf8), named: "a.ics")
    #expect(calendar.habits.map(\.title) == ["Stand-up", "Breakfast", "Buy milk", "Pay rent"])
    let rule = Schedule.Rule.recurrence(
      try Recurrence(
        parsing: "DTSTART;TZID=America/New_York:20260105T093000\nRRULE:FREQ=DAILY;INTERVAL=2"))
    let standUp = calendar.habits[0]
    #expect(standUp.notes == "https://example.org/call")
    #expect(
      standUp.schedules.map(\.rule) == [
        rule,
        .relative(
          Schedule.Relative(
            to: rule, edge: .end, offsetSeconds: -300, durationMinutes: 30, repeatCount: 2,
            repeatSeconds: 120)),
      ])
    #expect(standUp.schedules[1].content.sound == "Chord")
    #expect(standUp.schedules.allSatisfy { $0.unless.isEmpty })
    let breakfast = calendar.habits[1].schedules
    #expect(breakfast.map(\.rule) == [.once("2026-01-10")])
    #expect(breakfast[0].times.isEmpty && breakfast[0].zone == .floating)
    let milk = calendar.habits[2].schedules
    #expect(
      milk.map(\.rule) == [
        .place(Schedule.Region(latitude: 52_520_000, longitude: 13_405_000, radius: 150))
      ])
    #expect(milk[0].unless == .done && milk[0].stopAfterDays == 0)
    // It was done after midnight in Berlin, the day before it was due.
    #expect(calendar.habits[3].schedules.map(\.rule) == [.once("2026-01-14")])
    #expect(calendar.habits[3].schedules[0].times.isEmpty)
    let batch = try #require(try calendar.next(100))
    #expect(batch.days.map(\.date) == ["2026-01-14"])
    #expect(batch.days.map(\.habit) == [calendar.habits[3].id])
    #expect(calendar.ignored.mapValues(\.count) == [.withoutAlarm: 1, .properties: 1])
  }

  @Test(
    "The time of an alarm follows from its event",
    arguments: [
      ("TRIGGER:PT0S", "DTSTART:20260105T073000", Schedule.Rule.once("2026-01-05"), "07:30"),
      ("TRIGGER:PT0S", "DTSTART;VALUE=DATE:20260105", .once("2026-01-05"), "00:00"),
      ("TRIGGER:PT9H", "DTSTART;VALUE=DATE:20260105", .once("2026-01-05"), "09:00"),
      (
        "TRIGGER:-P1D", "DTSTART;VALUE=DATE:20260105",
        .relative(Schedule.Relative(to: .once("2026-01-05"), offsetSeconds: -86_400)), "00:00"
      ),
      (
        "TRIGGER:PT5M", "DTSTART:20260105T073000",
        .relative(Schedule.Relative(to: .once("2026-01-05"), offsetSeconds: 300)), "07:30"
      ),
      (
        "TRIGGER;VALUE=DATE-TIME:20260104T170000Z", "DTSTART;TZID=Europe/Berlin:20260105T073000",
        .once("2026-01-04"), "18:00"
      ),
      (
        "TRIGGER;RELATED=END:PT0S", "DTSTART:20260105T073000\nDURATION:PT1H",
        .relative(
          Schedule.Relative(
            to: .once("2026-01-05"), edge: .end, offsetSeconds: 0, durationMinutes: 60)),
        "07:30"
      ),
    ])
  func triggers(trigger: String, start: String, rule: Schedule.Rule, time: TimeOfDay) throws {
    let habit = try CalendarSamples.habit(
      start, "BEGIN:VALARM\nACTION:DISPLAY\n\(trigger)\nEND:VALARM")
    #expect(habit?.schedules.map(\.rule) == [rule])
    #expect(habit?.schedules.map(\.times) == [[time]])
  }

  @Test("A series keeps its dates if its alarm is at a fixed instant; a to-do repeats the alarm")
  func absoluteAlarmOfSeries() throws {
    let alarm = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:20260105T063000Z\nEND:VALARM"
    let rule = "RRULE:FREQ=WEEKLY"
    func schedules(_ kind: String, _ date: String) throws -> [Schedule] {
      let text = CalendarSamples.text(
        ["BEGIN:\(kind)", "UID:1", "SUMMARY:Bins", date, rule, alarm, "END:\(kind)"],
        zone: "Europe/Berlin")
      return try ICalendar(Array(text.utf8), named: "a.ics").habits.first?.schedules ?? []
    }
    let due = "DUE;TZID=Europe/Berlin:20260105T080000"
    let toDo = try schedules("VTODO", due)
    let series = try #require(
      Recurrence("DTSTART;TZID=Europe/Berlin:20260105T080000\nRRULE:FREQ=WEEKLY"))
    #expect(
      toDo.map(\.rule) == [
        .relative(Schedule.Relative(to: .recurrence(series), offsetSeconds: -1_800))
      ])
    let whole = try schedules("VTODO", "DUE;VALUE=DATE:20260105")
    let dates = try #require(Recurrence("DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=WEEKLY"))
    #expect(whole.map(\.rule) == [.recurrence(dates)] && whole.map(\.times) == [["07:30"]])
    let event = try schedules("VEVENT", "DTSTART;TZID=Europe/Berlin:20260105T080000")
    #expect(event.map(\.rule) == [.once("2026-01-05"), .recurrence(dates)])
    #expect(event.map(\.times) == [["07:30"], []])
  }

  @Test(
    "An UNTIL in another form than its start is converted to that form",
    arguments: [
      (
        "DTSTART;VALUE=DATE:20260105", "20260130T225959Z",
        "DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=DAILY;UNTIL=20260130"
      ),
      (
        "DTSTART:20260105T073000", "20260130T063000Z",
        "DTSTART:20260105T073000\nRRULE:FREQ=DAILY;UNTIL=20260130T073000"
      ),
      (
        "DTSTART;TZID=Europe/Berlin:20260105T073000", "20260130T063000Z",
        "DTSTART;TZID=Europe/Berlin:20260105T073000\nRRULE:FREQ=DAILY;UNTIL=20260130T063000Z"
      ),
    ])
  func untils(start: String, until: String, reads: String) throws {
    let habit = try CalendarSamples.habit(
      start, "RRULE:FREQ=DAILY;UNTIL=\(until);BYSECOND=0",
      "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:PT0S\nEND:VALARM", zone: "Europe/Berlin")
    let recurrence = try Recurrence(parsing: reads)
    #expect(habit?.schedules.map(\.rule) == [.recurrence(recurrence)])
  }

  @Test("A series without an alarm is due on its dates, and has no reminder")
  func silent() throws {
    let habit = try CalendarSamples.habit(
      "DTSTART;TZID=Europe/Berlin:20260105T073000",
      "RRULE:FREQ=DAILY;UNTIL=20260130T050000Z;BYHOUR=7,19", "EXDATE:20260107T063000Z",
      "RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260301T080000/PT1H")
    let dates = try Recurrence(
      parsing: """
        DTSTART;VALUE=DATE:20260105
        RRULE:FREQ=DAILY;UNTIL=20260129
        RDATE;VALUE=DATE:20260301
        EXDATE;VALUE=DATE:20260107
        """)
    #expect(habit?.schedules.map(\.rule) == [.recurrence(dates)])
    #expect(habit?.schedules.first?.times == [])
  }

  @Test(
    "Rules of weeks and hours, several rules, and excluded rules are imported",
    arguments: [
      "RRULE:FREQ=YEARLY;BYWEEKNO=3;BYDAY=TU", "RRULE:FREQ=HOURLY;BYHOUR=9,12;UNTIL=20260201",
      "RRULE:FREQ=DAILY;COUNT=3\nRRULE:FREQ=WEEKLY\nEXRULE:FREQ=MONTHLY;BYMONTHDAY=12",
    ])
  func wideRules(lines: String) throws {
    let calendar = try CalendarSamples.calendar(
      "BEGIN:VEVENT\nDTSTART:20260105T073000", lines, Self.alarm, "END:VEVENT")
    #expect(calendar.ignored.isEmpty)
    let schedule = try #require(calendar.habits.first?.schedules.first)
    let rule = try Recurrence(parsing: "DTSTART:20260105T073000\n\(lines)")
    #expect(
      schedule.rule
        == .relative(Schedule.Relative(to: .recurrence(rule), offset: .seconds(-600))))
  }

  @Test("An event of hours without an alarm has no dates to be due on")
  func silentHours() throws {
    let calendar = try CalendarSamples.calendar(
      "BEGIN:VEVENT\nDTSTART:20260105T073000\nRRULE:FREQ=HOURLY", "END:VEVENT")
    #expect(calendar.ignored.mapValues(\.count) == [.recurrences: 1])
  }

  @Test(
    "An event that cannot be imported is counted by reason",
    arguments: [
      ("RRULE:FREQ=DAILY;BYWEEKNO=3", ImportReport.Reason.recurrences, "line 6: BYWEEKNO"),
      ("RRULE:FREQ=SECONDLY", .recurrences, "line 6: FREQ: SECONDLY"),
      ("RRULE:FREQ=DAILY\nEXRULE:FREQ=FOURTHLY", .recurrences, "line 6: FREQ: FOURTHLY"),
      (
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20260105T073000", .recurrences,
        "line 6: RECURRENCE-ID: RANGE=THISANDFUTURE"
      ),
      ("EXDATE;TZID=Nowhere:20260105T073000", .zones, "line 6: TZID Nowhere"),
      ("STATUS:CANCELLED", .cancelled, "line 4"),
    ])
  func losses(line: String, reason: ImportReport.Reason, says: String) throws {
    let calendar = try CalendarSamples.calendar(
      "BEGIN:VEVENT\nDTSTART:20260105T073000", line, Self.alarm, "END:VEVENT")
    #expect(!calendar.habits.map(\.isArchived).contains(false))
    #expect(calendar.ignored.mapValues(\.count) == [reason: 1])
    #expect(calendar.ignored[reason]?.first.hasPrefix(says) == true, "\(calendar.ignored)")
  }

  @Test(
    "An alarm that cannot be imported is counted, and its event is imported",
    arguments: [
      "ACTION:PROCEDURE\nTRIGGER:PT0S", "ACTION:DISPLAY", "ACTION:DISPLAY\nTRIGGER:P400D",
      "ACTION:DISPLAY\nTRIGGER:PT0S\nREPEAT:200\nDURATION:PT5M",
      "ACTION:DISPLAY\nX-APPLE-PROXIMITY:CONNECT",
      "ACTION:DISPLAY\nX-APPLE-PROXIMITY:ARRIVE\nX-APPLE-STRUCTURED-LOCATION:geo:91,0",
      "ACTION:DISPLAY\nTRIGGER;VALUE=DATE-TIME:19650101T000000Z",
    ])
  func lostAlarms(alarm: String) throws {
    let calendar = try CalendarSamples.calendar(
      "BEGIN:VEVENT\nDTSTART:20260105T073000", "BEGIN:VALARM\n\(alarm)\nEND:VALARM", "END:VEVENT")
    #expect(calendar.habits.flatMap(\.schedules).map(\.rule) == [.once("2026-01-05")])
    #expect(calendar.ignored.mapValues(\.count) == [.alarms: 1, .withoutAlarm: 1])
  }

  @Test(
    "A zone is a name of the IANA database, or the location in its VTIMEZONE",
    arguments: [
      ("Europe/Berlin", "Europe/Berlin"), ("UTC", "UTC"), ("W. Europe Standard Time", nil),
      (
        "/freeassociation.sourceforge.net/America/Argentina/Buenos_Aires",
        "America/Argentina/Buenos_Aires"
      ),
      ("Custom", "Asia/Tokyo"), ("../../etc/passwd", nil),
    ] as [(String, String?)])
  func zones(id: String, zone: String?) throws {
    let calendar = try CalendarSamples.calendar(
      "BEGIN:VEVENT\nDTSTART;TZID=\(id):20260105T073000", Self.alarm, "END:VEVENT",
      "BEGIN:VTIMEZONE\nTZID:Custom\nX-LIC-LOCATION:Asia/Tokyo\nEND:VTIMEZONE")
    #expect(calendar.habits.flatMap(\.schedules).map(\.zone) == (zone.map { [.fixed($0)] } ?? []))
    #expect(calendar.ignored.mapValues(\.count) == (zone == nil ? [.zones: 1] : [:]))
  }

  @Test("Dates outside 1970 to 2200 are counted; text that is not a date is refused with its line")
  func dates() throws {
    for date in ["19691231", "22010101"] {
      let calendar = try CalendarSamples.calendar(
        "BEGIN:VEVENT\nDTSTART;VALUE=DATE:\(date)", Self.alarm, "END:VEVENT")
      #expect(calendar.habits.isEmpty && calendar.ignored[.dates]?.count == 1)
    }
    for line in ["DTSTART:20260230", "DTSTART:2026-01-05", "DTSTART:20260105T2500", "DTSTART:"] {
      #expect("\(line)") {
        _ = try CalendarSamples.calendar("BEGIN:VEVENT", line, "END:VEVENT")
      } throws: {
        ($0 as? StoreError)?.message.hasPrefix("a.ics line 5 DTSTART: ") == true
      }
    }
    #expect(throws: StoreError.self) { try CalendarSamples.habit("SUMMARY:No date") }
  }

  @Test("Added and excluded dates of a series count only within the accepted range")
  func distantAdditions() throws {
    let habit = try CalendarSamples.habit(
      "DTSTART;TZID=Europe/Berlin:20260105T073000", "RRULE:FREQ=DAILY;UNTIL=20260130T063000Z",
      "RDATE:40520224T090000Z,17010101T090000Z,20260301T070000Z", "EXDATE:40520224T090000Z",
      Self.alarm)
    let schedule = try #require(habit?.schedules.first)
    let payload = Payload.scheduleSet(
      ScheduleSet(habit: HabitID(high: 1, low: 2), schedule: schedule))
    #expect(try PayloadCoding.decode(PayloadCoding.encode(payload)) == payload)
    guard case .relative(let relative) = schedule.rule, case .recurrence(let dates) = relative.base
    else { throw CancellationError() }
    #expect(dates.additions.map(\.date) == ["2026-03-01"] && dates.exceptions.isEmpty)
  }

  @Test("More than 16 alarms of one event and its instances are counted")
  func tooManyAlarms() throws {
    let alarms = (1...20).map { "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT\($0)M\nEND:VALARM" }
    let calendar = try CalendarSamples.calendar(
      "BEGIN:VEVENT\nDTSTART:20260105T073000\n" + alarms.joined(separator: "\n"), "END:VEVENT")
    #expect(calendar.habits.first?.schedules.count == 16)
    #expect(calendar.ignored.mapValues(\.count) == [.tooManyAlarms: 4])
  }

  @Test("An instance identical to its series is not an exception")
  func sameInstance() throws {
    let event = "BEGIN:VEVENT\nUID:1\nSUMMARY:A\nDTSTART:20260105T073000"
    let calendar = try CalendarSamples.calendar(
      event, "RRULE:FREQ=DAILY", Self.alarm, "END:VEVENT",
      "BEGIN:VEVENT\nUID:1\nSUMMARY:A\nDTSTART:20260107T073000",
      "RECURRENCE-ID:20260107T073000\nATTENDEE:mailto:a@example.org", Self.alarm, "END:VEVENT")
    let schedules = try #require(calendar.habits.first).schedules
    #expect(schedules.count == 1)
    guard case .relative(let relative) = schedules[0].rule,
      case .recurrence(let rule) = relative.base
    else { throw Unexpected(schedules) }
    #expect(rule.exceptions.isEmpty)
  }

  @Test("If a file has two versions of an event, the later one is kept")
  func repeated() throws {
    func event(_ sequence: Int, _ title: String) -> String {
      "BEGIN:VEVENT\nUID:1\nSEQUENCE:\(sequence)\nSUMMARY:\(title)\nDTSTART:20260105T073000\n"
        + Self.alarm + "\nEND:VEVENT"
    }
    let calendar = try CalendarSamples.calendar(event(2, "New"), event(1, "Old"))
    #expect(calendar.habits.map(\.title) == ["New"])
    #expect(calendar.ignored.mapValues(\.count) == [.repeats: 1])
  }
}

/// A value of an unexpected kind.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ value: some Any) { description = "\(value)" }
}
