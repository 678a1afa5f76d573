import CarillonModel
import Testing

/// Occurrences that the person snoozes.
@Suite struct SnoozeTests {
  private static let moment = CivilDateTime(date: "2026-11-23", time: "17:00")

  private func fixture(_ habit: Habit, until: String?, number: Int = 0) -> PlanFixture {
    var fixture = PlanFixture("UTC", habit)
    fixture.snooze(habit, Self.moment, until: until, number: number)
    return fixture
  }

  private func show(_ fixture: inout PlanFixture, _ habit: Habit, revision: OccurrenceID.Revision) {
    fixture.state.receipts[habit.id, default: []].insert(
      OccurrenceReceipt(
        OccurrenceID(
          habit: habit.id, schedule: habit.schedules[0].id, nominal: Self.moment, revision: revision
        ), .delivered,
        fireAt: nil, replica: PlanFixture.device))
  }

  @Test("A snooze fires once, under the occurrence's ID, even after the occurrence was delivered")
  func revision() throws {
    let habit = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    var fixture = fixture(habit, until: nil)
    let id = try #require(fixture.plan(at: "2026-11-23T16:00Z").requests.first?.id)
    show(&fixture, habit, revision: .first)
    #expect(fixture.plan(at: "2026-11-23T17:01Z").nominals.first == "2026-11-24T17:00")
    fixture.state.snoozes = [:]
    fixture.snooze(habit, Self.moment, until: "2026-11-23T17:16Z")
    let plan = fixture.plan(at: "2026-11-23T17:01Z")
    let first = try #require(plan.requests.first)
    #expect(first.id == id && first.fireAt == instant("2026-11-23T17:16Z"))
    #expect(first.occurrence.revision == .snoozed(until: instant("2026-11-23T17:16Z")))
    #expect(first.trigger.description == "at 2026-11-23T17:16 UTC" && first.nominal == Self.moment)
    let explained = fixture.planner(at: instant("2026-11-23T17:01Z"))
      .explain(habit.id, on: "2026-11-23")
    #expect(explained.map(\.reason) == [.planned] && explained[0].fireAt == first.fireAt)
    show(&fixture, habit, revision: first.occurrence.revision)
    #expect(fixture.plan(at: "2026-11-23T17:01Z").nominals.first == "2026-11-24T17:00")
  }

  @Test("A snooze past midnight is still suppressed by its original due date")
  func dueDate() {
    let habit = Habit("Read", .daily(at: ["17:00"], unless: .done))
    var fixture = fixture(habit, until: "2026-11-24T00:20Z")
    let now = "2026-11-23T18:00Z"
    #expect(fixture.plan(at: now).fires.first == "2026-11-24T00:20Z")
    fixture.markDone(habit, on: "2026-11-24")
    #expect(fixture.plan(at: now).fires.first == "2026-11-24T00:20Z")
    fixture.markDone(habit, on: "2026-11-23")
    #expect(fixture.plan(at: now).fires.first == "2026-11-25T17:00Z")
  }

  @Test(
    "A snooze past the schedule's next occurrence fires beside it; of a removed time it does not")
  func pastNext() {
    let habit = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    let now = "2026-11-23T16:00Z"
    for (until, place) in [("2026-11-24T16:59Z", 0), ("2026-11-24T17:01Z", 1)] {
      let plan = fixture(habit, until: until).plan(at: now)
      #expect(plan.fires[place] == until && plan.fires[1 - place] == "2026-11-24T17:00Z")
    }
    let skipped = StoreState.Day(mark: .skip)
    var fixture = fixture(habit, until: "2026-11-25T09:00Z")
    fixture.state.days[habit.id] = ["2026-11-24": skipped]
    #expect(fixture.plan(at: now).fires.prefix(2) == ["2026-11-25T09:00Z", "2026-11-25T17:00Z"])
    #expect(self.fixture(habit, until: nil).plan(at: now).fires.first == "2026-11-23T17:00Z")
    var moved = habit
    moved.schedules[0].setTimes(["18:00"])
    #expect(
      self.fixture(moved, until: "2026-11-23T19:00Z").plan(at: now).fires[0]
        == "2026-11-23T18:00Z")
    #expect(
      self.fixture(habit, until: "2026-11-23T19:00Z", number: 1).plan(at: now).fires[0]
        == "2026-11-23T17:00Z")
  }

  @Test("A snooze outranks a quota, an entry, inactivity and dropping in quiet hours")
  func outranks() {
    var habit = Habit("Gym", .daily(at: ["17:00"], unless: [.done, .quota, .entry]))
    habit.schedules[0].quota = Quota("1/week")
    habit.schedules[0].quietPolicy = .drop
    let until = "2026-11-23T18:00Z"
    var fixture = fixture(habit, until: until)
    let now = "2026-11-23T17:30Z"
    fixture.markDone(habit, on: "2026-11-24")
    fixture.state.days[habit.id]?["2026-11-23"] = StoreState.Day(mark: .no)
    fixture.setLastActive("2026-11-01")
    #expect(fixture.plan(at: now).fires == [until])
    fixture.store.quietHours = DayWindow("17:45-19:30")
    #expect(fixture.plan(at: now).fires == ["2026-11-23T19:30Z"])
    let planner = fixture.planner(at: instant(now))
    let found = planner.snoozable(habit.id, until: instant(until))
    #expect(found?.occurrence.nominal == Self.moment)
    let explained = planner.explain(habit.id, on: "2026-11-23")
    #expect(explained.map(\.reason) == [.planned])
  }

  @Test(
    "Done, skip, pause, archiving and deletion end a snooze, and nothing is snoozed after them",
    arguments: ["done", "skip", "pause", "archive", "delete"])
  func ends(how: String) {
    let habit = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    let (now, until) = ("2026-11-23T17:30Z", "2026-11-23T18:00Z")
    var fixture = fixture(habit, until: until)
    #expect(fixture.plan(at: now).fires.first == until)
    switch how {
    case "done": fixture.markDone(habit, on: "2026-11-23")
    case "skip": fixture.state.days[habit.id] = ["2026-11-23": StoreState.Day(mark: .skip)]
    case "pause":
      let pause = Pause(id: .random(), habit: nil, first: "2026-11-23", last: "2026-11-23")
      fixture.state.pauses = [pause.id: pause]
    case "archive": fixture.state.habits[habit.id]?.isArchived = true
    default: fixture.state.habits[habit.id]?.isDeleted = true
    }
    #expect(fixture.plan(at: now).fires.first != until)
    let planner = fixture.planner(at: instant(now))
    #expect(planner.snoozable(habit.id, until: instant(until))?.occurrence.nominal != Self.moment)
  }

  @Test("An occurrence snoozed past the horizon is planned once the horizon reaches it")
  func beyondHorizon() {
    let habit = Habit("Once", .once(Self.moment))
    let fixture = fixture(habit, until: "2026-12-24T17:00Z")
    #expect(fixture.plan(at: "2026-11-23T17:30Z").requests.isEmpty)
    let explained = fixture.planner(at: instant("2026-11-23T17:30Z"))
      .explain(habit.id, on: "2026-11-23")
    #expect(explained.map(\.reason) == [.beyondHorizon])
    #expect(fixture.plan(at: "2026-12-20T00:00Z").fires == ["2026-12-24T17:00Z"])
  }

  @Test("An occurrence snoozed into the future is planned in addition to the repeating request")
  func besideRepeat() {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    let fixture = fixture(habit, until: "2026-11-23T17:15Z")
    let plan = fixture.plan(at: "2026-11-23T17:01Z")
    #expect(plan.requests.map(\.repeats) == [false, true])
    #expect(plan.fires == ["2026-11-23T17:15Z", "2026-11-24T17:00Z"])
    // Before 17:00 a repeating request would fire for the snoozed occurrence too.
    #expect(fixture.plan(at: "2026-11-23T16:59Z").requests.allSatisfy { !$0.repeats })
  }

  @Test("A snooze applies to the latest unsuppressed occurrence of 24 hours, delivered or not")
  func snoozable() throws {
    let habit = Habit(
      "Walk", .daily(at: ["08:00", "17:00"], unless: .done), .daily(at: ["17:00"], unless: .done))
    var fixture = PlanFixture("UTC", habit)
    func latest(_ now: String) -> SnoozableOccurrence? {
      fixture.planner(at: instant(now)).snoozable(
        habit.id, until: instant("2026-11-23T20:00Z"))
    }
    #expect(latest("2026-11-23T16:59Z")?.occurrence.nominal.description == "2026-11-23T08:00")
    let ids = fixture.plan(at: "2026-11-23T16:59Z").requests.prefix(2).map(\.id)
    let found = try #require(latest("2026-11-23T17:00Z"))
    #expect(found.occurrence.nominal == Self.moment && found.occurrence.revision == .first)
    #expect(found.instant == instant("2026-11-23T17:00Z"))
    fixture.snooze(
      habit, Self.moment, until: "2026-11-23T17:10Z",
      schedule: found.occurrence.schedule == habit.schedules[0].id ? 0 : 1)
    #expect(fixture.plan(at: "2026-11-23T17:05Z").requests.first?.id == ids.min())
    show(&fixture, habit, revision: .first)
    #expect(latest("2026-11-23T17:00Z")?.occurrence.nominal == Self.moment)
    fixture.markDone(habit, on: "2026-11-23")
    #expect(latest("2026-11-23T17:00Z")?.occurrence.nominal.description == "2026-11-22T17:00")
    #expect(latest("2026-11-23T17:01Z") == nil)
    let later = instant("2026-11-23T18:00Z")
    #expect(
      fixture.planner(at: instant("2026-11-23T17:00Z")).snoozable(.random(), until: later) == nil)
  }

  @Test(
    "A snooze moves one repeat of a relative schedule and gives it its own revision")
  func number() throws {
    let rule = Schedule.Rule.relative(
      Schedule.Relative(
        to: .once("2026-11-23"), offsetSeconds: -3_600, repeatCount: 2, repeatSeconds: 600))
    let habit = Habit("Train", Schedule(rule: rule, times: ["17:00"]))
    let fixture = fixture(habit, until: "2026-11-23T16:15Z", number: 1)
    let plan = fixture.plan(at: "2026-11-23T12:00Z")
    #expect(
      plan.fires == ["2026-11-23T16:00Z", "2026-11-23T16:15Z", "2026-11-23T16:20Z"])
    #expect(
      plan.requests.map(\.occurrence.revision.text)
        == ["0", "\(instant("2026-11-23T16:15Z").milliseconds)", "r2"])
    #expect(plan.nominals == Array(repeating: "2026-11-23T17:00", count: 3))
    #expect(Set(plan.requests.map(\.id)).count == 3)
  }
}
