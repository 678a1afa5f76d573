import CarillonModel
import Testing

/// Intervals, recurrences, reminders before others, places: how each kind of rule is planned.
@Suite struct RuleScenarioTests {
  private func interval(
    _ seconds: Int, from: String, window: String? = nil, unless: Condition = .none
  ) -> Schedule {
    Schedule(
      rule: .interval(
        Interval(
          seconds: seconds, from: instant(from), window: window.flatMap { DayWindow($0) })),
      times: [], unless: unless)
  }

  @Test("Scenario 15: an interval is elapsed time, whatever the clocks do")
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
      plan.requests.map(\.identity.description) == [
        "2026-11-01T04:00", "2026-11-01T08:00", "2026-11-01T12:00", "2026-11-01T16:00",
      ])
    #expect(plan.requests[0].trigger == "at 2026-11-01T04:00 UTC")
    fixture.zone = "Asia/Tokyo"
    #expect(
      fixture.plan(at: "2026-11-01T03:59Z").difference(from: plan.scheduled).insertions.isEmpty)
  }

  @Test(
    "An interval without window repeats by itself once begun; a window and its zone decide else")
  func intervals() {
    let plain = Habit("Water", interval(3_600, from: "2026-11-23T07:15Z"))
    let plan = PlanFixture("UTC", plain).plan(at: "2026-11-23T08:00Z")
    #expect(plan.requests.map(\.trigger) == ["every 3600"])
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

  @Test("An interval that begins anew is given again under its id where its instants move")
  func intervalPhase() {
    var habit = Habit("Water", interval(3_600, from: "2026-11-23T07:15Z"))
    let held = PlanFixture("UTC", habit).plan(at: "2026-11-23T08:00Z")
    func insertions(_ start: String, in zone: String = "UTC", at now: String) -> [String] {
      habit.schedules[0].rule = .interval(Interval(seconds: 3_600, from: instant(start)))
      let plan = PlanFixture(zone, habit).plan(at: now)
      #expect(plan.requests.map(\.id) == held.requests.map(\.id))
      return plan.difference(from: held.scheduled).insertions.compactMap(\.fireAt).map(utc)
    }
    #expect(insertions("2026-11-23T07:20Z", at: "2026-11-23T08:00Z") == ["2026-11-23T08:20Z"])
    // By a whole number of times, hours later, or elsewhere, the instants are the same.
    #expect(insertions("2026-11-22T03:15Z", at: "2026-11-23T08:00Z") == [])
    #expect(insertions("2026-11-23T07:15Z", at: "2026-11-25T17:30Z") == [])
    #expect(insertions("2026-11-23T07:15Z", in: "Asia/Kathmandu", at: "2026-11-23T08:00Z") == [])
  }

  @Test("Not if it was done in the minutes before: the entries that are known decide")
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

  @Test("Scenario 16: the 31st is left out where a month lacks it")
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
    "The system repeats what it can for ever, by one request",
    arguments: [
      ("FREQ=MONTHLY", "monthly 15 07:30"), ("FREQ=YEARLY", "yearly 11-15 07:30"),
      ("FREQ=DAILY", "daily 07:30"), ("FREQ=WEEKLY;BYDAY=TU", "weekly 2 07:30"),
    ])
  func repeated(rule: String, trigger: String) throws {
    let recurrence = try #require(Recurrence("DTSTART:20261115T073000\nRRULE:\(rule)"))
    let plan = PlanFixture("UTC", Habit("Rent", Schedule(rule: .recurrence(recurrence), times: [])))
      .plan(at: "2026-11-16T00:00Z")
    #expect(plan.requests.map(\.trigger) == [trigger])
    #expect(plan.requests.allSatisfy { $0.repeats })
  }

  @Test(
    "COUNT, UNTIL, exceptions, intervals and the last of a month are requests for each date",
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

  @Test("Before and after what another rule names, and again; the base's date is the due date")
  func relative() throws {
    let rule = Rule.relative(
      Relative(
        to: .once("2026-11-24"), edge: .end, offsetSeconds: -90_000, durationMinutes: 60,
        repeatCount: 1, repeatSeconds: 90))
    let habit = Habit("Flight", Schedule(rule: rule, times: ["09:00"], unless: .done))
    var fixture = PlanFixture("UTC", habit)
    let plan = fixture.plan(at: "2026-11-23T00:00Z")
    #expect(plan.requests.map(\.trigger) == ["at 2026-11-23T09:00", "at 2026-11-23T09:01:30"])
    #expect(plan.requests.map(\.revision) == ["0", "r1"])
    fixture.markDone(habit, on: "2026-11-23")
    #expect(fixture.plan(at: "2026-11-23T00:00Z").requests.count == 2)
    fixture.markDone(habit, on: "2026-11-24")
    #expect(fixture.plan(at: "2026-11-23T00:00Z").requests.isEmpty)
  }

  @Test("A place has no time, comes last, takes a place, and goes while its habit is silent today")
  func places() throws {
    let region = Region(latitude: 52_520_000, longitude: 13_405_000, radius: 200)
    let shop = Habit("Milk", Schedule(rule: .place(region), times: [], unless: .done))
    let walk = Habit("Walk", .daily(at: ["17:00"]))
    var fixture = PlanFixture("UTC", walk, shop)
    let now = "2026-11-23T08:00Z"
    let plan = fixture.plan(at: now)
    #expect(plan.requests.map(\.habit) == [walk.id, shop.id])
    let place = try #require(plan.requests.last)
    #expect(place.fireAt == nil && place.repeats && place.id.hasPrefix("c1r."))
    #expect(place.trigger == "place 52520000,13405000,200 entry")
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

  @Test("A recurrence with a zone of its own keeps it, and an unknown one is a problem")
  func zones() throws {
    let text = "DTSTART;TZID=America/New_York:20261123T090000\nRRULE:FREQ=DAILY;COUNT=1"
    let known = try #require(Recurrence(text))
    let plan = PlanFixture("UTC", Habit("Call", Schedule(rule: .recurrence(known), times: [])))
      .plan(at: "2026-11-23T00:00Z")
    #expect(plan.fires == ["2026-11-23T14:00Z"])
    #expect(plan.requests.map(\.trigger) == ["at 2026-11-23T09:00 America/New_York"])
    let strange = try #require(
      Recurrence(text.replacing("America/New_York", with: "Mars/Olympus")))
    let problems = PlanFixture(
      "UTC", Habit("Call", Schedule(rule: .recurrence(strange), times: []))
    )
    .plan(at: "2026-11-23T00:00Z").problems
    #expect(problems.map(\.kind) == [.unknownZone("Mars/Olympus")])
  }
}
