import CarillonModel
import Testing

/// Digests, the request to open the app, and the badge.
@Suite struct DigestTests {
  private static let now = "2026-11-23T08:00Z"

  private func habit(_ title: String, _ time: TimeOfDay, group: String? = nil) -> Habit {
    var habit = Habit(title, .once(CivilDateTime(date: "2026-11-23", time: time)))
    habit.group = group
    return habit
  }

  @Test("More notifications of a group than the rule's count form a digest at the first one's time")
  func digest() throws {
    var fixture = PlanFixture(
      "UTC", habit("A", "12:00"), habit("B", "12:02"), habit("C", "12:04"), habit("D", "12:05"),
      habit("E", "12:01", group: "work"))
    fixture.store.digest = DigestRule("2/300s")
    let plan = fixture.plan(at: Self.now)
    #expect(plan.fires == ["2026-11-23T12:00Z", "2026-11-23T12:01Z", "2026-11-23T12:05Z"])
    let digest = try #require(plan.requests.first)
    #expect(digest.id.kind == .digest && digest.content.title == "3 reminders")
    #expect(digest.content.body == "A, B, C" && digest.alsoRepresents.count == 2)
    #expect(plan.difference(from: plan.scheduled).isEmpty)
    for member in digest.occurrences {
      let explained = fixture.planner(at: instant(Self.now)).explain(member.habit, on: "2026-11-23")
      #expect(explained.map(\.id) == [digest.id] && explained.map(\.fireAt) == [digest.fireAt])
    }
    fixture.store.digest = DigestRule("3/300s")
    #expect(fixture.plan(at: Self.now).requests.count == 5)
  }

  @Test("Daily times that a digest holds are planned day by day, and the others are repeated")
  func repeatedTimes() throws {
    func daily(_ title: String, _ times: TimeOfDay..., group: String? = "morning") -> Habit {
      var habit = Habit(title, .daily(at: times))
      habit.group = group
      return habit
    }
    let (a, b) = (daily("A", "07:00"), daily("B", "07:01", "20:00"))
    var fixture = PlanFixture(
      "UTC", a, b, daily("C", "07:02"), daily("D", "07:03"), daily("E", "07:04", group: nil))
    #expect(fixture.plan(at: Self.now).requests.map(\.id.kind).allSatisfy { $0 == .repeating })
    fixture.store.digest = DigestRule("3/300s")
    let plan = fixture.plan(at: Self.now)
    #expect(plan.requests.count { $0.id.kind == .digest } == 7)
    let repeated = plan.requests.filter(\.repeats).map(\.trigger.description)
    #expect(repeated == ["daily 20:00", "daily 07:04"])
    #expect(plan.requests.count == 9 && plan.coverageUntil == instant("2026-12-01T00:00Z"))
    let digest = try #require(plan.requests.first { $0.id.kind == .digest })
    #expect(digest.fireAt == instant("2026-11-24T07:00Z") && digest.alsoRepresents.count == 3)
    let explained = fixture.planner(at: instant(Self.now)).explain(b.id, on: "2026-11-24")
    #expect(explained.map(\.reason) == [.planned, .planned])
    #expect(explained.first?.id == digest.id && explained.first?.fireAt == digest.fireAt)
    fixture.state.habits[a.id] = nil
    #expect(fixture.plan(at: Self.now).requests.allSatisfy { $0.repeats })
  }

  @Test("A weekly time is repeated unless a digest holds it on one of its dates")
  func weeklyTimes() {
    var days: [Set<Weekday>] = [[.monday], [.monday, .friday], [.monday, .friday], [.friday]]
    func plan() -> NotificationPlan {
      let habits = days.map { Habit("H", .weekly(on: $0, at: ["07:00"])) }
      var fixture = PlanFixture("UTC", habits: habits)
      fixture.store.digest = DigestRule("3/300s")
      return fixture.plan(at: Self.now)
    }
    #expect(plan().requests.count == 6 && plan().requests.allSatisfy { $0.repeats })
    days[3] = [.monday, .friday]
    #expect(
      plan().fires == [
        "2026-11-27T07:00Z", "2026-11-27T07:00Z", "2026-11-27T07:00Z", "2026-11-30T07:00Z",
      ])
  }

  @Test("A digest takes one place, so more requests fit")
  func capacity() {
    var fixture = PlanFixture(
      "UTC", habit("A", "12:00"), habit("B", "12:00"), habit("C", "12:00"), habit("D", "18:00"),
      habit("E", "20:00"))
    fixture.capacity = 2
    fixture.store.digest = DigestRule("1/60s")
    let plan = fixture.plan(at: Self.now)
    #expect(plan.fires == ["2026-11-23T12:00Z", "2026-11-23T18:00Z"])
    #expect(plan.coverageUntil == instant("2026-11-23T20:00Z") && plan.dropped == 1)
  }

  @Test("A full list ends with the request to open the app if the store's settings ask for it")
  func opening() throws {
    let habits = (0..<10).map { habit("Habit \($0)", TimeOfDay(minute: 600 + $0) ?? .midnight) }
    var fixture = PlanFixture("UTC", habits: habits)
    fixture.store.asksToOpen = true
    #expect(fixture.plan(at: Self.now).requests.allSatisfy { $0.isForOccurrence })
    fixture.capacity = 4
    let plan = fixture.plan(at: Self.now)
    let last = try #require(plan.requests.last)
    #expect(plan.requests.count == 4 && plan.dropped == 7)
    #expect(last.id.kind == .openApp && !last.isForOccurrence)
    #expect(last.fireAt == instant("2026-11-23T10:03Z") && last.fireAt == plan.coverageUntil)
    #expect(last.nominal == CivilDateTime(date: "2026-11-23", time: "10:03"))
    #expect(ScheduledRequest(last).isOurs)
    fixture.capacity = 1
    #expect(fixture.plan(at: Self.now).requests.allSatisfy { $0.isForOccurrence })
  }

  @Test("The badge counts occurrences that are due today, have fired and are not done")
  func badge() {
    let plain = Habit("Walk", .daily(at: ["07:00", "08:00", "08:01"]))
    let range = Habit("Range", .daily(at: ["06:00"], unless: .done))
    var fixture = PlanFixture("UTC", plain, range)
    func badge() -> Int { fixture.planner(at: instant(Self.now)).badge() }
    #expect(badge() == 3)
    fixture.markDone(range, on: "2026-11-23")
    #expect(badge() == 2)
    fixture.snooze(
      plain, CivilDateTime(date: "2026-11-23", time: "08:00"), until: "2026-11-23T08:00Z")
    #expect(badge() == 2)
    fixture.state.days[plain.id] = ["2026-11-23": StoreState.Day(mark: .skip)]
    #expect(badge() == 0)
  }
}
