import CarillonModel
import Testing

/// The scenarios of the planner's specification.
@Suite struct PlannerScenarioTests {
  @Test("A time in a gap is converted with the offset before the gap")
  func gap() {
    let plan = PlanFixture("Europe/Berlin", Habit("Walk", .daily(at: ["02:30"])))
      .plan(at: "2026-03-27T12:00Z")
    #expect(
      plan.fires.prefix(3) == ["2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"])
    #expect(plan.requests.map(\.repeats).allSatisfy { !$0 })
    #expect(plan.requests[1].trigger.description == "at 2026-03-29T03:30")
    #expect(plan.requests[1].nominal.description == "2026-03-29T02:30")
  }

  @Test("A time that occurs twice fires once, at the first")
  func overlap() {
    let habit = Habit("Walk", .daily(at: ["01:30"], unless: .done))
    let plan = PlanFixture("America/New_York", habit).plan(at: "2026-10-31T00:00Z")
    #expect(
      plan.fires.prefix(3) == ["2026-10-31T05:30Z", "2026-11-01T05:30Z", "2026-11-02T06:30Z"])
  }

  @Test("Between its two occurrences, a time that occurs twice is past")
  func secondPass() {
    let habit = Habit("Walk", .daily(at: ["01:30"]))
    let plan = PlanFixture("America/New_York", habit).plan(at: "2026-11-01T06:10Z")
    #expect(plan.fires == ["2026-11-02T06:30Z"])
    #expect(plan.requests.first?.repeats == true)
  }

  @Test("A gap of half an hour shifts by half an hour")
  func shortGap() {
    let habit = Habit("Walk", .once(.init(date: "2026-10-04", time: "02:15")))
    #expect(
      PlanFixture("Australia/Lord_Howe", habit).plan(at: "2026-10-01T00:00Z").fires
        == ["2026-10-03T15:45Z"])
  }

  @Test("An overlap of half an hour fires once")
  func shortOverlap() {
    let habit = Habit("Walk", .once(.init(date: "2026-04-05", time: "01:45")))
    #expect(
      PlanFixture("Australia/Lord_Howe", habit).plan(at: "2026-04-01T00:00Z").fires
        == ["2026-04-04T14:45Z"])
  }

  @Test("A date that the zone skips has no occurrence")
  func missingDate() {
    let habit = Habit("Walk", .daily(at: ["08:00"], unless: .done))
    let fixture = PlanFixture("Pacific/Apia", habit)
    let plan = fixture.plan(at: "2011-12-29T12:00Z")
    #expect(plan.fires.prefix(2) == ["2011-12-29T18:00Z", "2011-12-30T18:00Z"])
    #expect(plan.nominals.prefix(2) == ["2011-12-29T08:00", "2011-12-31T08:00"])
    #expect(
      fixture.planner(at: instant("2011-12-29T12:00Z")).explain(habit.id, on: "2011-12-30") == [])
  }

  @Test("A weekly occurrence on a date that the zone skips fires the next week")
  func missingFriday() {
    let habit = Habit("Walk", .weekly(on: [.friday], at: ["08:00"], unless: .done))
    var fixture = PlanFixture("Pacific/Apia", habit)
    fixture.horizonDays = 20
    #expect(
      fixture.plan(at: "2011-12-20T00:00Z").nominals == ["2011-12-23T08:00", "2012-01-06T08:00"])
    fixture.state.habits[habit.id]?.schedules[0].unless = .none
    let plan = fixture.plan(at: "2011-12-24T00:00Z")
    #expect(plan.nominals == ["2012-01-06T08:00"])
    #expect(plan.requests.map(\.trigger.description) == ["weekly 5 08:00"])
    #expect(fixture.plan(at: "2011-12-23T10:30Z").nominals == ["2011-12-23T08:00"])
  }

  @Test("An offset of 45 minutes is supported")
  func kathmandu() {
    let habit = Habit("Walk", .once(.init(date: "2026-01-02", time: "07:00")))
    #expect(
      PlanFixture("Asia/Kathmandu", habit).plan(at: "2026-01-01T00:00Z").fires
        == ["2026-01-02T01:15Z"])
  }

  @Test("A gap does not shift the anchor of every third day")
  func everyThirdDay() {
    let habit = Habit("Walk", .every(days: 3, from: "2026-03-02", at: ["02:30"]))
    var fixture = PlanFixture("America/New_York", habit)
    fixture.horizonDays = 12
    #expect(
      fixture.plan(at: "2026-03-01T12:00Z").fires
        == ["2026-03-02T07:30Z", "2026-03-05T07:30Z", "2026-03-08T07:30Z", "2026-03-11T06:30Z"])
  }

  @Test("Travel changes the instants, but neither IDs nor fingerprints")
  func travel() {
    let habit = Habit("Walk", .daily(at: ["08:00"], unless: .done))
    var fixture = PlanFixture("Europe/Berlin", habit)
    let before = fixture.plan(at: "2026-05-09T20:00Z")
    #expect(before.fires.first == "2026-05-10T06:00Z")
    fixture.zone = "Asia/Tokyo"
    let after = fixture.plan(at: "2026-05-09T20:00Z")
    #expect(after.fires.first == "2026-05-09T23:00Z")
    #expect(after.requests.first?.id == before.requests.first?.id)
    // In Tokyo it is already the 10th. The 17th has entered the horizon, and nothing is replaced.
    let difference = after.difference(from: before.scheduled)
    #expect(difference.removals == [])
    #expect(difference.insertions.map(\.nominal.description) == ["2026-05-17T08:00"])
    #expect(difference.unchanged == 7)
  }

  @Test("A schedule with a fixed zone keeps its civil time wherever the device is")
  func fixedZone() {
    var schedule = Schedule.weekly(on: [.monday, .friday], at: ["09:00"], unless: .done)
    schedule.zone = .fixed("America/New_York")
    var fixture = PlanFixture("Europe/London", Habit("Call", schedule))
    fixture.horizonDays = 26
    let spring = fixture.plan(at: "2026-03-06T00:00Z")
    #expect(
      spring.fires == [
        "2026-03-06T14:00Z", "2026-03-09T13:00Z", "2026-03-13T13:00Z", "2026-03-16T13:00Z",
        "2026-03-20T13:00Z", "2026-03-23T13:00Z", "2026-03-27T13:00Z", "2026-03-30T13:00Z",
      ])
    #expect(spring.requests.first?.trigger.description == "at 2026-03-06T09:00 America/New_York")
    fixture.horizonDays = 8
    let autumn = fixture.plan(at: "2026-10-26T00:00Z")
    #expect(autumn.fires == ["2026-10-26T13:00Z", "2026-10-30T13:00Z", "2026-11-02T14:00Z"])
  }

  @Test("Done removes the request, undone restores it, and the next day adds one")
  func unlessDone() {
    let habit = Habit("Range", .daily(at: ["17:00"], unless: .done))
    var fixture = PlanFixture("Europe/Berlin", habit)
    let monday = fixture.plan(at: "2026-11-23T08:00Z")
    #expect(monday.requests.count == 8)
    #expect(monday.nominals.first == "2026-11-23T17:00")
    #expect(monday.nominals.last == "2026-11-30T17:00")
    let open = fixture.state
    fixture.markDone(habit, on: "2026-11-23")
    let done = fixture.plan(at: "2026-11-23T15:00Z")
    let change = done.difference(from: monday.scheduled)
    #expect(change.removals == [monday.requests[0].id])
    #expect(change.insertions == [])
    #expect(done.difference(from: done.scheduled).isEmpty)
    let tuesday = fixture.plan(at: "2026-11-24T08:00Z")
    #expect(tuesday.difference(from: done.scheduled).removals == [])
    #expect(
      tuesday.difference(from: done.scheduled).insertions.map(\.nominal.description)
        == ["2026-12-01T17:00"])
    fixture.state = open
    let undone = fixture.plan(at: "2026-11-23T15:30Z").difference(from: done.scheduled)
    #expect(undone.removals == [])
    #expect(undone.insertions.map(\.id) == [monday.requests[0].id])
  }

  @Test("Without activity, a schedule with a condition stops after seven days")
  func inactivity() {
    let habit = Habit("Range", .daily(at: ["17:00"], unless: .done))
    var fixture = PlanFixture("Europe/Berlin", habit)
    fixture.setLastActive("2026-11-23")
    #expect(fixture.plan(at: "2026-11-23T08:00Z").requests.count == 8)
    // Submitted on Monday, and again a week later: the last request is the same.
    let later = fixture.plan(at: "2026-11-30T08:00Z")
    #expect(later.nominals == ["2026-11-30T17:00"])
    let reasons = fixture.planner(at: instant("2026-11-30T08:00Z"))
      .explain(habit.id, on: "2026-12-01").map(\.reason)
    #expect(reasons == [.inactive])
    fixture.horizonDays = 7
    #expect(fixture.plan(at: "2026-11-23T08:00Z").requests.count == 7)
  }

  @Test(
    "The soonest occurrences that fit are planned, and coverage ends at the first that does not")
  func capacity() throws {
    let habits = (1...12).map {
      Habit("Habit \($0)", .daily(at: ["08:00", "20:00"], unless: .done))
    }
    var fixture = PlanFixture("Europe/Berlin", habits: habits)
    let plan = fixture.plan(at: "2026-11-23T00:00Z")
    #expect(plan.requests.count == 64)
    let dates = Dictionary(grouping: plan.requests, by: \.nominal.date).mapValues(\.count)
    #expect(dates == ["2026-11-23": 24, "2026-11-24": 24, "2026-11-25": 16])
    #expect(utc(plan.coverageUntil) == "2026-11-25T19:00Z")
    #expect(plan.dropped == 12 * 2 * 8 - 64)
    let daily = Habit("Water", .daily(at: ["12:00"]))
    fixture.state.habits[daily.id] = daily
    let more = fixture.plan(at: "2026-11-23T00:00Z")
    #expect(more.requests.filter(\.repeats).map(\.trigger.description) == ["daily 12:00"])
    #expect(more.requests.count == 64)
    #expect(more.computedCount <= 64 + 2 * 13)
  }
}

extension PlanDifference {
  /// Whether there are no changes.
  var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }
}
