import CarillonModel
import Foundation
import Testing

/// Every input at or beyond the accepted limits results in a plan.
@Suite struct PlannerLimitTests {
  @Test(
    "Planning succeeds for every moment, capacity and horizon",
    arguments: [
      Int64.min, -1, 0, 1, 951_782_400_000, 7_258_118_400_000, 1 << 45, Int64.max,
    ], [0, 64, 10_000])
  func moments(now: Int64, capacity: Int) {
    let dates: [CivilDate] = [
      "1970-01-01", "2200-12-31", CivilDate(rawValue: .min), CivilDate(rawValue: .max),
    ]
    let rules = dates.flatMap {
      [Schedule.Rule.once($0), .everyDays(1, from: $0), .everyDays(3_650, from: $0)]
    }
    var habit = Habit("Walk", .daily(at: ["00:00", "23:59"]), .daily(at: ["12:00"], unless: .done))
    habit.schedules += rules.map { Schedule(rule: $0, times: ["00:00", "02:30"], unless: .done) }
    for zone in ["UTC", "Pacific/Apia", "Pacific/Kiritimati", "Etc/GMT+12"] {
      for days in [1, 400] {
        var fixture = PlanFixture(zone, habit)
        fixture.capacity = capacity
        fixture.horizonDays = days
        let planner = fixture.planner(at: Instant(milliseconds: now))
        let plan = planner.plan()
        #expect(plan.requests.count <= capacity)
        #expect(plan.validUntil > plan.asOf && plan.nextWakeHint >= plan.asOf)
        #expect(plan.difference(from: plan.scheduled).isEmpty)
        let explainer = Explainer(planner, plan)
        for date in dates {
          _ = explainer.explain(habit.id, on: date, includingMoved: true)
          _ = explainer.firstFirings(of: habit.id, on: date...date)
        }
      }
    }
  }

  @Test("16 schedules with 24 times each fill any capacity, and the rest is counted")
  func manyTimes() {
    let times = (0..<24).compactMap { TimeOfDay(minute: $0 * 60) }
    let schedules = (0..<16).map { _ in
      Schedule(rule: .weekly(Set(Weekday.allCases)), times: times, unless: .done)
    }
    var fixture = PlanFixture("UTC", Habit(id: .random(), title: "Walk", schedules: schedules))
    let plan = fixture.plan(at: "2026-11-23T00:00Z")
    #expect(plan.requests.count == 64)
    #expect(plan.dropped == 1_000)
    #expect(plan.computedCount <= 64 + 2 * 16)
    fixture.horizonDays = 400
    fixture.capacity = 10_000
    let full = fixture.plan(at: "2026-11-23T00:00Z")
    #expect(full.requests.count == 10_000 && full.dropped == 1_000)
  }

  @Test("With 1,000 habits, few more occurrences are computed than planned")
  func counts() {
    let habits = (0..<1_000).map { index in
      Habit(
        "Habit \(index)",
        .daily(at: [TimeOfDay(minute: index * 37 % 1_440) ?? .midnight], unless: .done))
    }
    let plan = PlanFixture("Europe/Berlin", habits: habits).plan(at: "2026-11-23T00:00Z")
    #expect(plan.requests.count == 64)
    #expect(plan.computedCount <= 64 + 2)
    #expect(plan.dropped == 1_000)
  }

  @Test(
    "With digests of 1,000 habits, few more occurrences are computed than the requests represent",
    arguments: [0, 37], [DigestRule("3/300s"), DigestRule("3/3600s")])
  func digests(minutes: Int, rule: DigestRule?) {
    let habits = (0..<1_000).map { index in
      Habit("Habit \(index)", .daily(at: [TimeOfDay(minute: index * minutes % 1_440) ?? .midnight]))
    }
    var fixture = PlanFixture("Europe/Berlin", habits: habits)
    fixture.store.digest = rule
    let plan = fixture.plan(at: "2026-11-23T00:00Z")
    #expect(plan.requests.contains { $0.id.kind == .digest })
    let represented = plan.requests.reduce(0) { $0 + $1.occurrences.count }
    #expect(plan.computedCount <= represented + 64 + 2 * 1_000)
  }

  @Test("With 400 days and 1,000 places, few more occurrences are computed than planned")
  func farAhead() {
    let habits = (0..<20).map { index in
      Habit(
        "Habit \(index)",
        .daily(at: [TimeOfDay(minute: index * 61) ?? .midnight, "23:30"], unless: .done))
    }
    var fixture = PlanFixture("Europe/Berlin", habits: habits)
    fixture.horizonDays = 400
    fixture.capacity = 1_000
    fixture.store.quietHours = DayWindow("23:00-07:00")
    let plan = fixture.plan(at: "2026-11-23T08:00Z")
    #expect(plan.requests.count == 1_000 && plan.dropped == 1_000)
    #expect(plan.computedCount <= 1_000 + 2 * (20 + 20))
    #expect(plan.difference(from: plan.scheduled).isEmpty)
    let fires = plan.requests.compactMap(\.fireAt)
    #expect(fires == fires.sorted() && fires.last.map { $0 <= plan.coverageUntil } == true)
  }

  @Test("Suppressed occurrences of a one-minute interval are skipped by the day, not one by one")
  func denseInterval() throws {
    let start = instant("2026-11-23T08:00Z")
    let interval = Schedule(rule: .interval(Schedule.Interval(seconds: 60, from: start)), times: [])
    let habit = Habit("Breathe", interval)
    var fixture = PlanFixture("Europe/Berlin", habit)
    fixture.horizonDays = 400
    func plan() -> NotificationPlan { fixture.plan(at: "2026-11-23T08:00Z") }
    #expect(plan().requests.map(\.trigger.description) == ["every 60"])
    // A skip far ahead, which the system cannot take into account.
    fixture.state.days[habit.id] = ["2027-12-01": StoreState.Day(mark: .skip)]
    #expect(plan().requests.count == 64)
    #expect(utc(plan().validUntil) == "2026-11-23T08:01Z")
    // All dates are skipped.
    let today: CivilDate = "2026-11-23"
    fixture.state.days[habit.id] = StoreState.Days(
      (0..<401).map { (today.adding(days: $0), StoreState.Day(mark: .skip)) })
    #expect(plan().requests == [] && plan().dropped == 0)
    fixture.state.days = [:]
    // One occurrence was delivered.
    fixture.state.receipts[habit.id] = [
      OccurrenceReceipt(
        OccurrenceID(
          habit: habit.id, schedule: interval.id,
          nominal: CivilDateTime(date: "2026-11-23", time: "08:02")), .delivered, fireAt: nil,
        replica: PlanFixture.device)
    ]
    #expect(plan().fires.prefix(2) == ["2026-11-23T08:01Z", "2026-11-23T08:03Z"])
    fixture.state.receipts = [:]
    // Quiet hours except for one hour a day.
    fixture.state.habits[habit.id]?.schedules[0].quietPolicy = .drop
    fixture.store.quietHours = DayWindow("08:00-07:00")
    #expect(plan().requests.count == 64)
    #expect(plan().fires.first == "2026-11-24T06:00Z" && plan().fires[60] == "2026-11-25T06:00Z")
    fixture.state.habits[habit.id]?.schedules[0].quietPolicy = .silent
    #expect(plan().requests.first?.content.level == .passive)
    // Deferred occurrences fire at a minute at which another one fires regardless.
    fixture.state.habits[habit.id]?.schedules[0].quietPolicy = .deferred
    #expect(plan().fires.first == "2026-11-24T06:00Z" && plan().fires[60] == "2026-11-25T06:00Z")
    #expect(plan().requests[60].alsoRepresents.count == 23 * 60)
    fixture.store.quietHours = nil
    // Suppressed for a year after an entry.
    fixture.state.habits[habit.id]?.schedules[0].doneWithinSeconds = 31_536_000
    fixture.state.entryTimes[habit.id] = [start]
    #expect(plan().fires.first == "2027-11-23T08:00Z")
  }

  @Test("The first reminders of a week are found without explaining the others of each date")
  func firstOfMany() throws {
    let rule = try Recurrence(parsing: "DTSTART:20260101T000000\nRRULE:FREQ=MINUTELY")
    let relative = Schedule.Relative(
      to: .recurrence(rule), offset: .seconds(-3_600), repeatCount: 100,
      repeatInterval: .seconds(86_400))
    let habit = Habit("Breathe", Schedule(rule: .relative(relative), times: []))
    let planner = PlanFixture("Europe/Berlin", habit).planner(at: instant("2026-11-23T08:00Z"))
    let found = Explainer(planner, planner.plan()).firstFirings(
      of: habit.id, on: "2026-11-23"..."2026-11-29")
    let first = found.byDate.sorted { $0.key < $1.key }.map(\.value)
    #expect(first.map(\.isPlanned) == [true] + Array(repeating: false, count: 6))
    #expect(first.prefix(2).map(\.instant).map(utc) == ["2026-11-23T08:01Z", "2026-11-23T23:00Z"])
    #expect(found.computedCount <= 101 * 7)
  }

  @Test("A rule that events cannot contain has no occurrences")
  func impossibleRules() {
    let schedules = [
      Schedule(rule: .weekly([]), times: ["07:00"]),
      Schedule(rule: .everyDays(0, from: "2026-11-23"), times: ["07:00"]),
      Schedule(rule: .everyDays(.min, from: "2026-11-23"), times: ["07:00"]),
      Schedule(rule: .once("2026-11-24"), times: []),
    ]
    var fixture = PlanFixture("UTC", Habit(id: .random(), title: "Walk", schedules: schedules))
    fixture.horizonDays = 400
    #expect(fixture.plan(at: "2026-11-23T00:00Z").requests == [])
  }

  @Test("Capacities and horizons are clamped to their valid ranges")
  func clamping() {
    let low = PlanSettings(zone: .gmt, capacity: -1, horizonDays: 0)
    let high = PlanSettings(zone: .gmt, capacity: .max, horizonDays: .max)
    #expect(low.capacity == 0 && low.horizonDays == 1)
    #expect(high.capacity == 10_000 && high.horizonDays == 400)
  }

  @Test("A plan without habits covers the horizon")
  func nothing() {
    let plan = PlanFixture("Europe/Berlin").plan(at: "2026-11-23T08:00Z")
    #expect(plan.requests == [] && plan.dropped == 0 && plan.computedCount == 0)
    #expect(utc(plan.coverageUntil) == "2026-11-30T23:00Z")
    #expect(utc(plan.validUntil) == "2026-11-23T23:00Z")
    #expect(utc(plan.nextWakeHint) == "2026-11-23T23:00Z")
  }
}
