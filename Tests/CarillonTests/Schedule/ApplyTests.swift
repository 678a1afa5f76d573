import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// The system holds the plan, and the log records what it was given and what it delivered.
struct ApplyTests {
  private static let walk = Habit("Walk", .daily(at: ["17:00"], unless: .done))

  @Test("The system is given the plan, the log records it, and a second run changes nothing")
  func twice() async throws {
    try await withSystem { store, system, _ in
      _ = try await store.add(Self.walk)
      let before = try store.lastPosition()
      let first = try await store.apply(to: system)
      #expect(first.insertions.count == 8)
      #expect(first.isComplete && first.removals.isEmpty)
      #expect(await system.ids() == Set(first.insertions.map(\.id)))
      let facts = try await store.facts(after: before)
      #expect(facts.map(\.state) == Array(repeating: .submitted, count: 8))
      #expect(Set(facts.compactMap(\.fireAt)) == Set(first.insertions.map(\.fireAt)))
      let submitted = try await submissions(store, after: before)
      #expect(submitted.map(\.added) == [8])
      #expect(submitted.first?.coverageUntil == first.coverageUntil)

      let position = try store.lastPosition()
      let changes = await system.changeCount
      let second = try await store.apply(to: system)
      #expect(second.unchanged == 8)
      #expect(second.written.events.isEmpty)
      #expect(try store.lastPosition() == position)
      #expect(await system.changeCount == changes)
    }
  }

  @Test("A reminder that is done is removed from the system, and is not presumed delivered")
  func done() async throws {
    try await withSystem { store, system, clock in
      let habit = try await store.add(Self.walk)
      let given = try await store.apply(to: system).insertions
      clock.set("2026-11-23T15:00:00Z")
      try await store.markDone(habit.id)
      let before = try store.lastPosition()
      let applied = try await store.apply(to: system)
      #expect(applied.removals == [given[0].id])
      #expect(applied.insertions.isEmpty)
      let facts = try await store.facts(after: before)
      #expect(facts.map(\.fireAt) == [nil])
      clock.set("2026-11-23T18:00:00Z")
      #expect(await system.firings.isEmpty)
      #expect(try await store.receipts(state: .presumed).isEmpty)
      // If it were undone, it would fire only tomorrow.
      let explained = try await store.explain(habit.id)
      #expect(explained.map(\.reason) == [.done])
    }
  }

  @Test("A delivered notification is recorded once, and removed when it is answered")
  func delivered() async throws {
    try await withSystem { store, system, clock in
      let habit = try await store.add(Self.walk)
      try await store.apply(to: system)
      clock.set("2026-11-23T16:05:00Z")
      let before = try store.lastPosition()
      try await store.apply(to: system)
      let facts = try await store.facts(after: before)
      let shown = facts.filter { $0.state == .delivered }
      #expect(shown.map(\.fireAt) == [Instant(rfc3339: "2026-11-23T16:00:00Z")])
      #expect(await system.delivered().count == 1)

      let position = try store.lastPosition()
      try await store.apply(to: system)
      #expect(try store.lastPosition() == position)

      try await store.markDone(habit.id)
      let applied = try await store.apply(to: system)
      #expect(applied.deliveredRemovals.count == 1)
      #expect(await system.delivered().isEmpty)
      #expect(try await store.apply(to: system).deliveredRemovals.isEmpty)
    }
  }

  @Test("If the system refuses some requests, the rest are recorded, and the next run adds them")
  func refused() async throws {
    try await withSystem { store, system, _ in
      _ = try await store.add(Self.walk)
      await system.refuse(2, 5)
      let before = try store.lastPosition()
      let first = try await store.apply(to: system)
      #expect(first.insertions.count == 6)
      #expect(first.failures.map(\.message) == ["the system is busy", "the system is busy"])
      #expect(try await store.facts(after: before).count == 6)
      let submitted = try #require(try await submissions(store, after: before).first)
      #expect(submitted.added == 6 && submitted.failed == 2)
      #expect(submitted.coverageUntil == Instant(rfc3339: "2026-11-24T16:00:00Z"))
      let second = try await store.apply(to: system)
      #expect(second.insertions.map(\.id) == first.failures.compactMap(\.id))
      #expect(second.isComplete)
      #expect(try await store.apply(to: system).written.events.isEmpty)
    }
  }

  @Test("A repeated refusal of the same requests is recorded once")
  func refusedAgain() async throws {
    try await withSystem { store, system, _ in
      _ = try await store.add(
        Habit("Once", .once(CivilDateTime(date: "2026-11-23", time: "17:00"))))
      await system.refuse(1)
      try await store.apply(to: system)
      let position = try store.lastPosition()
      await system.refuse(1)
      #expect(try await store.apply(to: system).failures.count == 1)
      #expect(try store.lastPosition() == position)
    }
  }

  @Test("Requests of other origin are left alone and count towards the capacity")
  func foreign() async throws {
    try await withSystem(limit: 5) { store, system, _ in
      _ = try await store.add(Self.walk)
      await system.addForeign(.other("theirs"))
      let tight = StoreOptions.test(ManualClock("2026-11-23T08:00:00Z"), capacity: 5)
      let small = try await Store.open(at: store.directory, options: tight)
      let applied = try await small.apply(to: system)
      #expect(applied.foreign == 1)
      #expect(applied.insertions.count == 4)
      #expect(await system.scheduled().contains { $0.id == .other("theirs") })
      #expect(await system.ids().count == 4)
      await small.close()
    }
  }

  @Test("A system full of unwanted requests never loses new ones")
  func full() async throws {
    try await withSystem(limit: 3) { store, system, clock in
      let options = StoreOptions.test(clock, capacity: 3)
      let small = try await Store.open(at: store.directory, options: options)
      _ = try await small.add(Habit("Late", .daily(at: ["20:00"])))
      let conditional = try await small.add(Self.walk)
      try await small.apply(to: system)
      try await small.archive(conditional.id)
      _ = try await small.add(Habit("Early", .daily(at: ["10:00"], unless: .done)))
      let applied = try await small.apply(to: system)
      let held = await system.ids()
      #expect(held == Set(try await small.plan().requests.map(\.id)))
      #expect(applied.isComplete && held.count == 3)
      await small.close()
    }
  }

  private func submissions(
    _ store: Store, after position: LogPosition
  ) async throws -> [PlanSubmitted] {
    try await store.payloads(after: position).compactMap {
      if case .planSubmitted(let submitted) = $0 { submitted } else { nil }
    }
  }
}
