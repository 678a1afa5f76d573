import CarillonModel
import Testing

/// How each kind of rule is planned: intervals, recurrences, relative rules and places.
@Suite struct RuleScenarioTests {
  private func interval(
    _ seconds: Int, from: String, window: String? = nil, unless: Schedule.Condition = .none
  ) -> Schedule {
    Schedule(
      rule: .interval(
        Schedule.Interval(
          seconds: seconds, from: instant(from), window: window.flatMap { DayWindow($0) })),
      times: [], unless: unless)
  }

  @Test("Scenario 15: an interval counts elapsed time, independent of changes of the clocks")
  func scenario15() {
    let habit = Habit("Water", interval(14_400, from: "2026-11-01T04:00Z", unless: .done))
    var fixture = PlanFixture("America/New_York", habit)
    fixture.capacity = 4
    let plan = fixture.plan(at: "2026-11-01T03:59Z")
    #expect(
      plan.nominals == [
        "2026-11-01T00:00", "2026-11-01T03:00", "2026-11-01T07:00", "2026-11-01T11:00",
      ])
    #expect(
      plan.requests.map(\.occurrence.nominal.description) == [
        "2026-11-01T04:00", "2026-11-01T08:00", "2026-11-01T12:00", "2026-11-01T16:00",
      ])
    #expect(plan.requests[0].trigger.description == "at 2026-11-01T04:00 UTC")
    fixture.zone = "Asia/Tokyo"
    #expect(
      fixture.plan(at: "2026-11-01T03:59Z").difference(from: plan.scheduled).insertions.isEmpty)
  }

  @Test(
    "An interval without a window repeats once started; with a window it fires only inside it")
  func intervals() {
    let plain = Habit("Water", interval(3_600, from: "2026-11-23T07:15Z"))
    let plan = PlanFixture("UTC", plain).plan(at: "2026-11-23T08:00Z")
    #expect(plan.requests.map(\.trigger.description) == ["every 3600"])
    #expect(plan.fires == ["2026-11-23T08:15Z"])
    #expect(
      !PlanFixture("UTC", plain).plan(at: "2026-11-23T07:00Z").requests.contains { $0.repeats })
    let office = Habit("Stand", interval(3_600, from: "2026-11-23T00:15Z", window: "22:00-01:00"))
    var fixture = PlanFixture("Europe/Berlin", office)
    fixture.capacity = 4
    #expect(
      fixture.plan(at: "2026-11-23T20:00Z").nominals == [
        "2026-11-23T22:15", "2026-11-23T23:15", "2026-11-24T00:15", "2026-11-24T22:15",
      ])
  }

  @Test("An interval with a new start replaces its request only if its instants change")
  func intervalPhase() {
    var habit = Habit("Water", interval(3_600, from: "2026-11-23T07:15Z"))
    let held = PlanFixture("UTC", habit).plan(at: "2026-11-23T08:00Z")
    func insertions(_ start: String, in zone: String = "UTC", at now: String) -> [String] {
      habit.schedules[0].rule = .interval(Schedule.Interval(seconds: 3_600, from: instant(start)))
      let plan = PlanFixture(zone, habit).plan(at: now)
      #expect(plan.requests.map(\.id) == held.requests.map(\.id))
      return plan.difference(from: held.scheduled).insertions.compactMap(\.fireAt).map(utc)
    }
    #expect(insertions("2026-11-23T07:20Z", at: "2026-11-23T08:00Z") == ["2026-11-23T08:20Z"])
    // A start moved by whole intervals, a later time or another zone leaves the instants the same.
    #expect(insertions("2026-11-22T03:15Z", at: "2026-11-23T08:00Z") == [])
    #expect(insertions("2026-11-23T07:15Z", at: "2026-11-25T17:30Z") == [])
    #expect(insertions("2026-11-23T07:15Z", in: "Asia/Kathmandu", at: "2026-11-23T08:00Z") == [])
  }

  @Test("An entry in the configured seconds before an occurrence suppresses it")
  func doneWithin() {
    var habit = Habit("Stand", interval(6_600, from: "2026-11-23T08:00Z"))
    habit.schedules[0].doneWithinSeconds = 3_000
    var fixture = PlanFixture("UTC", habit)
    fixture.capacity = 2
    for (entry, first) in [
      ("2026-11-23T07:10Z", "2026-11-23T08:00Z"), ("2026-11-23T07:11Z", "2026-11-23T09:50Z"),
      ("2026-11-23T08:00Z", "2026-11-23T09:50Z"), ("2026-11-23T08:01Z", "2026-11-23T08:00Z"),
    ] {
      fixture.state.entryTimes[habit.id] = [instant(entry)]
      #expect(fixture.plan(at: "2026-11-23T07:59Z").fires.first == first, "\(entry)")
    }
    #expect(habit.schedules[0].inactivityDays == 7)
  }

  @Test("A rule of minutes continues after a day that is done, a pause and quiet hours")
  func minutes() throws {
    let rule = try #require(Recurrence("DTSTART:20261123T090000\nRRULE:FREQ=MINUTELY;INTERVAL=7"))
    var habit = Habit("Look", Schedule(rule: .recurrence(rule), times: [], unless: .done))
    var fixture = PlanFixture("Europe/Berlin", habit)
    fixture.capacity = 3
    let now = "2026-11-23T11:00Z"
    #expect(
      fixture.plan(at: now).nominals == [
        "2026-11-23T12:02", "2026-11-23T12:09", "2026-11-23T12:16",
      ])
    fixture.markDone(habit, on: "2026-11-23")
    #expect(
      fixture.plan(at: now).nominals == [
        "2026-11-24T00:03", "2026-11-24T00:10", "2026-11-24T00:17",
      ])
    fixture.store.quietHours = DayWindow(from: "22:00", to: "07:00")
    habit.schedules[0].quietPolicy = .drop
    fixture.state.habits[habit.id] = habit
    #expect(fixture.plan(at: now).nominals.first == "2026-11-24T07:03")
    habit.start = "2026-11-29"
    fixture.state.habits[habit.id] = habit
    #expect(fixture.plan(at: now).nominals.first == "2026-11-29T07:06")
  }

  @Test("Scenario 16: a rule for the 31st skips shorter months")
  func scenario16() throws {
    let rule = try #require(Recurrence("DTSTART:20260131T090000\nRRULE:FREQ=MONTHLY"))
    let habit = Habit("Rent", Schedule(rule: .recurrence(rule), times: []))
    var fixture = PlanFixture("UTC", habit)
    fixture.horizonDays = 310
    #expect(
      fixture.plan(at: "2026-01-01T00:00Z").nominals == [
        "2026-01-31T09:00", "2026-03-31T09:00", "2026-05-31T09:00", "2026-07-31T09:00",
        "2026-08-31T09:00", "2026-10-31T09:00",
      ])
  }

  @Test(
    "A recurrence without an end that the system supports is one repeating request",
    arguments: [
      ("FREQ=MONTHLY", "monthly 15 07:30"), ("FREQ=YEARLY", "yearly 11-15 07:30"),
      ("FREQ=DAILY", "daily 07:30"), ("FREQ=WEEKLY;BYDAY=TU", "weekly 2 07:30"),
    ])
  func repeated(rule: String, trigger: String) throws {
    let recurrence = try #require(Recurrence("DTSTART:20261115T073000\nRRULE:\(rule)"))
    let plan = PlanFixture("UTC", Habit("Rent", Schedule(rule: .recurrence(recurrence), times: [])))
      .plan(at: "2026-11-16T00:00Z")
    #expect(plan.requests.map(\.trigger.description) == [trigger])
    #expect(plan.requests.allSatisfy { $0.repeats })
  }

  @Test(
    "COUNT, UNTIL, exceptions, intervals and the last day of a month need a request per date",
    arguments: [
      "FREQ=DAILY;COUNT=100", "FREQ=DAILY;UNTIL=20271231T000000", "FREQ=DAILY;INTERVAL=2",
      "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=DAILY\nEXDATE:20270101T073000",
    ])
  func single(rule: String) throws {
    let recurrence = try #require(Recurrence("DTSTART:20261115T073000\nRRULE:\(rule)"))
    var fixture = PlanFixture(
      "UTC", Habit("Rent", Schedule(rule: .recurrence(recurrence), times: [])))
    fixture.horizonDays = 30
    let plan = fixture.plan(at: "2026-11-16T00:00Z")
    #expect(!plan.requests.isEmpty && plan.requests.allSatisfy { !$0.repeats })
  }

  @Test("A relative rule fires relative to its base, with repeats, and is due on the base's date")
  func relative() throws {
    let rule = Schedule.Rule.relative(
      Schedule.Relative(
        to: .once("2026-11-24"), edge: .end, offsetSeconds: -90_000, durationMinutes: 60,
        repeatCount: 1, repeatSeconds: 90))
    let habit = Habit("Flight", Schedule(rule: rule, times: ["09:00"], unless: .done))
    var fixture = PlanFixture("UTC", habit)
    let plan = fixture.plan(at: "2026-11-23T00:00Z")
    #expect(
      plan.requests.map(\.trigger.description) == ["at 2026-11-23T09:00", "at 2026-11-23T09:01:30"])
    #expect(plan.requests.map(\.occurrence.revision) == [.first, .repeat(1)])
    fixture.markDone(habit, on: "2026-11-23")
    #expect(fixture.plan(at: "2026-11-23T00:00Z").requests.count == 2)
    fixture.markDone(habit, on: "2026-11-24")
    #expect(fixture.plan(at: "2026-11-23T00:00Z").requests.isEmpty)
  }

  @Test("A place has no time, comes last, uses capacity, and is not planned if suppressed today")
  func places() throws {
    let region = Schedule.Region(latitude: 52_520_000, longitude: 13_405_000, radius: 200)
    let shop = Habit("Milk", Schedule(rule: .place(region), times: [], unless: .done))
    let walk = Habit("Walk", .daily(at: ["17:00"]))
    var fixture = PlanFixture("UTC", walk, shop)
    let now = "2026-11-23T08:00Z"
    let plan = fixture.plan(at: now)
    #expect(plan.requests.map(\.habit) == [walk.id, shop.id])
    let place = try #require(plan.requests.last)
    #expect(place.fireAt == nil && place.repeats && place.id.kind == .repeating)
    #expect(place.trigger.description == "place 52520000,13405000,200 entry")
    fixture.capacity = 1
    #expect(fixture.plan(at: now).requests.map(\.habit) == [walk.id])
    #expect(fixture.plan(at: now).dropped == 1)
    fixture.capacity = 64
    fixture.markDone(shop, on: "2026-11-23")
    let done = fixture.plan(at: now)
    #expect(done.requests.map(\.habit) == [walk.id])
    #expect(done.validUntil <= instant("2026-11-24T00:00Z"))
    #expect(fixture.plan(at: "2026-11-24T00:00Z").requests.count == 2)
    let explained = fixture.planner(at: instant(now)).explain(shop.id, on: "2026-11-23")
    #expect(explained.map(\.reason) == [.done] && explained.map(\.fireAt) == [nil])
  }

  @Test("A recurrence keeps its own zone, and an unknown zone is a problem")
  func zones() throws {
    let text = "DTSTART;TZID=America/New_York:20261123T090000\nRRULE:FREQ=DAILY;COUNT=1"
    let known = try #require(Recurrence(text))
    let plan = PlanFixture("UTC", Habit("Call", Schedule(rule: .recurrence(known), times: [])))
      .plan(at: "2026-11-23T00:00Z")
    #expect(plan.fires == ["2026-11-23T14:00Z"])
    #expect(plan.requests.map(\.trigger.description) == ["at 2026-11-23T09:00 America/New_York"])
    let strange = try #require(
      Recurrence(text.replacing("America/New_York", with: "Mars/Olympus")))
    let problems = PlanFixture(
      "UTC", Habit("Call", Schedule(rule: .recurrence(strange), times: []))
    )
    .plan(at: "2026-11-23T00:00Z").problems
    #expect(problems.map(\.kind) == [.unknownZone("Mars/Olympus")])
  }
}
