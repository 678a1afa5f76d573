import Foundation
import Testing

@testable import CarillonModel

/// Answered notifications are removed from the screen.
@Suite struct DeliveredRemovalTests {
  private static let other = ReplicaID(high: 1, low: 2)
  /// A Monday.
  private static let monday: CivilDate = "2026-11-23"
  private static let evening = "2026-11-23T18:00Z"

  /// A phone that delivered the habit's notifications at 17:00 on these dates.
  private func fixture(
    _ habit: Habit, delivered dates: CivilDate..., state: ReceiptState = .delivered,
    fireAt: Instant? = nil, on replica: ReplicaID = PlanFixture.device
  ) throws -> PlanFixture {
    var fixture = PlanFixture("UTC", habit)
    let schedule = try #require(habit.schedules.first?.id)
    fixture.state.receipts[habit.id] = Set(
      dates.map {
        OccurrenceReceipt(
          OccurrenceID(
            habit: habit.id, schedule: schedule, nominal: CivilDateTime(date: $0, time: "17:00")),
          state,
          fireAt: fireAt, replica: replica)
      })
    return fixture
  }

  private func removals(_ fixture: PlanFixture, at now: String = evening) -> [RequestID] {
    fixture.planner(at: instant(now)).deliveredRemovals()
  }

  private func id(_ habit: Habit, _ date: CivilDate) -> RequestID {
    let nominal = CivilDateTime(date: date, time: "17:00")
    return RequestID(habit: habit.id, schedule: habit.schedules[0].id, nominal: nominal)
  }

  private func id(_ habit: Habit, _ trigger: RequestTrigger.Shape) -> RequestID {
    RequestID(habit: habit.id, schedule: habit.schedules[0].id, trigger: trigger)
  }

  @Test("Marking a habit done answers its notifications, even without a condition in the schedule")
  func done() throws {
    let plain = Habit("Pills", .daily(at: ["17:00"]))
    var fixture = try fixture(plain, delivered: Self.monday)
    #expect(removals(fixture).isEmpty)
    fixture.markDone(plain, on: Self.monday)
    #expect(removals(fixture) == [id(plain, Self.monday), id(plain, .daily("17:00"))].sorted())
    let conditional = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    fixture = try self.fixture(conditional, delivered: Self.monday)
    #expect(removals(fixture).isEmpty)
    fixture.markDone(conditional, on: Self.monday)
    #expect(removals(fixture) == [id(conditional, Self.monday)])
  }

  @Test(
    "Snoozing an occurrence delivered by a repeating request removes that request's notification")
  func snoozed() throws {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    let nominal = CivilDateTime(date: Self.monday, time: "17:00")
    var fixture = try fixture(habit, delivered: Self.monday)
    fixture.snooze(habit, nominal, until: "2026-11-23T18:30Z")
    #expect(removals(fixture) == [id(habit, .daily("17:00"))])
    // A snooze of a time that the schedule does not have removes nothing.
    fixture.state.snoozes = [:]
    fixture.snooze(
      habit, CivilDateTime(date: Self.monday, time: "16:00"), until: "2026-11-23T18:30Z")
    #expect(removals(fixture).isEmpty)
    // The repeating request has since fired for another occurrence.
    fixture.state.snoozes = [:]
    fixture.snooze(habit, nominal, until: "2026-11-23T18:30Z")
    #expect(removals(fixture, at: "2026-11-24T17:01Z").isEmpty)
  }

  @Test("With a day start of 04:00, marking the previous date done answers a notification at 01:00")
  func dayStart() throws {
    let habit = Habit("Read", .daily(at: ["01:00"]))
    let nominal = CivilDateTime(date: "2026-11-24", time: "01:00")
    var fixture = PlanFixture("UTC", habit)
    fixture.dayStart = "04:00"
    fixture.state.receipts[habit.id] = [
      OccurrenceReceipt(
        OccurrenceID(habit: habit.id, schedule: habit.schedules[0].id, nominal: nominal),
        .delivered,
        fireAt: nil,
        replica: PlanFixture.device)
    ]
    fixture.markDone(habit, on: "2026-11-24")
    #expect(removals(fixture, at: "2026-11-24T02:00Z").isEmpty)
    fixture.markDone(habit, on: Self.monday)
    #expect(removals(fixture, at: "2026-11-24T02:00Z").count == 2)
  }

  @Test(
    "A skip, archiving, deletion or an answer elsewhere answers a notification; a pause does not")
  func otherReasons() throws {
    let habit = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    let delivered = try fixture(habit, delivered: Self.monday)
    func isRemoved(_ change: (inout StoreState) -> Void) -> Bool {
      var fixture = delivered
      change(&fixture.state)
      return removals(fixture) == [id(habit, Self.monday)]
    }
    #expect(isRemoved { $0.days[habit.id] = [Self.monday: .init(mark: .skip)] })
    #expect(isRemoved { $0.habits[habit.id]?.isArchived = true })
    #expect(isRemoved { $0.habits[habit.id]?.isDeleted = true })
    for (state, answers) in [(ReceiptState.dismissed, true), (.acted, true), (.delivered, false)] {
      let nominal = CivilDateTime(date: Self.monday, time: "17:00")
      let elsewhere = OccurrenceReceipt(
        OccurrenceID(habit: habit.id, schedule: habit.schedules[0].id, nominal: nominal), state,
        fireAt: nil,
        replica: Self.other)
      #expect(isRemoved { $0.receipts[habit.id]?.insert(elsewhere) } == answers, "\(state)")
    }
    let pause = Pause(id: .random(), habit: habit.id, first: Self.monday, last: nil)
    #expect(!isRemoved { $0.pauses[pause.id] = pause })
  }

  @Test("A notification is removed if its schedule is removed or no longer has the occurrence")
  func scheduleGone() throws {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    let all = [
      id(habit, Self.monday), id(habit, .daily("17:00")), id(habit, .weekly(.monday, "17:00")),
      id(habit, .monthly(day: 23, "17:00")), id(habit, .yearly(month: 11, day: 23, "17:00")),
    ].sorted()
    var fixture = try fixture(habit, delivered: Self.monday)
    fixture.state.habits[habit.id]?.schedules = []
    #expect(removals(fixture) == all)
    fixture.state.habits[habit.id] = habit
    fixture.state.habits[habit.id]?.schedules[0].setTimes(["19:00"])
    #expect(removals(fixture) == all)
    fixture.state.habits[habit.id] = habit
    fixture.state.habits[habit.id]?.schedules[0].rule = .weekly([.tuesday])
    #expect(removals(fixture) == all)
    // With another text and an additional time, the schedule still has the occurrence.
    fixture.state.habits[habit.id] = habit
    fixture.state.habits[habit.id]?.schedules[0].content.body = "Both"
    fixture.state.habits[habit.id]?.schedules[0].setTimes(["17:00", "19:00"])
    #expect(removals(fixture).isEmpty)
    // An unknown rule may still have the occurrence.
    fixture.state.habits[habit.id]?.schedules[0].rule = .unknown(number: 99, bytes: [])
    #expect(removals(fixture).isEmpty)
  }

  @Test("A monthly and a yearly request are removed when their schedule loses the occurrence")
  func rareRequests() throws {
    for (month, shape) in [
      ("*", RequestTrigger.Shape.monthly(day: 23, "17:00")),
      ("11", .yearly(month: 11, day: 23, "17:00")),
    ] {
      let frequency = month == "*" ? "MONTHLY;BYMONTHDAY=23" : "YEARLY"
      let rule = Schedule.Rule.recurrence(
        try #require(Recurrence("DTSTART:20261123T170000\nRRULE:FREQ=\(frequency)")))
      let habit = Habit("Rent", Schedule(rule: rule, times: ["17:00"]))
      var fixture = try fixture(habit, delivered: Self.monday)
      let before = PlanFixture("UTC", habit).plan(at: "2026-11-23T16:00Z")
      #expect(before.requests.map(\.id) == [id(habit, shape)])
      #expect(removals(fixture).isEmpty)
      fixture.state.habits[habit.id]?.schedules = []
      #expect(removals(fixture).contains(id(habit, shape)))
    }
  }

  /// A phone that delivered occurrences of an interval of an hour since 14:00.
  private func hourly() -> (habit: Habit, request: PlannedRequest, fixture: PlanFixture) {
    let interval = Schedule.Interval(seconds: 3_600, from: instant("2026-11-23T08:00Z"))
    let habit = Habit("Water", Schedule(rule: .interval(interval), times: []))
    var fixture = PlanFixture("UTC", habit)
    let occurrences = ["14:00", "15:00", "16:00", "17:00"].map { (time: TimeOfDay) in
      OccurrenceID(
        habit: habit.id, schedule: habit.schedules[0].id,
        nominal: CivilDateTime(date: Self.monday, time: time))
    }
    fixture.state.receipts[habit.id] = Set(
      occurrences.dropLast().map {
        OccurrenceReceipt($0, .delivered, fireAt: nil, replica: PlanFixture.device)
      })
    let request = PlannedRequest(
      id: id(habit, .every(seconds: 3_600)), occurrence: occurrences[3],
      fireAt: instant("2026-11-23T17:00Z"))
    return (habit, request, fixture)
  }

  @Test("The request of a former interval is removed if what it delivered last is answered")
  func formerInterval() throws {
    var (habit, request, fixture) = hourly()
    func isRemoved() -> Bool {
      fixture.planner(at: instant("2026-11-23T16:30Z"))
        .deliveredRemovals(planned: [request]).contains(request.id)
    }
    #expect(!isRemoved())
    fixture.state.habits[habit.id]?.schedules = []
    #expect(isRemoved())
    // Every three hours: 14:00 and 17:00, but not 16:00.
    func change(to seconds: Int) {
      let interval = Schedule.Interval(seconds: seconds, from: instant("2026-11-23T08:00Z"))
      habit.schedules[0].rule = .interval(interval)
      fixture.state.habits[habit.id] = habit
    }
    change(to: 10_800)
    #expect(isRemoved())
    // Every two hours: 16:00 is still an occurrence.
    change(to: 7_200)
    #expect(!isRemoved())
    fixture.markDone(habit, on: Self.monday)
    #expect(isRemoved())
  }

  @Test("The request of an interval that has since fired for an unanswered occurrence stays")
  func interval() throws {
    let (habit, request, hourly) = hourly()
    var fixture = hourly
    let start = CivilDateTime(date: Self.monday, time: "14:00")
    let first = OccurrenceID(habit: habit.id, schedule: habit.schedules[0].id, nominal: start)
    fixture.state.receipts[habit.id] = [
      OccurrenceReceipt(first, .delivered, fireAt: nil, replica: PlanFixture.device),
      OccurrenceReceipt(first, .dismissed, fireAt: nil, replica: Self.other),
    ]
    #expect(removals(fixture, at: "2026-11-23T14:59Z") == [first.requestID, request.id].sorted())
    // The one at 15:00 fired under the same ID, although there is no receipt.
    #expect(removals(fixture, at: "2026-11-23T15:00Z") == [first.requestID])
    fixture.markDone(habit, on: Self.monday)
    #expect(removals(fixture, at: "2026-11-23T15:00Z") == [first.requestID, request.id].sorted())
    #expect(removals(fixture, at: "2026-11-24T00:00Z") == [first.requestID])
  }

  @Test(
    "The request of a former rule is removed if what it delivered last is answered",
    arguments: [
      { $0.unless = .done }, { $0.stopAfterDays = 3 }, { $0.rule = .weekly([.monday]) },
    ] as [@Sendable (inout Schedule) -> Void])
  func formerRule(change: @Sendable (inout Schedule) -> Void) throws {
    let habit = Habit("Pills", .daily(at: ["17:00", "19:00"]))
    func isRemoved(
      _ fixture: PlanFixture, nextOn date: CivilDate = "2026-11-24", at now: String = Self.evening
    ) -> Bool {
      let requests = ["17:00", "19:00"].map { (time: TimeOfDay) in
        let nominal = CivilDateTime(date: date, time: time)
        return PlannedRequest(
          id: id(habit, .daily(time)),
          occurrence: OccurrenceID(
            habit: habit.id, schedule: habit.schedules[0].id, nominal: nominal),
          fireAt: instant("\(nominal)Z"))
      }
      let removals = fixture.planner(at: instant(now)).deliveredRemovals(planned: requests)
      #expect(!removals.contains(requests[1].id), "nothing of it is displayed")
      return removals.contains(requests[0].id)
    }
    var changed = try fixture(habit, delivered: Self.monday)
    var schedule = habit.schedules[0]
    change(&schedule)
    changed.state.habits[habit.id]?.schedules = [schedule]
    #expect(!isRemoved(changed))
    changed.markDone(habit, on: Self.monday)
    #expect(isRemoved(changed))
    // Tuesday's notification may have fired under the same ID, although there is no receipt.
    changed.state.habits[habit.id]?.schedules[0].rule = .weekly([.monday, .tuesday])
    #expect(!isRemoved(changed, at: "2026-11-24T17:00Z"))
    changed.markDone(habit, on: "2026-11-24")
    #expect(isRemoved(changed, at: "2026-11-24T17:00Z"))
  }

  @Test("The request of a place is removed once the date is done, also if it has a condition")
  func conditionalPlace() throws {
    let home = Schedule.Region(
      latitude: 52_520_000, longitude: 13_405_000, radius: 200, crossing: .entry)
    for condition in [Schedule.Condition.none, .done] {
      let habit = Habit("Shop", Schedule(rule: .place(home), times: [], unless: condition))
      var fixture = PlanFixture("UTC", habit)
      let occurrence = OccurrenceID(
        habit: habit.id, schedule: habit.schedules[0].id,
        nominal: CivilDateTime(date: Self.monday, time: .midnight))
      fixture.state.receipts[habit.id] = [
        OccurrenceReceipt(occurrence, .delivered, fireAt: nil, replica: PlanFixture.device)
      ]
      #expect(removals(fixture).isEmpty)
      fixture.markDone(habit, on: Self.monday)
      #expect(removals(fixture).contains(id(habit, .place(home))))
    }
  }

  @Test("The request of a former place is removed, that of the schedule's place is not")
  func formerPlace() throws {
    let home = Schedule.Region(
      latitude: 52_520_000, longitude: 13_405_000, radius: 200, crossing: .entry)
    var habit = Habit("Shop", Schedule(rule: .place(home), times: []))
    var fixture = PlanFixture("UTC", habit)
    let occurrence = OccurrenceID(
      habit: habit.id, schedule: habit.schedules[0].id,
      nominal: CivilDateTime(date: Self.monday, time: .midnight))
    fixture.state.receipts[habit.id] = [
      OccurrenceReceipt(occurrence, .delivered, fireAt: nil, replica: PlanFixture.device)
    ]
    let request = PlannedRequest(
      id: id(habit, .place(home)), occurrence: occurrence, fireAt: nil)
    func isRemoved() -> Bool {
      fixture.planner(at: instant(Self.evening)).deliveredRemovals(planned: [request])
        .contains(request.id)
    }
    #expect(!isRemoved())
    habit.schedules[0].rule = .place(
      Schedule.Region(latitude: 0, longitude: 0, radius: 200, crossing: .entry))
    fixture.state.habits[habit.id] = habit
    #expect(isRemoved())
    fixture.state.habits[habit.id]?.schedules = []
    #expect(isRemoved())
    fixture.state.receipts = [:]
    #expect(!isRemoved(), "nothing of it is displayed")
  }

  @Test("A repeating request that has since fired for an unanswered occurrence stays")
  func repeating() throws {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    let tuesday: CivilDate = "2026-11-24"
    var fixture = try fixture(habit, delivered: Self.monday)
    fixture.markDone(habit, on: Self.monday)
    let both = [id(habit, Self.monday), id(habit, .daily("17:00"))].sorted()
    #expect(removals(fixture, at: "2026-11-24T16:59Z") == both)
    // Tuesday's notification fired under the same ID, although there is no receipt.
    #expect(removals(fixture, at: "2026-11-24T17:00Z") == [id(habit, Self.monday)])
    fixture.markDone(habit, on: tuesday)
    #expect(removals(fixture, at: "2026-11-24T17:00Z") == both)
    let weekly = Habit("Bins", .weekly(on: [.monday, .thursday], at: ["17:00"]))
    fixture = try self.fixture(weekly, delivered: Self.monday)
    fixture.markDone(weekly, on: Self.monday)
    let own = [id(weekly, Self.monday), id(weekly, .weekly(.monday, "17:00"))].sorted()
    #expect(removals(fixture, at: "2026-11-27T12:00Z") == own)
    #expect(removals(fixture, at: "2026-11-30T17:00Z") == [id(weekly, Self.monday)])
  }

  @Test("A digest is removed from the screen when all of its members are answered")
  func digest() throws {
    let moment = CivilDateTime(date: Self.monday, time: "17:00")
    let habits = ["A", "B", "C"].map { Habit($0, .once(moment)) }
    var fixture = PlanFixture("UTC", habits: habits)
    fixture.store.digest = DigestRule("2/300s")
    let digest = try #require(fixture.plan(at: "2026-11-23T12:00Z").requests.first)
    #expect(digest.id.kind == .digest)
    for name in digest.occurrences {
      fixture.state.receipts[name.habit] = [
        OccurrenceReceipt(
          name, .submitted,
          fireAt: digest.fireAt, replica: PlanFixture.device)
      ]
    }
    fixture.markDone(habits[0], on: Self.monday)
    fixture.markDone(habits[1], on: Self.monday)
    #expect(!removals(fixture).contains(digest.id))
    fixture.markDone(habits[2], on: Self.monday)
    #expect(removals(fixture) == (habits.map { id($0, Self.monday) } + [digest.id]).sorted())
    // The digest has not fired yet.
    #expect(removals(fixture, at: "2026-11-23T16:59Z").isEmpty)
    // A single occurrence forms no digest.
    fixture.state.receipts = fixture.state.receipts.filter { $0.key == habits[0].id }
    #expect(removals(fixture) == [id(habits[0], Self.monday)])
  }

  @Test(
    "Scenario 25: a presumed delivery counts as delivered; a delivery on another device does not")
  func presumed() throws {
    let habit = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    var fixture = try fixture(
      habit, delivered: Self.monday, state: .submitted, fireAt: instant("2026-11-23T17:00Z"))
    fixture.markDone(habit, on: Self.monday)
    #expect(removals(fixture, at: "2026-11-23T16:59Z").isEmpty)
    #expect(removals(fixture, at: "2026-11-23T17:05Z") == [id(habit, Self.monday)])
    fixture.state.devices[PlanFixture.device]?.permission.status = .denied
    #expect(removals(fixture, at: "2026-11-23T17:05Z").isEmpty)
    for state in [ReceiptState.expired, .dismissed] {
      fixture = try self.fixture(habit, delivered: Self.monday, state: state)
      fixture.markDone(habit, on: Self.monday)
      #expect(removals(fixture).isEmpty, "\(state)")
    }
    fixture = try self.fixture(habit, delivered: Self.monday, on: Self.other)
    fixture.markDone(habit, on: Self.monday)
    #expect(removals(fixture).isEmpty)
  }
}
