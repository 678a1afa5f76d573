import CarillonModel
import Testing

/// Intervals that count from the habit's latest entry.
@Suite("Reminders some time after an entry")
struct AfterEntryTests {
  private static let nine = "2026-11-23T09:00Z"
  private let habit: Habit
  private var fixture: PlanFixture

  init() {
    habit = Habit("Pill", Self.schedule(.entry))
    fixture = PlanFixture("Europe/Berlin", habit)
  }

  private static func schedule(
    _ anchor: Schedule.Interval.Anchor, hours: Int = 4, from: String = nine
  ) -> Schedule {
    let interval = Schedule.Interval(
      seconds: hours * 3_600, from: instant(from), anchor: anchor)
    return Schedule(rule: .interval(interval), times: [])
  }

  private func fires(after entries: String..., at now: String) -> [String] {
    var fixture = fixture
    fixture.state.entryTimes[habit.id] = entries.map { instant($0) }
    return fixture.plan(at: now).fires
  }

  @Test("It fires once, that long after the latest entry, and not before there is one")
  func once() {
    #expect(fires(at: Self.nine) == [])
    #expect(fires(after: "2026-11-23T10:00Z", at: "2026-11-23T10:01Z") == ["2026-11-23T14:00Z"])
    #expect(fires(after: "2026-11-23T10:00Z", at: "2026-11-23T14:01Z") == [])
    // The second entry moves the reminder; entries come in any order.
    #expect(
      fires(after: "2026-11-23T12:30Z", "2026-11-23T10:00Z", at: "2026-11-23T12:31Z")
        == ["2026-11-23T16:30Z"])
  }

  @Test("Nothing fires before the start, and with a first time it fires there unless it was done")
  func start() {
    #expect(fires(after: "2026-11-23T04:59Z", at: "2026-11-23T05:00Z") == [])
    #expect(fires(after: "2026-11-23T05:00Z", at: "2026-11-23T05:00Z") == [Self.nine])
    var other = fixture
    other.state.habits[habit.id]?.schedules = [Self.schedule(.entryOrFrom)]
    #expect(other.plan(at: "2026-11-23T05:00Z").fires == [Self.nine])
    other.state.entryTimes[habit.id] = [instant("2026-11-23T08:00Z")]
    #expect(other.plan(at: "2026-11-23T08:00Z").fires == ["2026-11-23T12:00Z"])
    other.state.entryTimes[habit.id] = [instant("2026-11-22T08:00Z")]
    #expect(other.plan(at: "2026-11-23T08:00Z").fires == [Self.nine])
  }

  @Test("It has one name on every device, and what one delivered does not fire on another")
  func delivered() throws {
    var berlin = fixture
    berlin.state.entryTimes[habit.id] = [instant("2026-11-23T10:00Z")]
    let request = try #require(berlin.plan(at: "2026-11-23T10:01Z").requests.first)
    #expect(request.occurrence.nominal.description == "2026-11-23T14:00")
    #expect(request.nominal.description == "2026-11-23T15:00")
    #expect(request.trigger.description == "at 2026-11-23T14:00 UTC")
    var tokyo = berlin
    tokyo.zone = "Asia/Tokyo"
    #expect(tokyo.plan(at: "2026-11-23T10:01Z").requests.map(\.id) == [request.id])
    tokyo.state.receipts[habit.id] = [
      OccurrenceReceipt(
        request.occurrence, .delivered, fireAt: nil, replica: ReplicaID(high: 2, low: 2))
    ]
    #expect(tokyo.plan(at: "2026-11-23T10:01Z").requests.isEmpty)
  }

  @Test("A delivered reminder is answered by a later entry, not by the one it counts from")
  func answered() throws {
    var fixture = fixture
    fixture.markDone(habit, on: "2026-11-23")
    fixture.state.entryTimes[habit.id] = [instant("2026-11-23T10:00Z")]
    let request = try #require(fixture.plan(at: "2026-11-23T10:01Z").requests.first)
    fixture.state.receipts[habit.id] = [
      OccurrenceReceipt(
        request.occurrence, .delivered, fireAt: nil, replica: PlanFixture.device)
    ]
    func removals() -> [RequestID] {
      fixture.planner(at: instant("2026-11-23T15:30Z")).deliveredRemovals()
    }
    #expect(removals() == [])
    fixture.state.entryTimes[habit.id]?.append(instant("2026-11-23T15:00Z"))
    #expect(removals() == [request.id])
  }

  @Test("A snooze moves it, and a condition suppresses it as any other reminder")
  func snoozed() {
    var fixture = fixture
    fixture.state.entryTimes[habit.id] = [instant("2026-11-23T10:00Z")]
    let nominal = CivilDateTime(date: "2026-11-23", time: "14:00")
    fixture.snooze(habit, nominal, until: "2026-11-23T15:00Z")
    #expect(fixture.plan(at: "2026-11-23T14:05Z").fires == ["2026-11-23T15:00Z"])
    fixture.state.snoozes = [:]
    fixture.state.habits[habit.id]?.schedules[0].unless = .done
    fixture.markDone(habit, on: "2026-11-23")
    #expect(fixture.plan(at: "2026-11-23T10:05Z").fires == [])
  }

  @Test("The facts of a plan reach back to the entry")
  func range() {
    var habit = habit
    habit.schedules = [Self.schedule(.entry, hours: 24 * 40)]
    let common = Planner.range(now: instant(Self.nine))
    let own = Planner.range(of: habit, in: common)
    let today: CivilDate = "2026-11-23"
    #expect(own.lowerBound <= today.adding(days: -40))
    #expect(own.upperBound == common.upperBound)
  }
}
