import CarillonModel
import Testing

@Suite struct ExplanationTests {
  private let now = instant("2026-11-23T12:00Z")
  private let habit = Habit("Range", .daily(at: ["17:00"], unless: .done))

  private func reasons(
    _ date: CivilDate = "2026-11-24", _ change: (inout PlanFixture, inout Habit) -> Void
  ) -> [Explanation.Reason] {
    var habit = habit
    var fixture = PlanFixture("UTC")
    change(&fixture, &habit)
    fixture.state.habits[habit.id] = habit
    return fixture.planner(at: now).explain(habit.id, on: date).map(\.reason)
  }

  private func pauseAll(_ fixture: inout PlanFixture) {
    let pause = Pause(habit: nil, first: "2026-11-01", last: nil)
    fixture.state.pauses[pause.id] = pause
  }

  @Test("An explanation has the first of the reasons that apply")
  func order() {
    var applied: [(inout PlanFixture, inout Habit) -> Void] = []
    func check(
      _ reason: Explanation.Reason, _ change: @escaping (inout PlanFixture, inout Habit) -> Void
    ) {
      applied.append(change)
      let found = reasons { fixture, habit in for change in applied { change(&fixture, &habit) } }
      #expect(found == [reason])
    }
    // From the last reason to the first: each new one takes precedence over all earlier ones.
    check(.planned) { _, _ in }
    check(.overCapacity) { fixture, _ in fixture.capacity = 0 }
    check(.beyondHorizon) { fixture, _ in fixture.horizonDays = 1 }
    check(.inactive) { fixture, _ in fixture.setLastActive("2026-11-01") }
    check(.done) { fixture, habit in fixture.markDone(habit, on: "2026-11-24") }
    check(.skipped) { fixture, habit in
      fixture.state.days[habit.id] = ["2026-11-24": StoreState.Day(mark: .skip)]
    }
    check(.afterEnd) { _, habit in habit.end = "2026-11-23" }
    check(.beforeStart) { _, habit in habit.start = "2026-11-25" }
    check(.paused) { fixture, _ in pauseAll(&fixture) }
    // What was recorded as delivered stays so, whatever was recorded afterwards.
    check(.delivered) { fixture, habit in
      fixture.state.receipts[habit.id] = [
        OccurrenceReceipt(
          OccurrenceID(
            habit: habit.id, schedule: habit.schedules[0].id,
            nominal: CivilDateTime(date: "2026-11-24", time: "17:00")), .delivered, fireAt: nil,
          replica: PlanFixture.device)
      ]
    }
  }

  @Test("Archived and deleted habits are explained too, and deletion takes precedence")
  func gone() {
    #expect(reasons { _, habit in habit.isArchived = true } == [.archived])
    #expect(
      reasons { _, habit in
        habit.isArchived = true
        habit.isDeleted = true
      } == [.deleted])
  }

  @Test("An occurrence at or before now is past")
  func past() {
    #expect(reasons("2026-11-22") { _, _ in } == [.past])
    #expect(reasons("2026-11-23") { _, habit in habit.schedules[0].setTimes(["12:00"]) } == [.past])
    #expect(
      reasons("2026-11-23") { _, habit in habit.schedules[0].setTimes(["12:01"]) } == [.planned])
  }

  @Test("A repeating request represents all its dates, even beyond the horizon")
  func repeating() {
    let habit = Habit("Walk", .daily(at: ["17:00"]))
    let planner = PlanFixture("UTC", habit).planner(at: now)
    let id = planner.plan().requests[0].id
    for date: CivilDate in ["2026-11-23", "2026-11-24", "2027-06-01"] {
      let found = planner.explain(habit.id, on: date)
      #expect(found.map(\.reason) == [.planned] && found.map(\.id) == [id])
      #expect(found.map(\.nominal) == [CivilDateTime(date: date, time: "17:00")])
    }
  }

  @Test("An occurrence before the start of the day belongs to the previous day")
  func dayStart() {
    let habit = Habit("Sleep", .daily(at: ["01:00", "23:00"], unless: .done))
    var fixture = PlanFixture("UTC", habit)
    fixture.dayStart = "04:00"
    let found = fixture.planner(at: now).explain(habit.id, on: "2026-11-24")
    #expect(found.map(\.nominal.description) == ["2026-11-24T23:00", "2026-11-25T01:00"])
    #expect(found.allSatisfy { $0.due == "2026-11-24" })
    fixture.markDone(habit, on: "2026-11-24")
    let nominals = fixture.planner(at: now).plan().nominals
    #expect(
      nominals.prefix(4) == [
        "2026-11-23T23:00", "2026-11-24T01:00", "2026-11-25T23:00", "2026-11-26T01:00",
      ])
  }

  @Test("The next occurrence is the first that its date does not suppress, also after the horizon")
  func next() {
    var fixture = PlanFixture("UTC", Habit("Walk", .daily(at: ["17:00"], unless: .done)))
    func next(_ rule: Schedule.Rule? = nil) -> Explanation? {
      var fixture = fixture
      guard var habit = fixture.state.habits.values.first else { return nil }
      if let rule { habit.schedules[0].rule = rule }
      fixture.state.habits[habit.id] = habit
      let planner = fixture.planner(at: instant("2026-11-23T12:00Z"))
      return Explainer(planner, planner.plan()).nextExplanation(of: habit.id)
    }
    #expect(next()?.nominal.description == "2026-11-23T17:00")
    for habit in fixture.state.habits.values { fixture.markDone(habit, on: "2026-11-23") }
    #expect(next()?.nominal.description == "2026-11-24T17:00" && next()?.reason == .planned)
    let once = next(.once("2026-11-23"))
    #expect(once?.reason == .done, "nothing else is ahead")
    let far = next(.everyDays(14, from: "2026-11-23"))
    #expect(far?.nominal.description == "2026-12-07T17:00" && far?.reason == .beyondHorizon)
    #expect(next(.once("2026-11-20")) == nil)
  }

  @Test("With what is moved, a date also has what quiet hours move to it from the date before")
  func moved() {
    let habit = Habit("Late", .daily(at: ["23:30"]))
    var fixture = PlanFixture("UTC", habit)
    fixture.store.quietHours = DayWindow("22:00-07:00")
    let planner = fixture.planner(at: instant("2026-11-23T12:00Z"))
    let found = planner.explain(habit.id, on: "2026-11-24", includingMoved: true)
    #expect(found.map(\.nominal.description) == ["2026-11-23T23:30", "2026-11-24T23:30"])
    let fires = ["2026-11-24T07:00Z", "2026-11-25T07:00Z"].map { instant($0) }
    #expect(found.map(\.fireAt) == fires)
  }

  @Test("Unknown habits and schedules that cannot be planned have no explanation")
  func unknown() {
    var habit = habit
    habit.schedules = [
      Schedule(rule: .unknown(number: 9, bytes: [1]), times: ["07:00"]),
      Schedule(rule: .once("2026-11-24"), times: ["07:00"], zone: .fixed("Mars/Olympus")),
    ]
    let fixture = PlanFixture("UTC", habit)
    let planner = fixture.planner(at: now)
    #expect(planner.explain(.random(), on: "2026-11-24") == [])
    #expect(planner.explain(habit.id, on: "2026-11-24") == [])
    let problems = planner.plan().problems
    #expect(
      Set(problems.map(\.kind)) == [.unknownRule(number: 9), .unknownZone("Mars/Olympus")])
    #expect(problems.allSatisfy { $0.description.contains($0.schedule.description) })
  }
}
