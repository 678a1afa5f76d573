import CarillonModel
import Testing

/// Which requests fit the capacity.
@Suite struct QueueTests {
  private static let now = "2026-11-23T08:00Z"

  /// A habit with a conditional reminder every hour, whose requests are all single.
  private static let water = Habit(
    "Water",
    .daily(at: (0..<24).compactMap { TimeOfDay(minute: $0 * 60) }, unless: .done))

  private static let place = Habit(
    "Gym bag",
    Schedule(
      rule: .place(
        .init(latitude: 52_520_000, longitude: 13_405_000, radius: 200, crossing: .entry)),
      times: []))

  @Test("Places, one-offs and the next reminder of every schedule fit before repetitions")
  func fair() {
    let dentist = Habit("Dentist", .once(CivilDateTime(date: "2026-11-29", time: "09:30")))
    let weekly = Habit(
      "Bins", Schedule(rule: .weekly([.saturday]), times: ["07:15"], unless: .done))
    var fixture = PlanFixture("UTC", Self.water, Self.place, dentist, weekly)
    fixture.setLastActive("2026-11-23")
    let plan = fixture.plan(at: Self.now)
    let titles = plan.requests.map(\.content.title)
    #expect(plan.requests.count == 64)
    #expect(titles.last == "Gym bag" && titles.contains("Dentist") && titles.contains("Bins"))
    #expect(titles.count { $0 == "Water" } == 61)
    #expect(plan.coverageUntil == instant("2026-11-25T22:00Z"))
    let left = plan.leftOut
    #expect(left.map(\.title) == ["Water"] && left.first?.since == plan.coverageUntil)
    #expect(plan.difference(from: plan.scheduled).isEmpty)
  }

  @Test("Places and one-offs take at most half, other places come before repetitions")
  func half() {
    let places = (0..<6).map { Habit("Place \($0)", Self.place.schedules[0]) }
    var fixture = PlanFixture("UTC", habits: places + [Self.water])
    fixture.capacity = 8
    let plan = fixture.plan(at: Self.now)
    #expect(plan.requests.count { $0.fireAt == nil } == 6)
    #expect(plan.requests.prefix(2).allSatisfy { $0.content.title == "Water" })
    #expect(plan.leftOut.map { $0.since == nil } == [false])
    fixture.state.habits[Self.water.id] = nil
    #expect(fixture.plan(at: Self.now).requests.count == 6)
    #expect(fixture.plan(at: Self.now).leftOut.isEmpty)
  }

  @Test("A snoozed reminder is never pushed out")
  func snoozed() throws {
    let walk = Habit("Walk", .daily(at: ["07:00"], unless: .done))
    var fixture = PlanFixture("UTC", habits: [Self.water, Self.place, walk])
    fixture.snooze(
      walk, CivilDateTime(date: "2026-11-23", time: "07:00"), until: "2026-11-24T06:59Z")
    for capacity in 1...4 {
      fixture.capacity = capacity
      let plan = fixture.plan(at: Self.now)
      #expect(plan.fires.contains("2026-11-24T06:59Z"), "capacity \(capacity)")
      #expect(plan.requests.count == capacity)
    }
    fixture.store.quietHours = DayWindow("06:00-09:30")
    fixture.capacity = 1
    #expect(fixture.plan(at: Self.now).fires == ["2026-11-24T09:30Z"])
    fixture.store.digest = DigestRule("1/86400s")
    fixture.capacity = 2
    let plan = fixture.plan(at: Self.now)
    #expect(plan.fires == ["2026-11-23T09:30Z", "2026-11-24T09:30Z"])
  }

  @Test("With more schedules than places, those that fire next fit, and the others are named")
  func manySchedules() {
    let habits = (0..<100).map { index in
      Habit(
        "Habit \(index)",
        .daily(at: [TimeOfDay(minute: 600 + index) ?? .midnight], unless: .done))
    }
    let plan = PlanFixture("UTC", habits: habits).plan(at: Self.now)
    #expect(plan.requests.map(\.content.title) == (0..<64).map { "Habit \($0)" })
    #expect(plan.leftOut.count == 64 && plan.leftOut[0].title == "Habit 64")
    let since = plan.leftOut.compactMap(\.since)
    #expect(since == since.sorted())
    #expect(plan.computedCount <= 64 + 2 * 100)
  }
}
