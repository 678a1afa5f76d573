import Testing

@testable import CarillonModel

@Suite("Seeking in recurrences")
struct RecurrenceSeekTests {
  @Test("With an old start, the first instance is found without stepping from the start")
  func oldStart() throws {
    for rule in ["DAILY;INTERVAL=3", "WEEKLY;BYDAY=MO,FR", "MONTHLY;BYDAY=-1FR", "YEARLY"] {
      let expansion = try expansion("DTSTART:18000101T120000", "FREQ=\(rule)")
      let first = try #require(expansion.first(onOrAfter: "2195-06-15"))
      let near = try #require(expansion.first(onOrAfter: first.adding(days: -1)))
      #expect(first == near && first >= "2195-06-15" && first <= "2196-01-01")
    }
  }

  @Test("A rule without an instance in 10,000 periods is too sparse; a rule that ended is not")
  func sparse() throws {
    let from = try #require(CivilDateTime("2026-01-01T00:00"))
    for rule in [
      "DAILY;BYMONTH=2;BYMONTHDAY=30", "MONTHLY;INTERVAL=12;BYMONTHDAY=31",
      "YEARLY;BYMONTH=4;BYMONTHDAY=31", "DAILY;COUNT=5;BYMONTH=2;BYMONTHDAY=-30",
      "YEARLY;BYMONTH=4,6;BYSETPOS=3", "YEARLY;BYWEEKNO=20;BYMONTH=1",
      "YEARLY;BYYEARDAY=3;BYMONTH=2", "HOURLY;INTERVAL=2;BYHOUR=3",
      "HOURLY;BYMONTH=2;BYMONTHDAY=30", "HOURLY;BYMINUTE=5;BYSETPOS=2",
      "MINUTELY;BYMONTH=4;BYMONTHDAY=31", "MINUTELY;INTERVAL=10000;BYHOUR=3;BYMINUTE=1",
      "MINUTELY;BYMINUTE=5;BYSETPOS=-2", "MINUTELY\nEXRULE:FREQ=MINUTELY",
      "DAILY\nEXRULE:FREQ=HOURLY",
      "YEARLY;BYMONTH=2;BYMONTHDAY=30\nRRULE:FREQ=DAILY;COUNT=1\nEXRULE:FREQ=DAILY",
    ] {
      let expansion = try expansion("DTSTART:20260201T120000", "FREQ=\(rule)")
      #expect(expansion.isTooSparse(from: from), "\(rule)")
      #expect(expansion.first(onOrAfter: from) == nil, "\(rule)")
    }
    for rule in ["DAILY;COUNT=3", "DAILY;UNTIL=20260203", "YEARLY;INTERVAL=100"] {
      let expansion = try expansion("DTSTART:20260201T120000", "FREQ=\(rule)")
      #expect(!expansion.isTooSparse(from: from), "\(rule)")
    }
    let ended = try expansion("DTSTART:20200101T120000", "FREQ=DAILY;COUNT=3")
    #expect(!ended.isTooSparse(from: from) && ended.first(onOrAfter: from) == nil)
  }

  @Test("There is no instance after the last accepted date, and every date can be searched from")
  func bounds() throws {
    let all = try Recurrence(parsing: "DTSTART:18000101T000000\nRRULE:FREQ=DAILY")
    #expect(all.first(1) == ["1800-01-01T00:00"])
    let last = CivilDateTime(date: Recurrence.accepted.upperBound, time: .midnight)
    #expect(Array(all.instances(from: last)) == [last])
    for rule in ["DAILY", "WEEKLY;BYMONTH=1", "MONTHLY", "YEARLY;BYDAY=53MO"] {
      let expansion = try expansion("DTSTART:20260201T120000", "FREQ=\(rule)")
      let (least, most) = (CivilDate(rawValue: .min), CivilDate(rawValue: .max))
      #expect(expansion.first(onOrAfter: least) == expansion.first(onOrAfter: "2026-02-01"))
      #expect(expansion.first(onOrAfter: least) != nil)
      #expect(expansion.first(onOrAfter: most) == nil)
      let rare = try self.expansion("DTSTART:20260201T120000", "FREQ=\(rule);INTERVAL=10000")
      #expect(rare.first(onOrAfter: "2191-01-01") == nil)
    }
  }

  @Test("The last instance of a large COUNT is found")
  func largeCount() throws {
    let daily = try expansion("DTSTART:20000101T000000", "FREQ=DAILY;COUNT=50000")
    let last = CivilDate(rawValue: 10_957).adding(days: 49_999)
    #expect(daily.first(onOrAfter: last) == last)
    #expect(daily.first(onOrAfter: last.adding(days: 1)) == nil)
    // The start is a Thursday at noon: five instances in the first week, then six in each of 1,000.
    let steady = try expansion(
      "DTSTART:20260101T120000", "FREQ=WEEKLY;BYDAY=TH,SA;BYHOUR=6,12,18;COUNT=6005")
    let saturday = CivilDate(rawValue: 20_456).adding(days: 7_000)
    let end = CivilDateTime(date: saturday, time: "18:00")
    #expect(steady.first(onOrAfter: end) == end)
    #expect(steady.first(onOrAfter: saturday.adding(days: 1)) == nil)
  }

  @Test("COUNT ends a rule after that many instances", arguments: [1, 2, 3, 7, 40, 365])
  func countByWalking(count: Int) throws {
    for rule in [
      "DAILY;INTERVAL=2;BYHOUR=1,20", "WEEKLY;INTERVAL=3;WKST=SU;BYDAY=SU,TU,SA",
      "DAILY;BYMONTH=3,4;BYDAY=SA", "MONTHLY;BYMONTHDAY=29,31", "YEARLY;BYMONTH=1,2;BYDAY=-1SU,TH",
      "DAILY;BYHOUR=6,12,18;BYSETPOS=1,-1", "WEEKLY;BYMONTH=12,1",
      "WEEKLY;BYDAY=MO,TH;BYSETPOS=-1",
      "YEARLY;BYWEEKNO=1,53;BYDAY=MO,SU", "YEARLY;BYYEARDAY=1,60,-1", "HOURLY;INTERVAL=6",
      "HOURLY;INTERVAL=7;BYMINUTE=5,50", "HOURLY;BYDAY=SA;BYHOUR=7,8", "HOURLY;INTERVAL=100",
      "MINUTELY;INTERVAL=45", "MINUTELY;INTERVAL=1441", "MINUTELY;INTERVAL=7;BYHOUR=3;BYMINUTE=0",
    ] {
      let start = "DTSTART:20240229T120000\nRRULE:FREQ=\(rule)"
      let endless = try Recurrence(parsing: start).first(count)
      #expect(try Recurrence(parsing: start + ";COUNT=\(count)").first(count + 1) == endless)
    }
  }

  @Test("The last instance of a large COUNT of hours and minutes is found")
  func largeCountOfMinutes() throws {
    for (rule, minutes) in [
      ("HOURLY;COUNT=100000", 99_999 * 60), ("HOURLY;INTERVAL=7;COUNT=100000", 99_999 * 420),
      ("MINUTELY;COUNT=100000", 99_999), ("MINUTELY;INTERVAL=1441;COUNT=100000", 99_999 * 1_441),
      // Every seventh day at the time of the start.
      ("MINUTELY;INTERVAL=7;BYHOUR=3;BYMINUTE=0;COUNT=10000", 9_999 * 10_080),
    ] {
      let expansion = try expansion("DTSTART:18000101T030000", "FREQ=\(rule)")
      let start = try #require(CivilDateTime("1800-01-01T03:00"))
      let last = CivilDateTime(civilMinutes: start.civilMinutes + minutes)
      #expect(expansion.first(onOrAfter: last) == last, "\(rule)")
      let next = CivilDateTime(civilMinutes: last.civilMinutes + 1)
      #expect(expansion.search(from: next.civilMinutes) == .ended, "\(rule)")
    }
  }

  @Test("From every minute, the next instance is the next of those listed from the start")
  func everyMinute() throws {
    for rule in [
      "MINUTELY;INTERVAL=7", "MINUTELY;INTERVAL=1000;BYHOUR=8,9,20", "MINUTELY;BYMINUTE=0,59",
      "MINUTELY;INTERVAL=45;BYHOUR=3", "HOURLY;INTERVAL=5;BYMINUTE=10,50", "HOURLY;INTERVAL=30",
      "MINUTELY\nEXRULE:FREQ=MINUTELY;INTERVAL=7",
      "MINUTELY;INTERVAL=3\nEXRULE:FREQ=HOURLY;INTERVAL=5;BYMINUTE=0,3,6",
    ] {
      let expansion = try expansion("DTSTART:20260201T071300", "FREQ=\(rule)")
      let start = try #require(CivilDateTime("2026-02-01T00:00"))
      let listed = Array(RecurrenceInstances(expansion, from: start).prefix(3_000))
      for minute in 0..<2_000 {
        let from = CivilDateTime(civilMinutes: start.civilMinutes + minute)
        #expect(
          expansion.first(onOrAfter: from) == listed.first { $0 >= from }, "\(rule) from \(from)")
      }
    }
  }

  private func expansion(_ start: String, _ rule: String) throws -> RecurrenceExpansion {
    RecurrenceExpansion(of: try Recurrence(parsing: "\(start)\nRRULE:\(rule)"))
  }
}
