import CarillonModel
import Testing

@Suite struct BadgeTests {
  @Test("The badge counts what is due today, has fired and is not done")
  func badge() {
    let habit = Habit("Walk", .daily(at: ["07:30", "17:00"]), .daily(at: ["01:00"]))
    var fixture = PlanFixture("UTC", habit)
    func count(_ now: String) -> Int { fixture.planner(at: instant(now)).badgeCount() }
    #expect(count("2026-11-23T00:30Z") == 0)
    #expect(count("2026-11-23T07:29Z") == 1)
    #expect(count("2026-11-23T07:30Z") == 2)
    #expect(count("2026-11-23T23:59Z") == 3)
    fixture.dayStart = "04:00"
    #expect(count("2026-11-24T01:00Z") == 3)
    #expect(count("2026-11-24T04:00Z") == 0)
    fixture.markDone(habit, on: "2026-11-23")
    #expect(count("2026-11-24T01:00Z") == 0)
    fixture.state.days = [habit.id: ["2026-11-23": State.Day(mark: .skip)]]
    #expect(count("2026-11-23T23:59Z") == 0)
  }

  @Test("A date that the zone leaves out puts nothing on the badge")
  func missingDate() {
    let fixture = PlanFixture(
      "Pacific/Apia", Habit("Walk", .once(.init(date: "2011-12-30", time: "08:00"))))
    #expect(fixture.planner(at: instant("2011-12-31T05:00Z")).badgeCount() == 0)
  }
}
