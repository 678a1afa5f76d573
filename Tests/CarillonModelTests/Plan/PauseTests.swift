import CarillonModel
import Testing

@Suite struct PauseTests {
  private static let paused: ClosedRange<CivilDate> = "2026-11-24"..."2026-11-25"

  private func fixture(_ habit: Habit) -> PlanFixture {
    var fixture = PlanFixture("Europe/Berlin", habit)
    let pause = Pause(habit: nil, first: Self.paused.lowerBound, last: Self.paused.upperBound)
    fixture.state.pauses[pause.id] = pause
    return fixture
  }

  /// A reminder three hours before 01:00, for the date after the one on which it fires.
  private let early = Habit(
    "Feed",
    Schedule(
      rule: .relative(
        Schedule.Relative(to: .weekly(Set(Weekday.allCases)), offsetSeconds: -3 * 3_600)),
      times: ["01:00"]))

  @Test("A pause concerns due dates: a reminder for a later date fires in it, and can be snoozed")
  func due() {
    var fixture = fixture(early)
    let fires = fixture.plan(at: "2026-11-22T12:00Z").fires
    #expect(fires.prefix(2) == ["2026-11-22T21:00Z", "2026-11-25T21:00Z"])
    fixture.snooze(
      early, CivilDateTime(date: "2026-11-26", time: "01:00"), until: "2026-11-25T22:00Z")
    #expect(fixture.plan(at: "2026-11-25T21:30Z").fires.first == "2026-11-25T22:00Z")
  }

  @Test("A snooze to another date ends if a pause covers that date, which it names")
  func moved() {
    let habit = Habit("Walk", .daily(at: ["07:30"]))
    var fixture = fixture(habit)
    let nominal = CivilDateTime(date: "2026-11-23", time: "07:30")
    fixture.snooze(habit, nominal, until: "2026-11-24T08:00Z")
    let explained = fixture.planner(at: instant("2026-11-23T12:00Z"))
      .explain(habit.id, on: "2026-11-23")
    #expect(
      explained.map(\.detail)
        == [.paused(first: Self.paused.lowerBound, last: Self.paused.upperBound, ofAll: true)])
  }

  @Test("Reminders that quiet hours move into a pause are listed in the order of their times")
  func order() {
    let habit = Habit("Walk", .daily(at: ["22:30", "23:00", "23:30"]))
    var fixture = fixture(habit)
    fixture.store.quietHours = DayWindow(from: "22:00", to: "07:00")
    let explained = fixture.planner(at: instant("2026-11-23T12:00Z"))
      .explain(habit.id, on: "2026-11-23")
    #expect(explained.map(\.reason) == [.paused, .paused, .paused])
    #expect(explained.map(\.nominal.time) == ["22:30", "23:00", "23:30"])
    #expect(Set(explained.map(\.fireAt)) == [instant("2026-11-24T06:00Z")])
  }

  @Test("A delivered reminder says that a pause ends its snooze")
  func snoozed() {
    let habit = Habit("Walk", .daily(at: ["07:30"]))
    var fixture = fixture(habit)
    let nominal = CivilDateTime(date: "2026-11-23", time: "07:30")
    fixture.snooze(habit, nominal, until: "2026-11-24T08:00Z")
    fixture.state.receipts[habit.id] = [
      OccurrenceReceipt(
        OccurrenceID(
          habit: habit.id, schedule: habit.schedules[0].id, nominal: nominal),
        .delivered, fireAt: instant("2026-11-23T06:30Z"), replica: PlanFixture.device)
    ]
    func explained(at now: String) -> Explanation? {
      fixture.planner(at: instant(now)).explain(habit.id, on: "2026-11-23").first
    }
    let running = explained(at: "2026-11-23T07:00Z")
    #expect(running?.reason == .delivered)
    #expect(running?.pausedSnooze == instant("2026-11-24T08:00Z"))
    #expect(explained(at: "2026-11-24T09:00Z")?.pausedSnooze == nil)
    fixture.state.pauses = [:]
    #expect(explained(at: "2026-11-23T07:00Z")?.reason == .planned)
  }

  @Test("The first reminder of a night belongs to the date that began before it")
  func night() {
    let habit = Habit("Pill", .daily(at: ["02:00"]))
    var fixture = PlanFixture("Europe/Berlin", habit)
    fixture.dayStart = "04:00"
    let planner = fixture.planner(at: instant("2026-11-23T12:00Z"))
    let found = Explainer(planner, planner.plan())
      .firstFirings(of: habit.id, on: "2026-11-23"..."2026-11-24")
    #expect(
      found.byDate.mapValues(\.instant) == [
        "2026-11-23": instant("2026-11-24T01:00Z"), "2026-11-24": instant("2026-11-25T01:00Z"),
      ])
  }
}
