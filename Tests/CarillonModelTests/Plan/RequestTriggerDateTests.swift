import Testing

@testable import CarillonModel

@Suite("Repeating triggers")
struct RequestTriggerDateTests {
  @Test(
    "The last date of a trigger is the latest one at or before a date",
    arguments: [
      (.daily("07:30"), "2026-03-15", "2026-03-15"),
      (.weekly(.sunday, "07:30"), "2026-03-15", "2026-03-15"),
      (.weekly(.monday, "07:30"), "2026-03-15", "2026-03-09"),
      (.monthly(day: 15, "07:30"), "2026-03-15", "2026-03-15"),
      (.monthly(day: 16, "07:30"), "2026-03-15", "2026-02-16"),
      (.monthly(day: 16, "07:30"), "2026-01-15", "2025-12-16"),
      (.monthly(day: 1, "07:30"), "2026-01-01", "2026-01-01"),
      (.yearly(month: 3, day: 15, "07:30"), "2026-03-15", "2026-03-15"),
      (.yearly(month: 3, day: 16, "07:30"), "2026-03-15", "2025-03-16"),
      (.yearly(month: 12, day: 31, "07:30"), "2026-01-01", "2025-12-31"),
    ] as [(RequestTrigger.Shape, CivilDate, CivilDate)])
  func lastDate(trigger: RequestTrigger.Shape, date: CivilDate, last: CivilDate) {
    #expect(trigger.lastDate(by: date) == last)
  }
}
