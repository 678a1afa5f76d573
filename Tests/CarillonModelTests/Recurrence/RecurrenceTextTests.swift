import Testing

@testable import CarillonModel

@Suite("Texts of recurrences")
struct RecurrenceTextTests {
  @Test("Line endings, folding, case, order and duplicates are ignored")
  func canonical() throws {
    let text = """
      exdate;tzid="Europe/Berlin":20260601T073000,20260105T073000\r
      rrule:byday=th,MO,mo;wkst=mo;freq=Weekly;interval=01;\r
       until=20261231t225959z\r
      DTSTART;TZID=Europe/Be\r
      \trlin;VALUE=DATE-TIME:20260105T073000\r
      EXDATE;VALUE=DATE:20260210\r
      \r
      EXDATE:20260601T073000\r
      RDATE:20260106T073000\r

      """
    let recurrence = try Recurrence(parsing: text)
    #expect(
      recurrence.description == """
        DTSTART;TZID=Europe/Berlin:20260105T073000
        RRULE:FREQ=WEEKLY;UNTIL=20261231T225900Z;BYDAY=MO,TH
        RDATE;TZID=Europe/Berlin:20260106T073000
        EXDATE;VALUE=DATE:20260210
        EXDATE;TZID=Europe/Berlin:20260105T073000,20260601T073000
        """)
    #expect(Recurrence(recurrence.description) == recurrence)
    #expect(recurrence.zone == "Europe/Berlin")
  }

  @Test("All parts are written in a fixed order")
  func parts() throws {
    let text = """
      DTSTART:20260105T073000Z
      RRULE:FREQ=YEARLY;INTERVAL=2;UNTIL=20300101T000000Z;BYMONTH=1,3;BYYEARDAY=-1,366;\
      BYMONTHDAY=-1,5;BYDAY=-1MO,TU,2FR;BYHOUR=7,19;BYMINUTE=0,30;BYSETPOS=-1,1;WKST=SU
      EXDATE:20260106T073000Z
      """
    let recurrence = try Recurrence(parsing: text)
    #expect(recurrence.description == text)
    #expect(recurrence.zone == "UTC")
    let other = text.replacing("DTSTART:", with: "DTSTART;TZID=UTC:").replacing("00Z", with: "00")
    #expect(try Recurrence(parsing: other) == recurrence)
  }

  @Test("Several rules have one order, and the same rule twice is one rule")
  func severalRules() throws {
    let recurrence = try Recurrence(
      parsing: """
        EXRULE:FREQ=YEARLY;BYYEARDAY=-1
        RRULE:FREQ=WEEKLY
        DTSTART:20260105T073000
        RRULE:FREQ=DAILY;INTERVAL=3
        RRULE:FREQ=weekly;interval=1
        RDATE:20260106T073000
        EXRULE:FREQ=MONTHLY
        """)
    #expect(
      recurrence.description == """
        DTSTART:20260105T073000
        RRULE:FREQ=DAILY;INTERVAL=3
        RRULE:FREQ=WEEKLY
        EXRULE:FREQ=MONTHLY
        EXRULE:FREQ=YEARLY;BYYEARDAY=-1
        RDATE:20260106T073000
        """)
    #expect(Recurrence(recurrence.description) == recurrence)
  }

  @Test("A rule without a start uses the start that is passed")
  func ruleAlone() throws {
    let start = Recurrence.Moment.date("2026-01-05")
    let whole = try Recurrence(parsing: "DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=DAILY")
    #expect(try Recurrence(parsing: "freq=daily", start: start) == whole)
    #expect(try Recurrence(parsing: "RRULE:FREQ=DAILY", start: start) == whole)
    #expect(Recurrence("FREQ=DAILY") == nil)
  }

  @Test("A start may be before 1970, and an end after the last date")
  func farDates() throws {
    let recurrence = try Recurrence(
      parsing: "DTSTART:19580312\nRRULE:FREQ=YEARLY;UNTIL=99991231")
    #expect(recurrence.isDateOnly)
    let from = try #require(CivilDateTime("2026-03-12T00:01"))
    #expect(recurrence.instances(from: from).first { _ in true }?.date == "2027-03-12")
  }

  struct Refusal: CustomStringConvertible {
    let text: String
    let part: String
    let hint: String

    init(_ text: String, _ part: String, _ hint: String) {
      (self.text, self.part, self.hint) = (text, part, hint)
    }

    var description: String { text }
  }

  @Test("An error names the invalid part, and its hint names a valid one", arguments: refusals)
  func refused(_ refusal: Refusal) throws {
    let text = refusal.text.hasPrefix("DTSTART") ? refusal.text : "DTSTART:" + refusal.text
    let error = #expect(throws: ModelError.self) { try Recurrence(parsing: text) }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.hasPrefix(refusal.part + ": ") == true, "\(error?.message ?? "")")
    #expect(error?.hint?.contains(refusal.hint) == true, "\(error?.hint ?? "")")
    #expect(Recurrence(text) == nil)
  }

  @Test("Missing and unknown lines are rejected")
  func lines() {
    for (text, part) in [
      ("", "DTSTART"), ("RRULE:FREQ=DAILY", "DTSTART"), ("DTSTART:20260105", "RRULE"),
      ("DTSTART:20260105\nEXDATE:20260106", "RRULE"),
      ("DTSTART:20260105\nRRULE:FREQ=DAILY\nDTEND:20260106", "DTEND"),
      ("DTSTART:20260105\nEXRULE:FREQ=DAILY", "RRULE"), ("abc", "abc"),
      ("DTSTART:20260105\nRRULE:FREQ=DAILY\nEXRULE;VALUE=DATE:FREQ=DAILY", "EXRULE"),
      ("DTSTART:20260105\nDTSTART:20260106", "DTSTART"),
      ("DTSTART:20260105\nRRULE:FREQ=DÄILY", "the recurrence"),
    ] {
      let error = #expect(throws: ModelError.self) { try Recurrence(parsing: text) }
      #expect(error?.message.hasPrefix(part + ": ") == true, "\(error?.message ?? "")")
    }
  }

  @Test("Too long texts and too many dates are rejected; the longest valid text parses back")
  func limits() throws {
    let dates = (0..<401).map {
      Recurrence.Moment.dateTime(
        CivilDateTime(date: CivilDate(rawValue: Int32($0)), time: "07:30"))
    }
    let many = Recurrence(
      start: dates[0], zone: "UTC", rules: [], additions: Array(dates.prefix(400)), exceptions: [])
    #expect(Recurrence(many.description) == many)
    let tooMany = Recurrence(
      start: dates[0], zone: "UTC", rules: [], additions: dates, exceptions: [])
    #expect(Recurrence(tooMany.description) == nil)
    let rules = { (count: Int) in
      "DTSTART:20260105\nEXRULE:FREQ=YEARLY"
        + (1...count).map { "\nRRULE:FREQ=DAILY;INTERVAL=\($0)" }.joined()
    }
    #expect(Recurrence(rules(15))?.rules.count == 15)
    #expect(Recurrence(rules(16)) == nil)
    let padding = String(repeating: "\n", count: Recurrence.maxByteCount)
    #expect(Recurrence("DTSTART:20260105\nRRULE:FREQ=DAILY" + padding) == nil)
  }
}

private func rule(
  _ rule: String, _ part: String, _ hint: String
) -> RecurrenceTextTests.Refusal {
  .init("20260105T073000\nRRULE:\(rule)", part, hint)
}

private let refusals: [RecurrenceTextTests.Refusal] = [
  rule("FREQ=MONTHLY;BYWEEKNO=1", "BYWEEKNO", "FREQ=YEARLY"),
  rule("FREQ=YEARLY;BYWEEKNO=0", "BYWEEKNO", "1 to 53, or -53 to -1"),
  rule("FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", "BYDAY", "leave the number out"),
  rule("FREQ=DAILY;BYYEARDAY=1", "BYYEARDAY", "FREQ=YEARLY"),
  rule("FREQ=YEARLY;BYYEARDAY=-367", "BYYEARDAY", "1 to 366, or -366 to -1"),
  rule("FREQ=DAILY;BYSECOND=0", "BYSECOND", "leave it out"),
  rule("FREQ=SECONDLY", "FREQ", "MINUTELY"),
  rule("FREQ=HOURLY;BYDAY=1MO", "BYDAY", "FREQ=MONTHLY"),
  rule("FREQ=MINUTELY;BYSETPOS=1", "BYSETPOS", "BYDAY"),
  .init("20260105\nRRULE:FREQ=HOURLY", "FREQ", "give the schedule times"),
  rule("RSCALE=GREGORIAN;FREQ=DAILY", "RSCALE", "leave it out"),
  rule("FREQ=MONTHLY;SKIP=FORWARD", "SKIP", "BYMONTHDAY=-1"),
  rule("FREQ=DAILY;COUNT=2;UNTIL=20260201", "COUNT", "one of them"),
  rule("FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY", "FREQ=MONTHLY"),
  rule("FREQ=WEEKLY;BYDAY=1MO", "BYDAY", "FREQ=MONTHLY"),
  rule("FREQ=DAILY;BYDAY=-1MO", "BYDAY", "FREQ=MONTHLY"),
  rule("FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS", "BYDAY"),
  rule("FREQ=DAILY;UNTIL=20260201T000000Z", "UNTIL", "TZID"),
  rule("FREQ=MONTHLY;BYDAY=6MO", "BYDAY", "1 to 5"),
  rule("FREQ=YEARLY;BYDAY=54MO", "BYDAY", "1 to 53"),
  rule("FREQ=YEARLY;BYDAY=0MO", "BYDAY", "1 to 53"),
  rule("FREQ=YEARLY;BYDAY=", "BYDAY", "MO to SU"),
  rule("FREQ=DAILY;INTERVAL=0", "INTERVAL", "1 to 10000"),
  rule("FREQ=DAILY;INTERVAL=10001", "INTERVAL", "1 to 10000"),
  rule("FREQ=DAILY;INTERVAL=99999999999999999999", "INTERVAL", "1 to 10000"),
  rule("FREQ=DAILY;COUNT=0", "COUNT", "1 to 100000"),
  rule("FREQ=DAILY;BYMONTH=13", "BYMONTH", "1 to 12"),
  rule("FREQ=DAILY;BYMONTH=-1", "BYMONTH", "1 to 12"),
  rule("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY", "-31 to -1"),
  rule("FREQ=MONTHLY;BYMONTHDAY=1,,2", "BYMONTHDAY", "1 to 31"),
  rule("FREQ=DAILY;BYHOUR=24", "BYHOUR", "0 to 23"),
  rule("FREQ=DAILY;BYMINUTE=60", "BYMINUTE", "0 to 59"),
  rule("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367", "BYSETPOS", "1 to 366"),
  rule("FREQ=DAILY;WKST=XX", "WKST", "MO"),
  rule("FREQ=DAILY;X-NEW=1", "X-NEW", "INTERVAL"),
  rule("FREQ=DAILY;FREQ=DAILY", "FREQ", "one"),
  rule("INTERVAL=2", "FREQ", "DAILY"),
  rule("FREQ=DAILY;;", "RRULE", "parts"),
  rule("FREQ=DAILY;UNTIL=tomorrow", "UNTIL", "YYYYMMDD"),
  .init("20260105\nRRULE:FREQ=DAILY;BYHOUR=7", "BYHOUR", "give the schedule times"),
  .init("20260105\nRRULE:FREQ=DAILY;BYMINUTE=7", "BYMINUTE", "give the schedule times"),
  .init("20260105\nRRULE:FREQ=DAILY;UNTIL=20260201T000000", "UNTIL", "UNTIL=20260201"),
  .init("20260105T073001\nRRULE:FREQ=DAILY", "DTSTART", "00"),
  .init("20260230T073000\nRRULE:FREQ=DAILY", "DTSTART", "YYYYMMDD"),
  .init("17991231T073000\nRRULE:FREQ=DAILY", "DTSTART", "1800-01-01 to 2200-12-31"),
  .init("20260105T240000\nRRULE:FREQ=DAILY", "DTSTART", "YYYYMMDD"),
  .init("20260105,20260106\nRRULE:FREQ=DAILY", "DTSTART", "RDATE"),
  .init("DTSTART;TZID=W. Europe:20260105T073000\nRRULE:FREQ=DAILY", "DTSTART TZID", "IANA"),
  .init("DTSTART;TZID=Asia/Tokyo:20260105T073000Z\nRRULE:FREQ=DAILY", "DTSTART", "leave one"),
  .init("DTSTART;TZID=Asia/Tokyo:20260105\nRRULE:FREQ=DAILY", "DTSTART TZID", "time"),
  .init("DTSTART;X-A=1:20260105\nRRULE:FREQ=DAILY", "DTSTART X-A", "leave the parameter out"),
  .init("DTSTART;VALUE=DATE:20260105T073000\nRRULE:FREQ=DAILY", "DTSTART", "VALUE"),
  .init("20260105T073000\nRDATE;VALUE=PERIOD:20260106T073000/PT1H", "RDATE VALUE", "DATE"),
  .init("20260105T073000\nRDATE:20260106", "RDATE", "the time too"),
  .init("20260105\nRDATE:20260106T073000", "RDATE", "date alone"),
  .init("20260105T073000\nRRULE:FREQ=DAILY\nEXDATE:20260106T073000Z", "EXDATE", "without Z"),
  .init(
    "20260105T073000\nRRULE:FREQ=DAILY\nEXDATE;TZID=Asia/Tokyo:20260106T073000", "EXDATE TZID",
    "zone of DTSTART"),
]
