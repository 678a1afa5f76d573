import CarillonModel
import Testing

/// Which schedules are repeating requests, and which need a request per date.
@Suite struct SchedulePlanTests {
  private static let now = "2026-11-23T08:30Z"  // A Monday, 09:30 in Berlin.

  private func triggers(_ habit: Habit, _ change: (inout PlanFixture) -> Void = { _ in })
    -> [String]
  {
    var fixture = PlanFixture("Europe/Berlin", habit)
    change(&fixture)
    return fixture.plan(at: Self.now).requests.map(\.trigger.description)
  }

  @Test("Seven weekdays are one daily request, and so is an interval of one day")
  func daily() {
    #expect(triggers(Habit("Walk", .daily(at: ["07:30"]))) == ["daily 07:30"])
    #expect(
      triggers(Habit("Walk", .every(days: 1, from: "2026-11-01", at: ["07:30", "17:00"])))
        == ["daily 17:00", "daily 07:30"])
  }

  @Test("Fewer weekdays are one request each, sorted by next date")
  func weekly() {
    #expect(
      triggers(Habit("Walk", .weekly(on: [.monday, .wednesday], at: ["07:30"])))
        == ["weekly 3 07:30", "weekly 1 07:30"])
  }

  @Test("A repeating request need not fire within the horizon")
  func beyondHorizon() {
    let habit = Habit("Walk", .weekly(on: [.sunday], at: ["07:30"]))
    #expect(triggers(habit) { $0.horizonDays = 1 } == ["weekly 7 07:30"])
  }

  @Test("A fixed zone is part of the trigger, but not of the ID")
  func fixedZone() {
    var habit = Habit("Walk", .daily(at: ["07:30"]))
    let floating = PlanFixture("Europe/Berlin", habit).plan(at: Self.now)
    habit.schedules[0].zone = .fixed("Asia/Tokyo")
    let fixed = PlanFixture("Europe/Berlin", habit).plan(at: Self.now)
    #expect(fixed.requests.map(\.trigger.description) == ["daily 07:30 Asia/Tokyo"])
    #expect(fixed.requests.map(\.id) == floating.requests.map(\.id))
    #expect(fixed.requests.map(\.fingerprint) != floating.requests.map(\.fingerprint))
  }

  @Test("A rule does not repeat before it starts, even if it starts later on the same day")
  func beforeStart() throws {
    let rule = try Recurrence(
      parsing: "DTSTART:20260406T170000\nRRULE:FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0",
      start: .date("2026-04-06"))
    let habit = Habit("Pills", Schedule(rule: .recurrence(rule), times: []))
    let fixture = PlanFixture("Europe/Berlin", habit)
    let early = fixture.plan(at: "2026-04-06T05:00Z")
    #expect(early.requests.allSatisfy { !$0.repeats })
    #expect(early.fires.prefix(2) == ["2026-04-06T18:00Z", "2026-04-07T06:00Z"])
    // The last time before 17:00, at 08:00, is past.
    #expect(early.validUntil <= instant("2026-04-06T06:00Z"))
    for now in ["2026-04-06T06:00Z", "2026-04-06T16:00Z", "2026-04-07T05:00Z"] {
      let triggers = fixture.plan(at: now).requests.map(\.trigger.description).sorted()
      #expect(triggers == ["daily 08:00", "daily 20:00"], "\(now)")
    }
  }

  @Test("A condition, an inactivity limit, an end or a longer interval needs a request per date")
  func neverRepeated() {
    let daily = Schedule.daily(at: ["17:00"])
    var stopping = Habit("Walk", daily)
    stopping.schedules[0].stopAfterDays = 30
    var ending = Habit("Walk", daily)
    ending.end = "2027-11-01"
    #expect(triggers(Habit("Walk", .daily(at: ["17:00"], unless: .done))).count == 8)
    #expect(triggers(stopping).count == 8)
    #expect(triggers(ending).count == 8)
    #expect(triggers(Habit("Walk", .every(days: 2, from: "2026-11-23", at: ["17:00"]))).count == 4)
  }

  @Test("A schedule that never stops because of inactivity can repeat")
  func neverStops() {
    var habit = Habit("Walk", .daily(at: ["17:00"]))
    habit.schedules[0].stopAfterDays = 0
    #expect(triggers(habit) { $0.setLastActive("2020-01-01") } == ["daily 17:00"])
  }

  @Test("A start in the future needs a request per date until the start")
  func startAhead() {
    var habit = Habit("Walk", .daily(at: ["17:00"]))
    habit.start = "2026-11-24"
    #expect(triggers(habit).count == 7)
    #expect(triggers(habit).first == "at 2026-11-24T17:00")
    habit.start = "2026-11-23"
    #expect(triggers(habit) == ["daily 17:00"])
    #expect(triggers(Habit("Walk", .every(days: 1, from: "2026-11-25", at: ["17:00"]))).count == 6)
  }

  @Test("A skipped date needs a request for each other date, but only for times that are not past")
  func skip() {
    let habit = Habit("Walk", .daily(at: ["07:30", "17:00"]))
    let skipping: (inout PlanFixture) -> Void = {
      $0.state.days[habit.id] = ["2026-11-23": StoreState.Day(mark: .skip)]
    }
    let found = triggers(habit, skipping)
    #expect(found.filter { $0.hasPrefix("daily") } == ["daily 07:30"])
    #expect(found.filter { $0.hasPrefix("at") }.count == 7)
    var fixture = PlanFixture("Europe/Berlin", habit)
    skipping(&fixture)
    let plan = fixture.plan(at: Self.now)
    #expect(utc(plan.validUntil) == "2026-11-23T16:00Z")
    #expect(
      fixture.plan(at: utc(plan.validUntil)).requests.map(\.trigger.description)
        == ["daily 07:30", "daily 17:00"])
  }

  @Test("A skip of a done date has no effect")
  func skipOfDone() {
    let habit = Habit("Walk", .daily(at: ["17:00"]))
    let found = triggers(habit) {
      $0.state.days[habit.id] = [
        "2026-11-23": StoreState.Day(amount: 0.001, entryCount: 1, mark: .skip)
      ]
    }
    #expect(found == ["daily 17:00"])
  }

  @Test("A pause in the horizon needs a request per date; a later pause has no effect")
  func pause() {
    let habit = Habit("Walk", .daily(at: ["17:00"]))
    func found(_ first: CivilDate, _ last: CivilDate?, _ only: HabitID?) -> [String] {
      triggers(habit) {
        let pause = Pause(habit: only, first: first, last: last)
        $0.state.pauses[pause.id] = pause
      }
    }
    #expect(found("2026-11-25", "2026-11-26", nil).count == 6)
    #expect(found("2026-11-25", nil, habit.id).count == 2)
    #expect(found("2026-11-25", nil, .random()) == ["daily 17:00"])
    #expect(found("2027-02-01", nil, nil) == ["daily 17:00"])
    #expect(found("2026-11-25", "2026-11-24", nil) == ["daily 17:00"])
  }

  @Test("A pause on the next date beyond the horizon prevents a weekly time from repeating")
  func pauseOfNext() {
    let habit = Habit("Walk", .weekly(on: [.friday], at: ["17:00"]))
    let found = triggers(habit) {
      let pause = Pause(habit: nil, first: "2026-11-26", last: nil)
      $0.state.pauses[pause.id] = pause
      $0.horizonDays = 1
    }
    #expect(found == [])
  }

  @Test("Only the times in a gap need a request per date")
  func gap() {
    let plan = PlanFixture("Europe/Berlin", Habit("Walk", .daily(at: ["02:30", "07:30"])))
      .plan(at: "2026-03-27T12:00Z")
    #expect(plan.requests.filter(\.repeats).map(\.trigger.description) == ["daily 07:30"])
    #expect(plan.requests.filter { !$0.repeats }.count == 7)
  }
}
