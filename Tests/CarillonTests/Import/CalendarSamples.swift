import CarillonModel

@testable import Carillon
@testable import CarillonImport

/// Calendars in the form that Apple and Google export, written for the tests.
enum CalendarSamples {
  /// Returns a calendar of the given lines, which end with CRLF.
  static func calendar(_ lines: String..., zone: String? = nil) throws -> ICalendar {
    try ICalendar(Array(text(lines, zone: zone).utf8), named: "a.ics")
  }

  /// Returns the habit of the only event of a calendar.
  static func habit(_ lines: String..., zone: String? = nil) throws -> Habit? {
    let calendar = try ICalendar(
      Array(text(["BEGIN:VEVENT", "UID:1"] + lines + ["END:VEVENT"], zone: zone).utf8),
      named: "a.ics")
    return calendar.habits.first
  }

  static func text(_ lines: [String], zone: String? = nil) -> String {
    let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Carillon//Tests//EN"]
    let all = head + (zone.map { ["X-WR-TIMEZONE:\($0)"] } ?? []) + lines + ["END:VCALENDAR"]
    return all.map { $0.split(separator: "\n").joined(separator: "\r\n") + "\r\n" }.joined()
  }

  /// A Google calendar: a series with exceptions in UTC, one moved and one cancelled instance, a
  /// single event in UTC, and an all-day event.
  static let google = text(
    [
      "CALSCALE:GREGORIAN", "METHOD:PUBLISH", "X-WR-CALNAME:Home",
      """
      BEGIN:VTIMEZONE
      TZID:Europe/Berlin
      X-LIC-LOCATION:Europe/Berlin
      BEGIN:DAYLIGHT
      TZOFFSETFROM:+0100
      TZOFFSETTO:+0200
      TZNAME:CEST
      DTSTART:19700329T020000
      RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
      END:DAYLIGHT
      BEGIN:STANDARD
      TZOFFSETFROM:+0200
      TZOFFSETTO:+0100
      TZNAME:CET
      DTSTART:19701025T030000
      RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
      END:STANDARD
      END:VTIMEZONE
      BEGIN:VEVENT
      DTSTART;TZID=Europe/Berlin:20260706T180000
      DTEND;TZID=Europe/Berlin:20260706T190000
      RRULE:FREQ=WEEKLY;WKST=MO;UNTIL=20261228T170000Z;BYDAY=MO,TH
      EXDATE;TZID=Europe/Berlin:20260709T180000
      EXDATE:20260713T160000Z
      DTSTAMP:20260701T080000Z
      UID:abc123@google.com
      CREATED:20260601T100000Z
      DESCRIPTION:Bring\\, please\\; the mat\\nand water
      LAST-MODIFIED:20260615T100000Z
      LOCATION:Studio 4
      SEQUENCE:1
      STATUS:CONFIRMED
      SUMMARY:Yoga with Ana\\, Ben and everybody else who signed up for the summ
       er
      TRANSP:OPAQUE
      BEGIN:VALARM
      ACTION:DISPLAY
      DESCRIPTION:This is an event reminder
      TRIGGER:-P0DT0H30M0S
      END:VALARM
      BEGIN:VALARM
      ACTION:EMAIL
      DESCRIPTION:This is an event reminder
      SUMMARY:Alarm notification
      ATTENDEE:mailto:someone@example.org
      TRIGGER:-P1D
      END:VALARM
      END:VEVENT
      BEGIN:VEVENT
      DTSTART;TZID=Europe/Berlin:20260717T193000
      DTEND;TZID=Europe/Berlin:20260717T203000
      UID:abc123@google.com
      RECURRENCE-ID;TZID=Europe/Berlin:20260716T180000
      LAST-MODIFIED:20260616T100000Z
      SEQUENCE:2
      STATUS:CONFIRMED
      SUMMARY:Yoga in the park
      BEGIN:VALARM
      ACTION:DISPLAY
      DESCRIPTION:This is an event reminder
      TRIGGER:-P0DT0H30M0S
      END:VALARM
      END:VEVENT
      BEGIN:VEVENT
      DTSTART;TZID=Europe/Berlin:20260720T180000
      DTEND;TZID=Europe/Berlin:20260720T190000
      UID:abc123@google.com
      RECURRENCE-ID;TZID=Europe/Berlin:20260720T180000
      SEQUENCE:2
      STATUS:CANCELLED
      SUMMARY:Yoga
      END:VEVENT
      BEGIN:VEVENT
      DTSTART:20260708T073000Z
      DTEND:20260708T080000Z
      UID:single@google.com
      SEQUENCE:0
      STATUS:CONFIRMED
      SUMMARY:Dentist
      BEGIN:VALARM
      ACTION:DISPLAY
      DESCRIPTION:This is an event reminder
      TRIGGER:-P0DT1H0M0S
      END:VALARM
      END:VEVENT
      BEGIN:VEVENT
      DTSTART;VALUE=DATE:20260801
      DTEND;VALUE=DATE:20260802
      RRULE:FREQ=YEARLY
      UID:birthday@google.com
      SUMMARY:Birthday
      BEGIN:VALARM
      ACTION:DISPLAY
      DESCRIPTION:This is an event reminder
      TRIGGER:-P0DT15H0M0S
      END:VALARM
      END:VEVENT
      """,
    ], zone: "Europe/Berlin")

  /// An Apple calendar: a series, a floating event, an alarm at a place, and to-dos.
  static let apple = text([
    "PRODID:-//Apple Inc.//macOS 15.0//EN", "CALSCALE:GREGORIAN", "X-APPLE-CALENDAR-COLOR:#1BADF8",
    """
    BEGIN:VTIMEZONE
    TZID:America/New_York
    BEGIN:STANDARD
    DTSTART:20071104T020000
    RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
    TZNAME:EST
    TZOFFSETFROM:-0400
    TZOFFSETTO:-0500
    END:STANDARD
    END:VTIMEZONE
    BEGIN:VEVENT
    CREATED:20260101T120000Z
    DTEND;TZID=America/New_York:20260105T100000
    DTSTAMP:20260101T120000Z
    DTSTART;TZID=America/New_York:20260105T093000
    LAST-MODIFIED:20260102T120000Z
    RRULE:FREQ=DAILY;INTERVAL=2
    SEQUENCE:0
    SUMMARY:Stand-up
    TRANSP:OPAQUE
    UID:7B2D1C1E-0000-4000-8000-000000000001
    URL;VALUE=URI:https://example.org/call
    X-APPLE-CREATOR-IDENTITY:com.apple.calendar
    BEGIN:VALARM
    ACTION:DISPLAY
    DESCRIPTION:Reminder
    TRIGGER:PT0S
    UID:11111111-0000-4000-8000-000000000001
    X-WR-ALARMUID:11111111-0000-4000-8000-000000000001
    END:VALARM
    BEGIN:VALARM
    ACTION:AUDIO
    ATTACH;VALUE=URI:Chord
    TRIGGER;RELATED=END:-PT5M
    REPEAT:2
    DURATION:PT2M
    END:VALARM
    BEGIN:VALARM
    ACTION:NONE
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    X-APPLE-DEFAULT-ALARM:TRUE
    END:VALARM
    END:VEVENT
    BEGIN:VEVENT
    DTSTART:20260110T081500
    DTEND:20260110T090000
    SUMMARY:Breakfast
    UID:7B2D1C1E-0000-4000-8000-000000000002
    END:VEVENT
    BEGIN:VTODO
    SUMMARY:Buy milk
    UID:7B2D1C1E-0000-4000-8000-000000000003
    BEGIN:VALARM
    ACTION:DISPLAY
    DESCRIPTION:Reminder
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    X-APPLE-PROXIMITY:ARRIVE
    X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="Main St 1, Town";X-APPLE-R
     ADIUS=150;X-TITLE=Shop:geo:52.520000,13.405000
    END:VALARM
    END:VTODO
    BEGIN:VTODO
    COMPLETED:20260113T230500Z
    DTSTART;TZID=Europe/Berlin:20260114T180000
    DUE;TZID=Europe/Berlin:20260114T180000
    PERCENT-COMPLETE:100
    STATUS:COMPLETED
    SUMMARY:Pay rent
    UID:7B2D1C1E-0000-4000-8000-000000000004
    BEGIN:VALARM
    ACTION:DISPLAY
    DESCRIPTION:Reminder
    TRIGGER;VALUE=DATE-TIME:20260114T170000Z
    END:VALARM
    END:VTODO
    """,
  ])
}
