import CarillonModel
import Testing

/// The treatment of notifications that would fire in quiet hours.
@Suite struct QuietHoursTests {
  private static let now = "2026-11-23T12:00Z"

  private func fixture(
    _ zone: String = "UTC", _ hours: String = "22:00-07:00", _ habits: Habit...
  ) -> PlanFixture {
    var fixture = PlanFixture(zone, habits: habits)
    fixture.store.quietHours = DayWindow(hours)
    fixture.horizonDays = 2
    return fixture
  }

  private func once(
    _ times: String..., policy: QuietPolicy = .deferred, level: InterruptionLevel? = nil
  ) -> Schedule {
    Schedule(
      rule: .once("2026-11-23"), times: times.compactMap(TimeOfDay.init), quietPolicy: policy,
      content: Schedule.Content(sound: "bell", level: level))
  }

  @Test("Of a habit's deferred occurrences, the last one fires and covers the others")
  func deferred() {
    let habit = Habit("Walk", once("21:59", "22:00", "23:30"))
    let fixture = fixture("UTC", "22:00-07:00", habit)
    let plan = fixture.plan(at: Self.now)
    #expect(plan.fires == ["2026-11-23T21:59Z", "2026-11-24T07:00Z"])
    #expect(plan.nominals == ["2026-11-23T21:59", "2026-11-23T23:30"])
    #expect(plan.requests[1].trigger.description == "at 2026-11-24T07:00")
    #expect(plan.requests[1].alsoRepresents.map(\.nominal.description) == ["2026-11-23T22:00"])
    let explained = fixture.planner(at: instant(Self.now)).explain(habit.id, on: "2026-11-23")
    #expect(explained.map(\.reason) == [.planned, .quietHours, .planned])
    #expect(
      explained.map(\.fireAt?.milliseconds)
        == [
          plan.requests[0].fireAt, instant("2026-11-23T22:00Z"), plan.requests[1].fireAt,
        ].map { $0?.milliseconds })
    // The occurrence deferred yesterday still fires in the morning.
    #expect(fixture.plan(at: "2026-11-24T06:59Z").fires == ["2026-11-24T07:00Z"])
    #expect(fixture.plan(at: "2026-11-24T07:00Z").fires == [])
  }

  @Test(
    "An occurrence at the end of quiet hours covers the deferred ones, even of another schedule")
  func coincident() {
    let morning = Schedule(rule: .once("2026-11-24"), times: ["07:00"])
    let habit = Habit("Walk", once("23:30"), morning)
    let other = Habit("Read", once("23:00"))
    let fixture = fixture("UTC", "22:00-07:00", habit, other)
    let plan = fixture.plan(at: Self.now)
    #expect(plan.fires == ["2026-11-24T07:00Z", "2026-11-24T07:00Z"])
    let own = plan.requests.first { $0.habit == habit.id }
    #expect(own?.schedule == morning.id)
    #expect(own?.alsoRepresents.map(\.nominal.description) == ["2026-11-23T23:30"])
    #expect(plan.requests.first { $0.habit == other.id }?.alsoRepresents == [])
  }

  @Test("In quiet hours, `silent` makes a notification passive, and `drop` removes it")
  func otherPolicies() {
    let silent = Habit("Walk", once("21:00", "23:00", policy: .silent, level: .timeSensitive))
    let dropped = Habit("Read", once("23:00", policy: .drop))
    let fixture = fixture("UTC", "22:00-07:00", silent, dropped)
    let plan = fixture.plan(at: Self.now)
    #expect(plan.fires == ["2026-11-23T21:00Z", "2026-11-23T23:00Z"])
    #expect(plan.requests.map(\.content.level) == [.timeSensitive, .passive])
    #expect(plan.requests.map(\.content.sound) == ["bell", nil])
    let explained = fixture.planner(at: instant(Self.now)).explain(dropped.id, on: "2026-11-23")
    #expect(explained.map(\.reason) == [.quietHours])
  }

  @Test("`drop` defers a snoozed occurrence, unless the snooze ignores quiet hours")
  func snoozed() {
    let habit = Habit("Read", once("21:00", policy: .drop))
    let nominal = CivilDateTime(date: "2026-11-23", time: "21:00")
    for (ignores, fire) in [(false, "2026-11-24T07:00Z"), (true, "2026-11-23T22:30Z")] {
      var fixture = fixture("UTC", "22:00-07:00", habit)
      fixture.snooze(habit, nominal, until: "2026-11-23T22:30Z", ignoresQuietHours: ignores)
      #expect(fixture.plan(at: Self.now).fires == [fire])
    }
  }

  @Test("If the clocks skip the end of quiet hours, quiet hours end with the change")
  func gap() {
    let habit = Habit("Walk", Schedule(rule: .once("2026-03-28"), times: ["23:30"]))
    let fixture = fixture("Europe/Berlin", "22:00-02:30", habit)
    #expect(fixture.plan(at: "2026-03-28T12:00Z").fires == ["2026-03-29T01:00Z"])
  }

  @Test(
    "If the clocks show the end twice or go back before the start, the first end counts")
  func overlap() {
    let habit = Habit("Walk", Schedule(rule: .once("2026-10-24"), times: ["23:30"]))
    #expect(
      fixture("Europe/Berlin", "22:00-02:30", habit).plan(at: "2026-10-24T12:00Z").fires
        == ["2026-10-25T00:30Z"])
    let late = Habit("Walk", Schedule(rule: .once("2026-10-25"), times: ["02:45"]))
    #expect(
      fixture("Europe/Berlin", "02:30-07:00", late).plan(at: "2026-10-24T12:00Z").fires
        == ["2026-10-25T06:00Z"])
  }

  @Test("A time in quiet hours becomes a repeating request only if it still fires at that time")
  func repeating() {
    func triggers(_ policy: QuietPolicy, _ time: TimeOfDay) -> [String] {
      let schedule = Schedule(
        rule: .weekly(Set(Weekday.allCases)), times: [time], quietPolicy: policy)
      return fixture("UTC", "22:00-07:00", Habit("Walk", schedule)).plan(at: Self.now).requests
        .map(\.trigger.description)
    }
    #expect(triggers(.silent, "23:00") == ["daily 23:00"])
    #expect(triggers(.deferred, "21:00") == ["daily 21:00"])
    #expect(triggers(.drop, "23:00") == [])
    #expect(triggers(.deferred, "23:00") == ["at 2026-11-24T07:00"])
  }

  @Test("The wake hint is the end of quiet hours if that comes first")
  func wake() {
    let fixture = fixture("UTC", "22:00-07:00", Habit("Walk", once("23:30")))
    #expect(utc(fixture.plan(at: "2026-11-24T06:00Z").nextWakeHint) == "2026-11-24T07:00Z")
    #expect(utc(fixture.plan(at: "2026-11-24T07:00Z").nextWakeHint) == "2026-11-25T00:00Z")
  }

  @Test("A schedule that fires in quiet hours loses no dose, and its reminders repeat")
  func fires() {
    var habit = Habit("Pills", .daily(at: ["06:00", "14:00", "22:00"]))
    habit.schedules[0].quietPolicy = .fire
    var fixture = PlanFixture("UTC", habit)
    fixture.store.quietHours = DayWindow("22:00-07:00")
    let plan = fixture.plan(at: "2026-11-23T08:00Z")
    #expect(plan.fires == ["2026-11-23T14:00Z", "2026-11-23T22:00Z", "2026-11-24T06:00Z"])
    #expect(plan.requests.allSatisfy { $0.repeats && $0.content.level != .passive })
    habit.schedules[0].unless = .done
    fixture.state.habits[habit.id] = habit
    let single = fixture.plan(at: "2026-11-23T08:00Z")
    #expect(single.fires.prefix(3) == plan.fires[...])
    fixture.snooze(
      habit, CivilDateTime(date: "2026-11-23", time: "22:00"), until: "2026-11-23T22:10Z")
    #expect(fixture.plan(at: "2026-11-23T22:01Z").fires.first == "2026-11-23T22:10Z")
  }

  @Test("Quiet hours defer nothing from before the schedule existed, whatever the device's zone")
  func beforeCreation() {
    var habit = Habit("Journal", .daily(at: ["22:30"]))
    habit.schedules[0].unless = .done
    var fixture = PlanFixture("Europe/Berlin", habit)
    fixture.store.quietHours = DayWindow("22:00-09:00")
    let now = "2026-11-23T07:01Z"
    #expect(fixture.plan(at: now).fires.first == "2026-11-23T08:00Z")
    fixture.state.scheduleCreated = [habit.id: [habit.schedules[0].id: instant(now)]]
    #expect(fixture.plan(at: now).fires.first == "2026-11-24T08:00Z")
    let explained = fixture.planner(at: instant(now)).explain(habit.id, on: "2026-11-22")
    #expect(explained.map(\.reason) == [.beforeStart])
    let planner = fixture.planner(at: instant(now))
    #expect(planner.snoozable(habit.id, until: instant("2026-11-23T12:00Z")) == nil)
    fixture.zone = "Asia/Tokyo"
    #expect(fixture.plan(at: now).fires.first == "2026-11-24T00:00Z")
    // A clock that was years ahead says nothing.
    fixture.zone = "Europe/Berlin"
    fixture.state.scheduleCreated = [
      habit.id: [habit.schedules[0].id: instant("2046-11-23T07:01Z")]
    ]
    #expect(fixture.plan(at: now).fires.first == "2026-11-23T08:00Z")
  }
}
