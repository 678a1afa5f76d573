import Testing

@testable import CarillonModel

@Suite("Repeating triggers of recurrences")
struct RepeatShapeTests {
  @Test(
    "A rule that the system supports has a trigger for each of its instances",
    arguments: [
      ("FREQ=DAILY", "daily 07:30"),
      ("FREQ=DAILY;BYDAY=SU,MO,TU,WE,TH,FR,SA", "daily 07:30"),
      ("FREQ=WEEKLY;BYDAY=SU,MO,TU,WE,TH,FR,SA;WKST=SU", "daily 07:30"),
      ("FREQ=WEEKLY", "weekly 7 07:30"),
      ("FREQ=WEEKLY;BYDAY=FR,MO", "weekly 1 07:30, weekly 5 07:30"),
      ("FREQ=DAILY;BYDAY=FR,MO", "weekly 1 07:30, weekly 5 07:30"),
      ("FREQ=MONTHLY", "monthly 15 07:30"),
      ("FREQ=MONTHLY;BYMONTHDAY=1,28", "monthly 1 07:30, monthly 28 07:30"),
      ("FREQ=YEARLY", "yearly 03-15 07:30"),
      ("FREQ=YEARLY;BYMONTHDAY=1,28", "monthly 1 07:30, monthly 28 07:30"),
      ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=5,31", "yearly 12-05 07:30, yearly 12-31 07:30"),
      ("FREQ=MONTHLY;BYMONTH=6", "yearly 06-15 07:30"),
      ("FREQ=DAILY;BYHOUR=7,19;BYMINUTE=0", "daily 07:00, daily 19:00"),
      ("FREQ=HOURLY;INTERVAL=12", "daily 07:30, daily 19:30"),
      ("FREQ=HOURLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0,1", "weekly 1 08:00, weekly 1 08:01"),
      ("FREQ=MINUTELY;INTERVAL=720", "daily 07:30, daily 19:30"),
    ])
  func repeated(rule: String, triggers: String) throws {
    let recurrence = try Recurrence(parsing: "DTSTART:20260315T073000\nRRULE:\(rule)")
    let shape = try #require(recurrence.repeatShape)
    let from = CivilDateTime(date: "2027-01-01", time: .midnight)
    let end = CivilDateTime(date: "2028-01-01", time: .midnight)
    let found = Set(recurrence.instances(from: from).prefix { $0 < end }.map(shape.trigger))
    #expect(found.map(\.text).sorted().joined(separator: ", ") == triggers)
  }

  @Test(
    "A rule with an end, an interval or irregular dates is not repeated",
    arguments: [
      "FREQ=DAILY;INTERVAL=2", "FREQ=DAILY;COUNT=9", "FREQ=DAILY;UNTIL=20300101",
      "FREQ=DAILY;BYMONTH=3", "FREQ=DAILY;BYMONTHDAY=1", "FREQ=WEEKLY;BYMONTH=3",
      "FREQ=MONTHLY;BYMONTHDAY=29", "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYDAY=1MO",
      "FREQ=MONTHLY;BYMONTHDAY=1,2;BYSETPOS=1", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
      "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31", "FREQ=YEARLY;BYDAY=MO", "FREQ=YEARLY;BYMONTH=2",
      "FREQ=YEARLY;BYWEEKNO=20", "FREQ=YEARLY;BYYEARDAY=100", "FREQ=YEARLY;BYMONTHDAY=1,29",
      "FREQ=HOURLY;INTERVAL=5", "FREQ=HOURLY;BYYEARDAY=3", "FREQ=MINUTELY;INTERVAL=30",
      "FREQ=HOURLY;INTERVAL=6;BYHOUR=2", "FREQ=DAILY\nRRULE:FREQ=WEEKLY",
      "FREQ=DAILY\nEXRULE:FREQ=WEEKLY", "FREQ=DAILY\nEXDATE:20260401T073000",
      "FREQ=DAILY\nRDATE:20260401T083000",
    ])
  func single(rule: String) throws {
    let recurrence = try Recurrence(parsing: "DTSTART:20260131T073000\nRRULE:\(rule)")
    #expect(recurrence.repeatShape == nil)
  }
}
