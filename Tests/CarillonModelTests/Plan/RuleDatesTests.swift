import Testing

@testable import CarillonModel

@Suite struct RuleDatesTests {
  @Test("Every set of weekdays has the dates that stepping from day to day finds")
  func weekdays() throws {
    let monday: CivilDate = "2026-11-23"
    for bits in 1..<128 {
      let weekdays = Set(Weekday.allCases.filter { bits >> ($0.rawValue - 1) & 1 == 1 })
      let dates = try #require(RuleDates(.weekly(weekdays)))
      for date in (-7..<7).map(monday.adding(days:)) + ["1969-12-28", "1970-01-01"] {
        let walked = (0..<7).map(date.adding(days:)).first { weekdays.contains($0.weekday) }
        #expect(dates.first(onOrAfter: date) == walked)
        #expect(dates.contains(date) == weekdays.contains(date.weekday))
      }
    }
  }

  @Test("Every n-th day counts from the anchor on, and n = 0 has no dates")
  func everyDays() throws {
    let dates = try #require(RuleDates(.everyDays(3, from: "2026-11-23")))
    #expect(dates.first(onOrAfter: "2026-01-01") == "2026-11-23")
    #expect(dates.first(onOrAfter: "2026-11-24") == "2026-11-26")
    #expect(dates.contains("2026-11-29") && !dates.contains("2026-11-30"))
    #expect(!dates.contains("2026-11-20"))
    let none = try #require(RuleDates(.everyDays(0, from: "2026-11-23")))
    #expect(none.first(onOrAfter: "2026-11-23") == nil)
  }

  @Test("A single date is found until it is past")
  func once() throws {
    let dates = try #require(RuleDates(.once("2026-11-23")))
    #expect(dates.first(onOrAfter: "2026-11-01") == "2026-11-23")
    #expect(dates.first(onOrAfter: "2026-11-24") == nil)
    #expect(dates.contains("2026-11-23") && !dates.contains("2026-11-22"))
  }

  @Test("All weekdays and n = 1 repeat daily, fewer weekdays repeat weekly, others do not repeat")
  func repetition() {
    let all = Set(Weekday.allCases)
    #expect(RuleDates(.weekly(all))?.shape?.shape == .daily)
    #expect(RuleDates(.everyDays(1, from: "2026-11-23"))?.shape?.shape == .daily)
    #expect(RuleDates(.weekly(all.subtracting([.sunday])))?.shape?.requestCount == 6)
    #expect(RuleDates(.everyDays(7, from: "2026-11-23"))?.shape == nil)
    #expect(RuleDates(.once("2026-11-23"))?.shape == nil)
  }

  @Test("An unknown rule has no dates")
  func unknown() {
    #expect(RuleDates(.unknown(number: 99, bytes: [1])) == nil)
  }
}
