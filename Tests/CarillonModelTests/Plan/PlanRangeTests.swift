import CarillonModel
import Foundation
import Testing

@Suite("The dates on which a plan depends")
struct PlanRangeTests {
  private static func first(
    at now: Instant, in zone: String = "GMT", dayStart: TimeOfDay = "00:00",
    quietHours: DayWindow? = nil
  ) throws -> CivilDate {
    var store = StoreSettings()
    (store.dayStart, store.quietHours) = (dayStart, quietHours)
    let zone = try #require(TimeZone(identifier: zone))
    return Planner.range(now: now, settings: PlanSettings(zone: zone, store: store)).lowerBound
  }

  @Test("A plan depends on today, as the device and UTC count it")
  func today() throws {
    #expect(try Self.first(at: instant("2026-11-23T07:00Z")) == "2026-11-23")
    #expect(try Self.first(at: instant("2026-11-23T23:30Z"), in: "Asia/Tokyo") == "2026-11-23")
    #expect(
      try Self.first(at: instant("2026-11-23T02:00Z"), in: "America/New_York") == "2026-11-22")
    #expect(
      try Self.first(at: instant("2026-11-23T02:00Z"), dayStart: "04:00") == "2026-11-22")
  }

  @Test("Quiet hours and a change of the clocks add a day")
  func earlier() throws {
    let hours = DayWindow(from: "22:00", to: "07:00")
    #expect(try Self.first(at: instant("2026-11-23T07:00Z"), quietHours: hours) == "2026-11-22")
    #expect(
      try Self.first(at: instant("2026-03-29T07:00Z"), in: "Europe/Berlin") == "2026-03-28")
  }

  @Test("A habit depends on the dates of its entries that silence it, and on those of other zones")
  func habits() {
    let range = CivilDate("2026-11-23")...CivilDate(rawValue: .max)
    func first(_ change: (inout Schedule) -> Void) -> CivilDate {
      var schedule = Schedule.daily(at: ["08:00"])
      change(&schedule)
      let habit = Habit("Stretch", schedule)
      return Planner.range(of: habit, in: range).lowerBound
    }
    #expect(first { _ in } == "2026-11-23")
    #expect(first { $0.zone = .fixed("Asia/Tokyo") } == "2026-11-20")
    #expect(first { $0.doneWithin = .seconds(10 * 86_400) } <= "2026-11-13")
  }
}
