import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// Applying the plan repairs the system's list after any disturbance.
struct ApplyRepairingTests {
  private static let walk = Habit("Walk", .daily(at: ["17:00"], unless: .done))

  @Test("Revoked permission removes all requests, and granted permission adds the current plan")
  func permission() async throws {
    try await withSystem { store, system, clock in
      let walk = try await store.add(Self.walk)
      let given = try await store.apply(to: system).insertions
      await system.revoke()
      try await store.setPermission(Permission(status: .denied))
      let before = try store.lastPosition()
      let blocked = try await store.apply(to: system)
      #expect(blocked.blocked == .denied)
      #expect(blocked.insertions.isEmpty)
      // The list is empty, and none of the previous requests will be delivered.
      #expect(try await store.facts(after: before).compactMap(\.fireAt).isEmpty)
      #expect(try await store.facts(after: before).count == given.count)
      let position = try store.lastPosition()
      try await store.apply(to: system)
      #expect(try store.lastPosition() == position)

      clock.set("2026-11-24T10:00:00Z")
      try await store.markDone(walk.id, on: .today)
      await system.grant()
      try await store.setPermission(Permission(status: .authorized, options: .alert))
      let granted = try await store.apply(to: system)
      #expect(granted.removals == [given[1].id], "today's came back though it is done")
      #expect(await system.ids() == Set(try await store.plan().requests.map(\.id)))
      clock.set("2026-11-25T10:00:00Z")
      #expect(await system.firings.isEmpty, "nothing was shown while permission was revoked")
      #expect(try await store.receipts(state: .presumed).isEmpty)
    }
  }

  @Test("A restart that lost all requests is repaired, and is recorded once")
  func reboot() async throws {
    try await withSystem { store, system, _ in
      _ = try await store.add(Self.walk)
      let given = try await store.apply(to: system).insertions
      await system.reboot()
      let before = try store.lastPosition()
      #expect(try await store.apply(to: system).insertions == given)
      #expect(try await store.payloads(after: before).map(\.typeName) == ["plan.submitted"])
    }
  }

  @Test("A run that was killed before it recorded anything is completed by the next one")
  func killed() async throws {
    try await withSystem { store, system, clock in
      _ = try await store.add(Self.walk)
      for request in try await store.plan().requests { try await system.add(request) }
      let before = try store.lastPosition()
      let applied = try await store.apply(to: system)
      #expect(applied.unchanged == 8 && applied.insertions.isEmpty)
      #expect(try await store.facts(after: before).compactMap(\.fireAt).count == 8)
      clock.set("2026-11-23T16:30:00Z")
      #expect(try await store.receipts(state: .presumed).count == 1)
    }
  }

  @Test("Repeating requests are recorded after they fired, once for each time")
  func repeating() async throws {
    try await withSystem { store, system, clock in
      let habit = try await store.add(Habit("Tea", .daily(at: ["16:00"])))
      let applied = try await store.apply(to: system)
      #expect(applied.insertions.map(\.repeats) == [true])
      #expect(try await store.facts().isEmpty)
      clock.set("2026-11-26T12:00:00Z")
      try await store.apply(to: system)
      let facts = try await store.facts()
      let fired = facts.compactMap(\.fireAt).sorted()
      #expect(
        fired.map { $0.rfc3339(offsetSeconds: 0) } == [
          "2026-11-23T15:00:00Z", "2026-11-24T15:00:00Z", "2026-11-25T15:00:00Z",
        ])
      let delivered = facts.filter { $0.state == .delivered }
      #expect(delivered.map(\.fireAt) == fired.suffix(1))
      // Even after more days than most facts are looked up for. Meanwhile the coverage of the
      // first submission ends once.
      var renewalCount = 0
      for _ in 0..<10 {
        clock.advance(seconds: 86_400)
        let kinds = try await store.apply(to: system).written.events.map(\.kind)
        #expect(kinds.filter { $0 != .planSubmitted } == [.receiptAdvanced])
        renewalCount += kinds.count { $0 == .planSubmitted }
        #expect(try await store.apply(to: system).written.events.isEmpty)
      }
      #expect(renewalCount == 1)
      try await store.archive(habit.id)
      #expect(try await store.apply(to: system).removals == applied.insertions.map(\.id))
    }
  }

  @Test("Travel changes when floating reminders fire, and only the new times are recorded")
  func travel() async throws {
    try await withSystem { store, system, clock in
      _ = try await store.add(Self.walk)
      try await store.apply(to: system)
      let tokyo = try #require(TimeZone(identifier: "Asia/Tokyo"))
      await system.travel(to: tokyo)
      let there = try await Store.open(
        at: store.directory, options: .test(clock, zone: "Asia/Tokyo"))
      // 17:00 is past in Tokyo.
      clock.set("2026-11-23T08:30:00Z")
      let applied = try await there.apply(to: system)
      #expect(applied.unchanged == 7)
      clock.set("2026-11-24T08:30:00Z")
      #expect(await system.ringTimes == ["2026-11-24T08:00:00Z"])
      #expect(try await there.apply(to: system).failures.isEmpty)
      await there.close()
    }
  }

  @Test("Two processes that apply at once leave the right list, and record it once")
  func together() async throws {
    try await withSystem { store, system, clock in
      _ = try await store.add(Self.walk)
      let other = try await Store.open(at: store.directory, options: .test(clock))
      let before = try store.lastPosition()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for each in [store, other, store, other] {
          group.addTask { try await each.apply(to: system) }
        }
        try await group.waitForAll()
      }
      #expect(await system.ids() == Set(try await store.plan().requests.map(\.id)))
      let facts = try await store.facts(after: before)
      #expect(facts.count == 8)
      #expect(Set(facts.map(\.subject)).count == 8)
      #expect(try await other.apply(to: system).written.events.isEmpty)
      await other.close()
    }
  }

  @Test("A reminder done while another process gives the system the plan is not delivered")
  func overtaken() async throws {
    try await withSystem { store, system, clock in
      let habit = try await store.add(Self.walk)
      let slow = InterruptedScheduler(system) { try await store.markDone(habit.id) }
      let applied = try await store.apply(to: slow)
      #expect(applied.removals.count == 1)
      clock.set("2026-11-23T17:00:00Z")
      #expect(await system.firings.isEmpty)
    }
  }
}

/// Runs a closure once, while the first request is added.
private actor InterruptedScheduler: NotificationScheduler {
  private let system: StandInScheduler
  private var interruption: (@Sendable () async throws -> Void)?

  init(_ system: StandInScheduler, _ interruption: @escaping @Sendable () async throws -> Void) {
    self.system = system
    self.interruption = interruption
  }

  func scheduled() async -> [ScheduledRequest] { await system.scheduled() }
  func remove(_ ids: [RequestID]) async { await system.remove(ids) }
  func delivered() async -> [DeliveredNotification] { await system.delivered() }
  func removeDelivered(_ ids: [RequestID]) async { await system.removeDelivered(ids) }
  func setBadge(_ count: Int) async { await system.setBadge(count) }

  func add(_ request: NotificationRequest) async throws {
    let happens = interruption
    interruption = nil
    try await happens?()
    try await system.add(request)
  }
}
