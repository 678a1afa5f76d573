import CarillonModel
import CarillonSQLite
import CarillonTestSupport
import Foundation
import Synchronization
import Testing

/// The pending queue is kept while nothing changes, and planned again otherwise.
struct KeptPlanTests {
  private static let replica = ReplicaID(high: 7, low: 1)
  private static let habit = HabitID(high: 2, low: 1)
  /// 2026-11-23T06:00:00Z, a Monday.
  private static let now: Int64 = 1_795_413_600_000
  private static let hour: Int64 = 3_600_000

  /// A habit with three schedules, one of them in an unknown time zone.
  private static func history() throws -> History {
    var history = History()
    try history.add(.habitCreated(HabitFields(creating: Habit(id: habit, title: "Walk 🌊"))))
    let schedules = [
      Schedule(
        id: ScheduleID(high: 3, low: 1), rule: .weekly([.monday, .friday]),
        times: ["07:30", "17:00"],
        unless: .done,
        content: Schedule.Content(body: "Now", sound: "bell", data: ["b": "\"2\"", "a": "1"]),
        thread: "walks"),
      Schedule(id: ScheduleID(high: 3, low: 2), rule: .everyDays(1, from: date), times: ["20:00"]),
      Schedule(
        id: ScheduleID(high: 3, low: 3), rule: .weekly([.monday]), times: ["09:00"],
        zone: .fixed("Nowhere/Town")),
    ]
    for schedule in schedules {
      try history.add(.scheduleSet(ScheduleSet(habit: habit, schedule: schedule)))
    }
    return history
  }

  private static let date = CivilDate(rawValue: 20_700)

  private static func basis(
    now: Int64 = now, zone: String = "Europe/Berlin", capacity: Int = 64, horizonDays: Int? = nil,
    replica: ReplicaID = replica, data: String = "2026a"
  ) throws -> PlanBasis {
    PlanBasis(
      replica: replica, zone: try #require(TimeZone(identifier: zone)), capacity: capacity,
      horizonDays: horizonDays, now: Instant(milliseconds: now), zoneDataVersion: data)
  }

  /// Requests a plan, and returns whether it was computed.
  private static func plan(
    _ projections: SQLiteProjections, _ basis: PlanBasis, isKept: Bool = true
  ) async throws -> (plan: NotificationPlan, isNew: Bool) {
    let isNew = Mutex(false)
    let plan = try await projections.plan(basis, isKept: isKept) { reader in
      isNew.withLock { $0 = true }
      let settings = basis.settings(try reader.settings())
      let range = Planner.range(now: basis.now)
      return Planner(
        state: try reader.state(range: range), settings: settings, device: basis.replica,
        now: basis.now
      ).plan()
    }
    return (plan, isNew.withLock { $0 })
  }

  @Test("A complete plan is kept, and returned while nothing changes")
  func kept() async throws {
    try await Fixture.run(try Self.history().events) { fixture in
      let projections = try await fixture.open()
      let first = try await Self.plan(projections, Self.basis())
      #expect(first.isNew)
      #expect(first.plan.requests.count > 4)
      #expect(first.plan.problems.count == 1)
      let changes = try projections.rowChangeCount()
      let second = try await Self.plan(projections, Self.basis())
      #expect(!second.isNew)
      #expect(try projections.rowChangeCount() == changes)
      #expect(second.plan.requests == first.plan.requests)
      #expect(second.plan.coverageUntil == first.plan.coverageUntil)
      #expect(second.plan.validUntil == first.plan.validUntil)
      #expect(second.plan.nextWakeHint == first.plan.nextWakeHint)
      #expect(second.plan.dropped == first.plan.dropped)
      #expect(second.plan.blocked == first.plan.blocked)
      #expect(second.plan.problems == first.plan.problems)
      #expect(second.plan.computedCount == 0)
      let coverage = try await projections.read { try $0.keptPlanCoverage() }
      #expect(coverage == first.plan.coverageUntil)
      await projections.close()
      let reopened = try await fixture.open()
      #expect(try await !Self.plan(reopened, Self.basis()).isNew)
      await reopened.close()
    }
  }

  @Test("A different basis leads to a new plan")
  func otherBasis() async throws {
    try await Fixture.run(try Self.history().events) { fixture in
      let projections = try await fixture.open()
      for basis in [
        try Self.basis(), try Self.basis(zone: "Asia/Tokyo"), try Self.basis(capacity: 5),
        try Self.basis(horizonDays: 3), try Self.basis(horizonDays: 8),
        try Self.basis(replica: ReplicaID(high: 7, low: 2)), try Self.basis(data: "2026b"),
        try Self.basis(now: Self.now - Self.hour),
        try Self.basis(now: Self.now + 30 * Self.hour),
      ] {
        #expect(try await Self.plan(projections, basis).isNew)
        #expect(try await !Self.plan(projections, basis).isNew)
      }
      await projections.close()
    }
  }

  @Test("A kept plan is valid until a request fires")
  func validity() async throws {
    try await Fixture.run(try Self.history().events) { fixture in
      let projections = try await fixture.open()
      let until = try await Self.plan(projections, Self.basis()).plan.validUntil.milliseconds
      let last = try await Self.plan(projections, Self.basis(now: until - 1))
      #expect(!last.isNew)
      #expect(last.plan.asOf == Instant(milliseconds: until - 1))
      #expect(try await Self.plan(projections, Self.basis(now: until)).isNew)
      await projections.close()
    }
  }

  @Test("A new event leads to a new plan that includes it")
  func newEvent() async throws {
    var history = try Self.history()
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      let before = try await Self.plan(projections, Self.basis())
      let done = EntryRecorded(habit: Self.habit, date: CivilDate(rawValue: 20_780))
      fixture.log.arrive([try history.add(.entryRecorded(done))])
      let after = try await Self.plan(projections, Self.basis())
      #expect(after.isNew)
      #expect(after.plan.requests.count == before.plan.requests.count - 2)
      #expect(try await !Self.plan(projections, Self.basis()).isNew)
      await projections.close()
    }
  }

  @Test("A changed setting leads to a new plan that follows it")
  func newSetting() async throws {
    var history = try Self.history()
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      let before = try await Self.plan(projections, Self.basis())
      fixture.log.arrive([try history.add(.settingsSet(SettingsSet(.horizonDays, to: "1")))])
      let after = try await Self.plan(projections, Self.basis())
      #expect(after.isNew)
      #expect(after.plan.requests.count < before.plan.requests.count)
      #expect(try await !Self.plan(projections, Self.basis()).isNew)
      await projections.close()
    }
  }

  @Test("A plan at another capacity is not kept and does not replace the kept one")
  func notKept() async throws {
    try await Fixture.run(try Self.history().events) { fixture in
      let projections = try await fixture.open()
      _ = try await Self.plan(projections, Self.basis())
      let other = try await Self.plan(projections, Self.basis(capacity: 2), isKept: false)
      #expect(other.isNew)
      #expect(other.plan.requests.count == 2)
      #expect(try await !Self.plan(projections, Self.basis()).isNew)
      await projections.close()
    }
  }

  @Test("The digest does not include the kept plan, and a rebuild removes it")
  func digest() async throws {
    try await Fixture.run(try Self.history().events) { fixture in
      let projections = try await fixture.open()
      let before = try await projections.digest()
      _ = try await Self.plan(projections, Self.basis())
      #expect(try await projections.digest() == before)
      #expect(try await projections.check() == nil)
      _ = try await projections.rebuild()
      #expect(try await projections.read { try $0.keptPlanCoverage() } == nil)
      #expect(try await Self.plan(projections, Self.basis()).isNew)
      await projections.close()
    }
  }

  @Test("A request's occurrence can be looked up for 8 days after it fired")
  func occurrences() async throws {
    try await Fixture.run(try Self.history().events) { fixture in
      let projections = try await fixture.open()
      let request = try #require(
        try await Self.plan(projections, Self.basis()).plan.requests.first)
      let expected = PlannedRequest(
        id: request.id, occurrence: request.occurrence, fireAt: request.fireAt)
      let fireAt = try #require(request.fireAt)
      for days: Int64 in [0, 7, 9] {
        let now = fireAt.milliseconds + days * 24 * Self.hour
        _ = try await Self.plan(projections, Self.basis(now: now))
        let known = try await projections.read { try $0.plannedRequest(request.id) }
        #expect(known == (days < 8 ? expected : nil))
      }
      let unknown = try #require(RequestID("c1.aaaaaaaaaaaaaaaa"))
      #expect(try await projections.read { try $0.plannedRequest(unknown) } == nil)
      await projections.close()
    }
  }
}
