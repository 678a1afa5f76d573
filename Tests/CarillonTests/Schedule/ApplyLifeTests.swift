import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Weeks of a phone with random actions of its owner, system and app, played from a seed.
struct ApplyLifeTests {
  @Test(
    "In any life, nothing fires twice or after it is done, and the system holds the plan",
    arguments: TestSeed.first(3))
  func life(_ seed: UInt64) async throws {
    try await withSystem { store, system, clock in
      var chance = SeededGenerator(seed: seed)
      let habits = [
        try await store.add(Habit("Walk", .daily(at: ["07:30", "17:00"], unless: .done))).id,
        try await store.add(Habit("Tea", .daily(at: ["16:00"]))).id,
        try await store.add(Habit("Read", .weekly(on: [.monday, .friday], at: ["21:00"]))).id,
      ]
      var done: [(at: Instant, habit: HabitID)] = []
      for _ in 0..<60 {
        clock.advance(seconds: Int64.random(in: 600...36_000, using: &chance))
        switch Int.random(in: 0..<8, using: &chance) {
        case 0...2:
          let habit = try #require(habits.randomElement(using: &chance))
          try await store.markDone(habit, on: .today)
          done.append((clock.now, habit))
        case 3:
          await system.revoke()
          try await store.setPermission(Permission(status: .denied))
        case 4:
          await system.grant()
          try await store.setPermission(Permission(status: .authorized, options: .alert))
        case 5: await system.reboot()
        case 6: await system.refuse(Int.random(in: 1...4, using: &chance))
        default: try await store.recordActivity()
        }
        try await store.apply(to: system)
        try await store.apply(to: system)
        try await expectAnswered(store, system, seed)
      }
      let firings = await system.firings
      #expect(!firings.isEmpty, "seed \(seed)")
      let times = firings.map { "\($0.id) \($0.at.milliseconds)" }
      #expect(Set(times).count == times.count, "seed \(seed)")
      let oneShots = firings.filter { $0.id.request?.kind != .repeating }.map(\.id)
      #expect(Set(oneShots).count == oneShots.count, "seed \(seed)")
      for (at, habit) in done {
        let late = firings.filter {
          $0.content?.thread == habit.description && $0.at > at
            && LogicalDate.of($0.at, in: Self.berlin) == LogicalDate.of(at, in: Self.berlin)
            && $0.content?.title == "Walk"
        }
        #expect(late.isEmpty, "seed \(seed): \(late)")
      }
    }
  }

  /// Checks that after two runs in a row a third changes and writes nothing.
  private func expectAnswered(
    _ store: Store, _ system: StandInScheduler, _ seed: UInt64
  ) async throws {
    let position = try store.lastPosition()
    let applied = try await store.apply(to: system)
    #expect(applied.isComplete, "seed \(seed): \(applied.failures)")
    #expect(try store.lastPosition() == position, "seed \(seed): \(applied)")
    let plan = try await store.plan()
    let wanted = plan.blocked == nil ? Set(plan.requests.map(\.id)) : []
    #expect(await system.ids() == wanted, "seed \(seed)")
  }

  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
}
