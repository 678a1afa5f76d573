import CarillonModel
import Foundation
import Testing

/// What holds of every plan, over random states near offset changes.
///
/// A failure prints its seed; put it alone into `seeds` to replay it.
@Suite struct PlannerPropertyTests {
  private static let seeds = Array(UInt64(1)...300)
  private let changes: [String: [Int]]

  init() throws {
    let oracle = try ZoneOracle()
    changes = oracle.groups.reduce(into: [:]) { changes, group in
      for name in group.names where !group.changes.isEmpty {
        changes[name] = group.changes.map(\.minute)
      }
    }
  }

  @Test("The planned are exactly the soonest, as a plain expansion finds them")
  func reference() {
    for seed in Self.seeds {
      let random = RandomPlan(seed: seed, changes: changes)
      let (plan, reference) = (random.planner.plan(), ReferencePlan(random))
      #expect(plan.requests.map(\.id) == reference.taken.map(\.id), "seed \(seed)")
      #expect(
        plan.requests.map { Double($0.fireAt.milliseconds) / 1_000 }
          == reference.taken.map(\.fire.timeIntervalSince1970), "seed \(seed)")
      #expect(plan.dropped == reference.droppedCount, "seed \(seed)")
      #expect(
        Double(plan.coverageUntil.milliseconds) / 1_000
          == reference.coverageUntil.timeIntervalSince1970, "seed \(seed)")
    }
  }

  @Test("Few instants are made, ids are unique, and planning twice changes nothing")
  func invariants() {
    for seed in Self.seeds {
      let random = RandomPlan(seed: seed, changes: changes)
      let plan = random.planner.plan()
      let slots = random.fixture.state.habits.values.reduce(0) { $0 + $1.slots.count }
      #expect(plan.computedCount <= random.fixture.capacity + 2 * slots, "seed \(seed)")
      #expect(plan.requests.count <= random.fixture.capacity, "seed \(seed)")
      #expect(Set(plan.requests.map(\.id)).count == plan.requests.count, "seed \(seed)")
      let again = random.planner.plan()
      #expect(again == plan, "seed \(seed)")
      #expect(again.difference(from: plan.scheduled).isEmpty, "seed \(seed)")
    }
  }

  @Test("A plan holds until it says, and what it depends on is inside its span")
  func validity() {
    for seed in Self.seeds {
      let random = RandomPlan(seed: seed, changes: changes)
      let plan = random.planner.plan()
      #expect(plan.validUntil > random.now && plan.nextWakeHint >= random.now, "seed \(seed)")
      let length = plan.validUntil.milliseconds - random.now.milliseconds
      for later in [1, length / 3, length / 2, length - 1] where later > 0 && later < length {
        var moved = random
        moved.now = Instant(milliseconds: random.now.milliseconds + later)
        #expect(moved.planner.plan().isSameQueue(as: plan), "seed \(seed), \(later) ms later")
      }
      var trimmed = random
      let span = Planner.span(now: random.now, settings: random.fixture.settings)
      trimmed.fixture.state.days = random.fixture.state.days.mapValues { days in
        days.filter { span.contains($0.key) }
      }
      #expect(trimmed.planner.plan() == plan, "seed \(seed)")
    }
  }

  @Test("Every planned occurrence is explained as planned, and no other is")
  func explanations() {
    for seed in Self.seeds.prefix(150) {
      let random = RandomPlan(seed: seed, changes: changes)
      let planner = random.planner
      let plan = planner.plan()
      let today = CivilDate(rawValue: Int32(random.now.milliseconds / 86_400_000))
      let explained = random.fixture.state.habits.keys.flatMap { habit in
        (-3...random.fixture.horizonDays + 20).flatMap {
          planner.explain(habit, on: today.adding(days: $0), in: plan)
        }
      }
      let planned = explained.filter { $0.reason == .planned }
      #expect(Set(planned.map(\.id)) == Set(plan.requests.map(\.id)), "seed \(seed)")
      for request in plan.requests {
        #expect(
          planned.contains { $0.id == request.id && $0.fireAt == request.fireAt }, "seed \(seed)")
      }
      let others = explained.filter { $0.reason == .overCapacity && $0.fireAt < plan.coverageUntil }
      #expect(others.isEmpty, "seed \(seed)")
    }
  }
}

extension Plan {
  /// Whether two plans give the system and the person the same.
  fileprivate func isSameQueue(as other: Plan) -> Bool {
    requests == other.requests && coverageUntil == other.coverageUntil && dropped == other.dropped
      && blocked == other.blocked && problems == other.problems
  }
}
