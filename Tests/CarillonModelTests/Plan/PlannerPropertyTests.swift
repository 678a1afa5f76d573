import CarillonModel
import CarillonTestSupport
import Foundation
import Testing

/// Properties of every plan, tested with random states near offset changes.
///
/// `tools/live --only plans` tries more of them. A failure prints its seed.
@Suite struct PlannerPropertyTests {
  private static let seeds = TestSeed.first(80)
  private let changes: [String: [Int]]

  init() throws {
    let oracle = try ZoneOracle()
    changes = oracle.groups.reduce(into: [:]) { changes, group in
      for name in group.names where !group.changes.isEmpty {
        changes[name] = group.changes.map(\.minute)
      }
    }
  }

  @Test("A plan has the same requests as a full expansion")
  func reference() {
    for seed in TestSeed.first(120) {
      checkReference(RandomPlan(seed: seed, changes: changes), seed)
    }
  }

  @Test("A plan of habits of which little is known has the same requests as a full expansion")
  func plainReference() {
    for seed in TestSeed.first(400) { checkReference(RandomPlan(plain: seed), seed) }
  }

  private func checkReference(_ random: RandomPlan, _ seed: UInt64) {
    let (plan, reference) = (random.planner.plan(), ReferencePlan(random))
    #expect(plan.requests.map(\.id.description) == reference.taken.map(\.id), "seed \(seed)")
    #expect(plan.requests.map(\.fireAt) == reference.taken.map(\.fire), "seed \(seed)")
    #expect(
      plan.requests.map(\.occurrence.revision) == reference.taken.map(\.revision), "seed \(seed)")
    let plain = zip(plan.requests, reference.taken).filter { $0.0.id.kind != .digest }
    #expect(
      plain.map { $0.0.content.level == .passive } == plain.map(\.1.isPassive), "seed \(seed)")
    #expect(plain.map { Set($0.0.alsoRepresents) } == plain.map(\.1.covers), "seed \(seed)")
    if random.fixture.store.digest == nil {
      #expect(plan.dropped == reference.droppedCount, "seed \(seed)")
      let leftOut = plan.leftOut.compactMap { one in one.since.map { (one.schedule, $0) } }
      #expect(
        Dictionary(uniqueKeysWithValues: leftOut) == reference.leftOut, "seed \(seed)")
    }
    #expect(plan.coverageUntil == reference.coverageUntil, "seed \(seed)")
  }

  @Test("Few instants are computed, IDs are unique, and planning twice changes nothing")
  func invariants() {
    for seed in Self.seeds {
      let random = RandomPlan(seed: seed, changes: changes)
      let plan = random.planner.plan()
      if random.fixture.store.digest == nil {
        #expect(
          plan.computedCount <= random.fixture.capacity + 2 * random.sourceCount, "seed \(seed)")
      }
      #expect(plan.requests.count <= random.fixture.capacity, "seed \(seed)")
      #expect(Set(plan.requests.map(\.id)).count == plan.requests.count, "seed \(seed)")
      let again = random.planner.plan()
      #expect(again == plan, "seed \(seed)")
      #expect(again.difference(from: plan.scheduled).isEmpty, "seed \(seed)")
    }
  }

  @Test("A plan is unchanged until its `validUntil` and depends only on dates in its ranges")
  func validity() {
    for seed in Self.seeds {
      checkValidity(RandomPlan(seed: seed, changes: changes), seed)
      checkValidity(RandomPlan(plain: seed), seed)
    }
  }

  private func checkValidity(_ random: RandomPlan, _ seed: UInt64) {
    let plan = random.planner.plan()
    #expect(plan.validUntil > random.now && plan.nextWakeHint >= random.now, "seed \(seed)")
    let length = plan.validUntil.milliseconds - random.now.milliseconds
    for later in [1, length / 3, length / 2, length - 1] where later > 0 && later < length {
      var moved = random
      moved.now = Instant(milliseconds: random.now.milliseconds + later)
      let later = moved.planner.plan()
      #expect(later.isSameQueue(as: plan), "seed \(seed), at \(moved.now)")
    }
    let common = Planner.range(now: random.now)
    #expect(random.trimmed(to: common).planner.plan() == plan, "seed \(seed)")
    let near = Planner.range(now: random.now, settings: random.fixture.settings)
    #expect(
      random.trimmed(to: near).planner.plan().isSameQueue(as: plan), "seed \(seed), near dates")
  }

  @Test("If there is room for one request of each schedule, the next reminder of each is planned")
  func nextOfEach() {
    var checkedCount = 0
    for seed in TestSeed.first(400) {
      var random = RandomPlan(seed: seed, changes: changes)
      random.fixture.store.digest = nil
      let planner = random.planner
      let plan = planner.plan()
      let explainer = Explainer(planner, plan)
      let today = CivilDate(rawValue: Int32(random.now.milliseconds / 86_400_000))
      let dates = (-8...random.fixture.horizonDays + 20).map { today.adding(days: $0) }
      var next: [ScheduleID: Explanation] = [:]
      for (id, habit) in random.fixture.state.habits {
        let snoozed = Set((random.fixture.state.snoozes[id] ?? []).map(\.schedule))
        for explanation in dates.flatMap({ explainer.explain(id, on: $0) }) {
          let schedule = explanation.schedule
          guard [.planned, .overCapacity].contains(explanation.reason),
            habit.schedules.contains(where: { $0.id == schedule }), !snoozed.contains(schedule)
          else { continue }
          let known: Instant? = next[schedule]?.fireAt
          let isSooner = known.map { at in explanation.fireAt.map { $0 < at } ?? false } ?? true
          if isSooner { next[schedule] = explanation }
        }
      }
      guard plan.blocked == nil, random.demand <= random.fixture.capacity else { continue }
      checkedCount += next.count
      let missing = next.values.filter { $0.reason == .overCapacity }
      #expect(missing.isEmpty, "seed \(seed): \(missing)")
    }
    #expect(checkedCount > 100, "only \(checkedCount) schedules were checked")
  }

  @Test("What fires on a date, and first on it, follows from what is due on all dates")
  func firings() {
    var checkedCount = 0
    for seed in TestSeed.first(30) {
      let random = RandomPlan(seed: seed, changes: changes)
      let planner = random.planner
      let explainer = Explainer(planner, planner.plan())
      let calendar = CivilCalendar(zone: random.fixture.settings.zone)
      let dayStart = random.fixture.dayStart
      let today = calendar.dateTime(at: random.now).date
      let logicalToday = calendar.logicalDate(at: random.now, dayStart: dayStart)
      let dates = today...today.adding(days: 3)
      for (id, habit) in random.fixture.state.habits {
        let snoozed = (random.fixture.state.snoozes[id] ?? []).flatMap { snooze in
          (-1...1).map(snooze.nominal.date.adding(days:))
        }
        let near = Planner.range(
          of: habit, in: dates.lowerBound.adding(days: -3)...dates.upperBound.adding(days: 5))
        let all = Set(near).union(snoozed).flatMap { explainer.explain(id, on: $0) }
        for date in dates {
          let fires: Set<Explanation.Reason> = [
            .planned, .beyondHorizon, .overCapacity, .otherDevice, .noDevice,
          ]
          let expected = all.filter { one in
            fires.contains(one.reason) && one.due != date
              && one.fireAt.map { calendar.logicalDate(at: $0, dayStart: dayStart) } == date
          }
          let moved = explainer.explain(id, on: date, includingMoved: true)
            .filter { $0.due != date && $0.reason != .delivered }
          #expect(Set(moved) == Set(expected), "seed \(seed), \(date)")
          let ahead = all.filter { one in
            one.isComing(asOf: logicalToday)
              && one.fireAt.map { calendar.logicalDate(at: $0, dayStart: dayStart) } == date
          }
          let planned = ahead.filter { $0.reason == .planned }
          let found = explainer.firstFirings(of: id, on: dates).byDate[date]
          let first = (planned.isEmpty ? ahead : planned).compactMap(\.fireAt).min()
          #expect(found?.instant == first, "seed \(seed), \(date)")
          #expect(found.map { $0.isPlanned == !planned.isEmpty } ?? true, "seed \(seed), \(date)")
          checkedCount += ahead.count
        }
      }
    }
    #expect(checkedCount > 100, "only \(checkedCount) reminders were checked")
  }

  @Test("Exactly the planned occurrences are explained as planned")
  func explanations() {
    for seed in TestSeed.first(40) {
      let random = RandomPlan(seed: seed, changes: changes)
      let planner = random.planner
      let plan = planner.plan()
      let explainer = Explainer(planner, plan)
      let today = CivilDate(rawValue: Int32(random.now.milliseconds / 86_400_000))
      // A repeating request may next fire in a year.
      let far = plan.requests.flatMap { [$0.nominal.date, $0.nominal.date.adding(days: -1)] }
      let near = (-8...random.fixture.horizonDays + 20).map { today.adding(days: $0) }
      let explained = random.fixture.state.habits.keys.flatMap { habit in
        Set(near + far).flatMap { explainer.explain(habit, on: $0) }
      }
      let planned = explained.filter { $0.reason == .planned }
      let ids = plan.requests.map(\.id).filter { $0.kind != .openApp }
      #expect(Set(planned.map(\.id)) == Set(ids), "seed \(seed)")
      for request in plan.requests {
        #expect(
          request.id.kind == .openApp
            || planned.contains { $0.id == request.id && $0.fireAt == request.fireAt },
          "seed \(seed)")
      }
      let others = explained.filter {
        $0.reason == .overCapacity && $0.fireAt.map { $0 < plan.coverageUntil } ?? false
      }
      #expect(others.isEmpty, "seed \(seed)")
    }
  }
}

extension Explanation {
  /// Whether the occurrence is planned, or will be if the person goes on as until today.
  fileprivate func isComing(asOf today: CivilDate) -> Bool {
    if case .inactive(let since, let days) = detail { return since.adding(days: days) >= today }
    return [.planned, .beyondHorizon, .overCapacity].contains(reason)
  }
}

extension RandomPlan {
  /// The number of requests without which a schedule or a snooze may have none.
  ///
  /// A schedule with one date counts with each of its times and repeats, since all of them come
  /// before the next request of other schedules.
  fileprivate var demand: Int {
    let schedules = fixture.state.habits.values.flatMap(\.schedules).reduce(0) { count, schedule in
      let repeats =
        if case .relative(let relative) = schedule.rule { relative.repeatCount } else { 0 }
      return count + max(1, schedule.times.count) * (repeats + 1)
    }
    return schedules + fixture.state.snoozes.values.reduce(0) { $0 + $1.count }
      + (fixture.store.asksToOpen ? 1 : 0)
  }

  /// The number of sources of requests: times, repeats, snoozes and quiet hours.
  fileprivate var sourceCount: Int {
    let schedules = fixture.state.habits.values.flatMap(\.schedules).reduce(0) { count, schedule in
      if case .relative(let relative) = schedule.rule { return count + relative.repeatCount + 1 }
      return count + 1
    }
    return schedules + fixture.state.habits.count
      + fixture.state.snoozes.values.reduce(0) { $0 + $1.count }
  }

  /// Returns the fixture without the facts of dates outside a range, which is longer for some
  /// habits.
  fileprivate func trimmed(to range: ClosedRange<CivilDate>) -> RandomPlan {
    var trimmed = self
    let start = Instant(milliseconds: Int64(range.lowerBound.rawValue) * 86_400_000)
    for (id, habit) in fixture.state.habits {
      let snoozes = (fixture.state.snoozes[id] ?? []).filter { snooze in
        range.contains(snooze.nominal.date) || snooze.until.map { $0 >= start } ?? false
      }
      let own = Planner.range(of: habit, snoozes: snoozes, in: range)
      trimmed.fixture.state.snoozes[id] = snoozes
      trimmed.fixture.state.days[id] = fixture.state.days[id].map { days in
        StoreState.Days(days.filter { own.contains($0.date) })
      }
      trimmed.fixture.state.receipts[id] = fixture.state.receipts[id]?.filter {
        own.contains($0.occurrence.nominal.date)
      }
    }
    return trimmed
  }
}

extension NotificationPlan {
  /// Whether two plans are the same for the system and the person.
  fileprivate func isSameQueue(as other: NotificationPlan) -> Bool {
    requests == other.requests && coverageUntil == other.coverageUntil && dropped == other.dropped
      && leftOut == other.leftOut && blocked == other.blocked && problems == other.problems
  }
}
