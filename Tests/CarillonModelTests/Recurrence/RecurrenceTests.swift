import Testing

@testable import CarillonModel

/// The instances of recurrences, computed by hand or taken from RFC 5545.
@Suite("Recurrences")
struct RecurrenceTests {
  struct Vector: CustomStringConvertible {
    let start: String
    let rule: String
    let instances: [String]
    /// Whether there are no further instances.
    var ends = true

    var description: String { "\(start) \(rule)" }
  }

  /// Scenario 11: the gap in New York on 2026-03-08 does not shift the anchor.
  @Test("An interval of three days continues from its anchor across an offset change")
  func everyThirdDay() throws {
    let recurrence = try Recurrence(
      parsing: "DTSTART;TZID=America/New_York:20260302T023000\nRRULE:FREQ=DAILY;INTERVAL=3")
    #expect(
      recurrence.first(4) == [
        "2026-03-02T02:30", "2026-03-05T02:30", "2026-03-08T02:30", "2026-03-11T02:30",
      ])
  }

  /// Scenario 16.
  @Test("A day that does not exist in a month is skipped, and -1 is the last day of every month")
  func lastDayOfMonth() throws {
    #expect(
      try dates("20260131T090000", "FREQ=MONTHLY", 6) == [
        "2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31", "2026-08-31", "2026-10-31",
      ])
    #expect(
      try dates("20260131T090000", "FREQ=MONTHLY;BYMONTHDAY=-1", 5) == [
        "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31",
      ])
    #expect(
      try dates("20240229T090000", "FREQ=YEARLY", 3) == ["2024-02-29", "2028-02-29", "2032-02-29"])
  }

  /// Scenario 18, an example of RFC 5545.
  @Test("The first day of the week determines which weeks an interval of two weeks includes")
  func weekStart() throws {
    let rule = "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST="
    #expect(
      try dates("19970805T090000", rule + "MO", 9) == [
        "1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24",
      ])
    #expect(
      try dates("19970805T090000", rule + "SU", 9) == [
        "1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31",
      ])
  }

  @Test("The examples of RFC 5545 in the supported subset", arguments: rfcExamples)
  func examples(_ vector: Vector) throws {
    let found = try dates(
      vector.start, vector.rule, vector.instances.count + (vector.ends ? 1 : 0))
    #expect(found == vector.instances)
  }

  @Test("Plain and numbered weekdays in one BYDAY are combined")
  func unitedDays() throws {
    #expect(
      try dates("20260101T090000", "FREQ=MONTHLY;BYDAY=3TH,TU;COUNT=6", 9) == [
        "2026-01-06", "2026-01-13", "2026-01-15", "2026-01-20", "2026-01-27", "2026-02-03",
      ])
  }

  @Test("A start that does not match its rule is not an instance")
  func startWithoutMatch() throws {
    #expect(
      try dates("20260101T090000", "FREQ=WEEKLY;BYDAY=MO;COUNT=2", 9) == [
        "2026-01-05", "2026-01-12",
      ])
  }

  @Test("Exceptions count towards COUNT, additions do not")
  func count() throws {
    let recurrence = try Recurrence(
      parsing: """
        DTSTART:20260101T090000
        RRULE:FREQ=DAILY;COUNT=4
        EXDATE:20260102T090000
        RDATE:20260110T090000
        EXDATE;VALUE=DATE:20260104
        """)
    #expect(
      recurrence.first(9) == ["2026-01-01T09:00", "2026-01-03T09:00", "2026-01-10T09:00"])
    #expect(recurrence.hasEnd)
  }

  @Test("An exception date removes all instances on that date, including additions")
  func exceptionDate() throws {
    let recurrence = try Recurrence(
      parsing: """
        DTSTART:20260101T080000
        RRULE:FREQ=DAILY;BYHOUR=8,20;COUNT=6
        RDATE:20260102T120000
        EXDATE;VALUE=DATE:20260102
        EXDATE:20260103T080000
        """)
    #expect(
      recurrence.first(9) == ["2026-01-01T08:00", "2026-01-01T20:00", "2026-01-03T20:00"])
  }

  /// Apia had no 30 December 2011, which the rule ignores.
  @Test("Instances on a date that the zone skips count towards COUNT")
  func missingDate() throws {
    let recurrence = try Recurrence(
      parsing: "DTSTART;TZID=Pacific/Apia:20111229T080000\nRRULE:FREQ=DAILY;COUNT=3")
    #expect(
      recurrence.first(9) == ["2011-12-29T08:00", "2011-12-30T08:00", "2011-12-31T08:00"])
  }

  @Test("An UNTIL with a date includes all of that date; an UNTIL with a time is inclusive")
  func until() throws {
    #expect(try dates("20260101T233000", "FREQ=DAILY;UNTIL=20260103", 9).count == 3)
    #expect(try dates("20260101T233000", "FREQ=DAILY;UNTIL=20260103T233000", 9).count == 3)
    #expect(try dates("20260101T233000", "FREQ=DAILY;UNTIL=20260103T232959", 9).count == 2)
    #expect(try dates("20260101", "FREQ=DAILY;UNTIL=20260103", 9).count == 3)
    #expect(try dates("20260101", "FREQ=DAILY;UNTIL=20251231", 9) == [])
  }

  @Test("An UNTIL in UTC is converted to the zone's civil time")
  func untilUTC() throws {
    let text = "DTSTART;TZID=Asia/Tokyo:20260101T080000\nRRULE:FREQ=DAILY;UNTIL="
    let inclusive = try Recurrence(parsing: text + "20260103T230000Z")
    #expect(inclusive.first(9).last == "2026-01-04T08:00")
    let before = try Recurrence(parsing: text + "20260103T225900Z")
    #expect(before.first(9).last == "2026-01-03T08:00")
  }

  @Test("Without a rule the start and the additions are the instances")
  func additionsOnly() throws {
    let recurrence = try Recurrence(
      parsing: "DTSTART;VALUE=DATE:20260105\nRDATE;VALUE=DATE:20260301,20260110,20260105")
    #expect(recurrence.isDateOnly && recurrence.hasEnd)
    #expect(recurrence.first(9) == ["2026-01-05T00:00", "2026-01-10T00:00", "2026-03-01T00:00"])
    #expect(recurrence.times == [])
  }

  @Test("A recurrence's times include those of its rule and its RDATEs")
  func times() throws {
    let recurrence = try Recurrence(
      parsing: "DTSTART:20260105T073000\nRRULE:FREQ=DAILY;BYHOUR=8,20\nRDATE:20260101T060000")
    #expect(recurrence.times == ["06:00", "08:30", "20:30"])
    #expect(recurrence.firstDate == "2026-01-01")
  }

  /// 2026 has 53 weeks, so weeks 53 and 1 follow each other.
  @Test("Odd weeks start again in each year")
  func oddWeeks() throws {
    let odd = stride(from: 1, through: 53, by: 2).map(\.description).joined(separator: ",")
    let found = try dates("20261215T090000", "FREQ=YEARLY;BYWEEKNO=\(odd);BYDAY=TU", 4)
    #expect(found == ["2026-12-15", "2026-12-29", "2027-01-05", "2027-01-19"])
  }

  @Test("A week without a weekday has that of the start, and week 1 may begin in December")
  func weekOfStart() throws {
    #expect(
      try dates("19970512T090000", "FREQ=YEARLY;BYWEEKNO=20", 3) == [
        "1997-05-12", "1998-05-11", "1999-05-17",
      ])
    #expect(
      try dates("20250101T090000", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,SU", 4) == [
        "2025-01-05", "2025-12-29", "2026-01-04", "2027-01-04",
      ])
    // A year that starts on a Sunday has its first week at once if weeks start on Sunday.
    #expect(
      try dates("20230101T090000", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=SU;COUNT=2", 3) == [
        "2023-01-01", "2023-12-31",
      ])
    #expect(
      try dates("20260101T090000", "FREQ=YEARLY;BYWEEKNO=-1;BYDAY=TH", 3) == [
        "2026-12-31", "2027-12-30", "2028-12-28",
      ])
  }

  @Test("Hours and minutes are civil: a date has 24 hours, whatever the zone's clocks do")
  func hours() throws {
    let recurrence = try Recurrence(
      parsing: "DTSTART;TZID=Europe/Berlin:20260329T003000\nRRULE:FREQ=HOURLY;COUNT=5")
    #expect(
      recurrence.first(9) == [
        "2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30", "2026-03-29T03:30",
        "2026-03-29T04:30",
      ])
    #expect(recurrence.times.count == 24)
    let every = try Recurrence(parsing: "DTSTART:20260105T083000\nRRULE:FREQ=HOURLY;INTERVAL=10")
    let first = every.first(4).map { $0.suffix(8) }
    #expect(first == ["05T08:30", "05T18:30", "06T04:30", "06T14:30"])
    #expect(every.times.count == 12)
  }

  @Test("Every 20 minutes from 9 to 17, as in RFC 5545, in both forms")
  func minutes() throws {
    let start = "DTSTART:19970902T090000\nRRULE:FREQ="
    let daily = try Recurrence(
      parsing: start + "DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40")
    let minutely = try Recurrence(
      parsing: start + "MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16")
    #expect(minutely.first(100) == daily.first(100))
    #expect(minutely.times == daily.times && daily.times.count == 24)
  }

  @Test("Instances of any rule count, except those of an excluded rule")
  func severalRules() throws {
    let recurrence = try Recurrence(
      parsing: """
        DTSTART:20260105T090000
        RRULE:FREQ=WEEKLY;BYDAY=MO
        RRULE:FREQ=DAILY;COUNT=3;BYHOUR=9,21
        EXRULE:FREQ=MONTHLY;BYDAY=2MO
        RDATE:20260108T120000
        """)
    #expect(
      recurrence.first(7) == [
        "2026-01-05T09:00", "2026-01-05T21:00", "2026-01-06T09:00", "2026-01-08T12:00",
        "2026-01-19T09:00", "2026-01-26T09:00", "2026-02-02T09:00",
      ])
    #expect(!recurrence.hasEnd && recurrence.times == ["09:00", "12:00", "21:00"])
    let both = try Recurrence(
      parsing: "DTSTART:20260105\nRRULE:FREQ=DAILY;COUNT=3\nRRULE:FREQ=MONTHLY;COUNT=2")
    #expect(
      both.hasEnd
        && both.first(9).map { $0.prefix(10) } == [
          "2026-01-05", "2026-01-06", "2026-01-07", "2026-02-05",
        ])
  }

  private func dates(_ start: String, _ rule: String, _ count: Int) throws -> [String] {
    let recurrence = try Recurrence(parsing: "DTSTART:\(start)\nRRULE:\(rule)")
    return recurrence.first(count).map { String($0.prefix(10)) }
  }
}

extension Recurrence {
  /// Returns the first instances, at most `count`.
  func first(_ count: Int) -> [String] {
    instances(from: CivilDateTime(date: Self.accepted.lowerBound, time: .midnight)).prefix(count)
      .map(\.description)
  }
}

/// The examples of section 3.8.5.3, which start at 09:00.
///
/// 1997-09-02 is a Tuesday.
private let rfcExamples: [RecurrenceTests.Vector] = [
  .init(
    start: "19970902T090000", rule: "FREQ=DAILY;INTERVAL=10;COUNT=5",
    instances: ["1997-09-02", "1997-09-12", "1997-09-22", "1997-10-02", "1997-10-12"]),
  .init(
    start: "19970902T090000", rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
    instances: [
      "1997-09-02", "1997-09-04", "1997-09-16", "1997-09-18", "1997-09-30", "1997-10-02",
      "1997-10-14", "1997-10-16",
    ]),
  .init(
    start: "19970905T090000", rule: "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
    instances: [
      "1997-09-05", "1997-10-03", "1997-11-07", "1997-12-05", "1998-01-02", "1998-02-06",
      "1998-03-06", "1998-04-03", "1998-05-01", "1998-06-05",
    ]),
  .init(
    start: "19970907T090000", rule: "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
    instances: [
      "1997-09-07", "1997-09-28", "1997-11-02", "1997-11-30", "1998-01-04", "1998-01-25",
      "1998-03-01", "1998-03-29", "1998-05-03", "1998-05-31",
    ]),
  .init(
    start: "19970922T090000", rule: "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
    instances: [
      "1997-09-22", "1997-10-20", "1997-11-17", "1997-12-22", "1998-01-19", "1998-02-16",
    ]),
  .init(
    start: "19970928T090000", rule: "FREQ=MONTHLY;BYMONTHDAY=-3",
    instances: [
      "1997-09-28", "1997-10-29", "1997-11-28", "1997-12-29", "1998-01-29", "1998-02-26",
    ], ends: false),
  .init(
    start: "19970930T090000", rule: "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
    instances: [
      "1997-09-30", "1997-10-01", "1997-10-31", "1997-11-01", "1997-11-30", "1997-12-01",
      "1997-12-31", "1998-01-01", "1998-01-31", "1998-02-01",
    ]),
  .init(
    start: "19970610T090000", rule: "FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
    instances: [
      "1997-06-10", "1997-07-10", "1998-06-10", "1998-07-10", "1999-06-10", "1999-07-10",
      "2000-06-10", "2000-07-10", "2001-06-10", "2001-07-10",
    ]),
  .init(
    start: "19970519T090000", rule: "FREQ=YEARLY;BYDAY=20MO",
    instances: ["1997-05-19", "1998-05-18", "1999-05-17"], ends: false),
  .init(
    start: "19970313T090000", rule: "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
    instances: [
      "1997-03-13", "1997-03-20", "1997-03-27", "1998-03-05", "1998-03-12", "1998-03-19",
      "1998-03-26", "1999-03-04",
    ], ends: false),
  .init(
    start: "19970902T090000", rule: "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
    instances: ["1998-02-13", "1998-03-13", "1998-11-13", "1999-08-13", "2000-10-13"],
    ends: false),
  .init(
    start: "19970913T090000", rule: "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
    instances: ["1997-09-13", "1997-10-11", "1997-11-08", "1997-12-13", "1998-01-10"],
    ends: false),
  .init(
    start: "19961105T090000",
    rule: "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
    instances: ["1996-11-05", "2000-11-07", "2004-11-02"], ends: false),
  .init(
    start: "19970904T090000", rule: "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
    instances: ["1997-09-04", "1997-10-07", "1997-11-06"]),
  .init(
    start: "19970929T090000", rule: "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
    instances: [
      "1997-09-29", "1997-10-30", "1997-11-27", "1997-12-30", "1998-01-29", "1998-02-26",
    ], ends: false),
  .init(
    start: "19980101T090000", rule: "FREQ=YEARLY;UNTIL=19980103T140000;BYMONTH=1;BYDAY=TH,FR,SA",
    instances: ["1998-01-01", "1998-01-02", "1998-01-03"]),
  .init(
    start: "19970101T090000", rule: "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
    instances: [
      "1997-01-01", "1997-04-10", "1997-07-19", "2000-01-01", "2000-04-09", "2000-07-18",
      "2003-01-01", "2003-04-10", "2003-07-19", "2006-01-01",
    ]),
  .init(
    start: "19970512T090000", rule: "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
    instances: ["1997-05-12", "1998-05-11", "1999-05-17"], ends: false),
  .init(
    start: "19970902T090000", rule: "FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000",
    instances: ["1997-09-02", "1997-09-02", "1997-09-02"]),
  .init(
    start: "19970902T090000", rule: "FREQ=MINUTELY;INTERVAL=15;COUNT=6",
    instances: Array(repeating: "1997-09-02", count: 6)),
  .init(
    start: "19970902T090000", rule: "FREQ=MINUTELY;INTERVAL=90;COUNT=4",
    instances: Array(repeating: "1997-09-02", count: 4)),
  .init(
    start: "20070115T090000", rule: "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
    instances: ["2007-01-15", "2007-01-30", "2007-02-15", "2007-03-15", "2007-03-30"]),
]
