import Foundation
import Testing

@testable import CarillonModel

/// Answered notifications are removed from the screen.
@Suite struct DeliveredTests {
  private static let other = ReplicaID(high: 1, low: 2)
  /// A Monday.
  private static let monday: CivilDate = "2026-11-23"
  private static let evening = "2026-11-23T18:00Z"

  /// A phone that delivered the habit's notifications at 17:00 on these dates.
  private func fixture(
    _ habit: Habit, shown dates: CivilDate..., state: ReceiptState = .delivered,
    fireAt: Instant? = nil, on replica: ReplicaID = PlanFixture.device
  ) throws -> PlanFixture {
    var fixture = PlanFixture("UTC", habit)
    let schedule = try #require(habit.schedules.first?.id)
    fixture.state.receipts[habit.id] = Set(
      dates.map {
        OccurrenceReceipt(
          schedule: schedule, nominal: CivilDateTime(date: $0, time: "17:00"), revision: "0",
          state: state,
          fireAt: fireAt, replica: replica)
      })
    return fixture
  }

  private func removals(_ fixture: PlanFixture, at now: String = evening) -> [String] {
    fixture.planner(at: instant(now)).deliveredRemovals()
  }

  private func id(_ habit: Habit, _ date: CivilDate) -> String {
    let nominal = CivilDateTime(date: date, time: "17:00")
    return RequestID(habit: habit.id, schedule: habit.schedules[0].id, nominal: nominal).description
  }

  private func id(_ habit: Habit, _ trigger: RequestTrigger.Shape) -> String {
    RequestID(habit: habit.id, schedule: habit.schedules[0].id, trigger: trigger).description
  }

  @Test("Marking a habit done answers its notifications, even without a condition in the schedule")
  func done() throws {
    let plain = Habit("Pills", .daily(at: ["17:00"]))
    var fixture = try fixture(plain, shown: Self.monday)
    #expect(removals(fixture).isEmpty)
    fixture.markDone(plain, on: Self.monday)
    #expect(removals(fixture) == [id(plain, Self.monday), id(plain, .daily("17:00"))].sorted())
    let conditional = Habit("Walk", .daily(at: ["17:00"], unless: .done))
    fixture = try self.fixture(conditional, shown: Self.monday)
    #expect(removals(fixture).isEmpty)
    fixture.markDone(conditional, on: Self.monday)
    #expect(removals(fixture) == [id(conditional, Self.monday)])
  }

  @Test(
    "Snoozing an occurrence delivered by a repeating request removes that request's notification")
  func snoozed() throws {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    let nominal = CivilDateTime(date: Self.monday, time: "17:00")
    var fixture = try fixture(habit, shown: Self.monday)
    fixture.snooze(habit, nominal, until: "2026-11-23T18:30Z")
    #expect(removals(fixture) == [id(habit, .daily("17:00"))])
    // A snooze without effect removes nothing.
    fixture.state.snoozes = [:]
    fixture.snooze(habit, nominal, until: "2026-11-24T18:30Z")
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
        schedule: habit.schedules[0].id, nominal: nominal, revision: "0", state: .delivered,
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
    let shown = try fixture(habit, shown: Self.monday)
    func isRemoved(_ change: (inout StoreState) -> Void) -> Bool {
      var fixture = shown
      change(&fixture.state)
      return removals(fixture) == [id(habit, Self.monday)]
    }
    #expect(isRemoved { $0.days[habit.id] = [Self.monday: .init(mark: .skip)] })
    #expect(isRemoved { $0.habits[habit.id]?.isArchived = true })
    #expect(isRemoved { $0.habits[habit.id]?.isDeleted = true })
    for (state, answers) in [(ReceiptState.dismissed, true), (.acted, true), (.delivered, false)] {
      let nominal = CivilDateTime(date: Self.monday, time: "17:00")
      let elsewhere = OccurrenceReceipt(
        schedule: habit.schedules[0].id, nominal: nominal, revision: "0", state: state, fireAt: nil,
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
    ].sorted()
    var fixture = try fixture(habit, shown: Self.monday)
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

  @Test("A repeating request that has since fired for an unanswered occurrence stays")
  func repeating() throws {
    let habit = Habit("Pills", .daily(at: ["17:00"]))
    let tuesday: CivilDate = "2026-11-24"
    var fixture = try fixture(habit, shown: Self.monday)
    fixture.markDone(habit, on: Self.monday)
    let both = [id(habit, Self.monday), id(habit, .daily("17:00"))].sorted()
    #expect(removals(fixture, at: "2026-11-24T16:59Z") == both)
    // Tuesday's notification fired under the same ID, although there is no receipt.
    #expect(removals(fixture, at: "2026-11-24T17:00Z") == [id(habit, Self.monday)])
    fixture.markDone(habit, on: tuesday)
    #expect(removals(fixture, at: "2026-11-24T17:00Z") == both)
    let weekly = Habit("Bins", .weekly(on: [.monday, .thursday], at: ["17:00"]))
    fixture = try self.fixture(weekly, shown: Self.monday)
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
    #expect(digest.id.hasPrefix("c1d."))
    for name in [digest.occurrence] + digest.alsoCovers {
      fixture.state.receipts[name.habit] = [
        OccurrenceReceipt(
          schedule: name.schedule, nominal: name.nominal, revision: name.revision,
          state: .submitted,
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
      habit, shown: Self.monday, state: .submitted, fireAt: instant("2026-11-23T17:00Z"))
    fixture.markDone(habit, on: Self.monday)
    #expect(removals(fixture, at: "2026-11-23T16:59Z").isEmpty)
    #expect(removals(fixture, at: "2026-11-23T17:05Z") == [id(habit, Self.monday)])
    fixture.state.devices[PlanFixture.device]?.permission.status = .denied
    #expect(removals(fixture, at: "2026-11-23T17:05Z").isEmpty)
    for state in [ReceiptState.expired, .dismissed] {
      fixture = try self.fixture(habit, shown: Self.monday, state: state)
      fixture.markDone(habit, on: Self.monday)
      #expect(removals(fixture).isEmpty, "\(state)")
    }
    fixture = try self.fixture(habit, shown: Self.monday, on: Self.other)
    fixture.markDone(habit, on: Self.monday)
    #expect(removals(fixture).isEmpty)
  }
}
