import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

@Suite("The kept plan of a store that is not opened for anything else")
struct PlanAtOnceTests {
  @Test("The kept plan equals the plan of an open store, and is nil if no plan is kept")
  func sameAnswer() async throws {
    try await withStore { store, clock in
      try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      #expect(atOnce(store, clock) == nil)
      let plan = try await store.plan()
      let kept = try #require(atOnce(store, clock))
      #expect(kept.requests == plan.requests && !kept.requests.isEmpty)
      #expect(kept.computedCount == 0)
      #expect(kept == (try await store.plan()))

      #expect(atOnce(store, clock, zone: "Asia/Tokyo") == nil)
      clock.advance(seconds: 86_400)
      #expect(atOnce(store, clock) == nil)
    }
  }

  @Test("The kept plan is nil after a new event, until the store plans again")
  func newEvent() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let before = try await store.plan()
      #expect(atOnce(store, clock) != nil)
      try await store.markDone(habit.id)
      #expect(atOnce(store, clock) == nil)
      let after = try await store.plan()
      #expect(after.requests != before.requests)
      #expect(atOnce(store, clock)?.requests == after.requests)
    }
  }

  @Test("The kept plan can be read from a closed store, which stays unchanged")
  func closedStore() async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      let home = directory.appending(path: "phone")
      let store = try await Store.create(at: home, replica: "phone", options: .test(clock))
      try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      let plan = try await store.plan()
      await store.close()
      let files = try names(in: home)
      let kept = Store.keptPlan(at: home, options: .test(clock))
      #expect(kept?.requests == plan.requests)
      #expect(try names(in: home) == files)

      let again = try await Store.open(at: home, options: .test(clock))
      #expect(try await again.plan().requests == plan.requests)
      await again.close()
    }
  }

  @Test("The kept plan is nil if the projections are missing, damaged, or those of another store")
  func otherFiles() async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      var files: [URL] = []
      for name in ["phone", "other"] {
        let home = directory.appending(path: name)
        let store = try await Store.create(at: home, replica: name, options: .test(clock))
        try await store.add(Habit("Walk", .daily(at: ["17:00"])))
        _ = try await store.plan()
        await store.close()
        let projection = try #require(try names(in: home).first { $0.hasSuffix(".sqlite") })
        files.append(home.appending(path: projection))
      }
      let home = directory.appending(path: "phone")
      #expect(Store.keptPlan(at: home, options: .test(clock)) != nil)

      let whole = try Data(contentsOf: files[0])
      try Data(contentsOf: files[1]).write(to: files[0])
      #expect(Store.keptPlan(at: home, options: .test(clock)) == nil)
      try Data("not a database".utf8).write(to: files[0])
      #expect(Store.keptPlan(at: home, options: .test(clock)) == nil)
      try FileManager.default.removeItem(at: files[0])
      #expect(Store.keptPlan(at: home, options: .test(clock)) == nil)
      #expect(try !names(in: home).contains(files[0].lastPathComponent), "a file was made")
      try whole.write(to: files[0])
      #expect(Store.keptPlan(at: home, options: .test(clock)) != nil)
      #expect(Store.keptPlan(at: directory, options: .test(clock)) == nil)
    }
  }

  @Test("A copied directory has its predecessor's plan until it writes under its new identity")
  func copiedDirectory() async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      let home = directory.appending(path: "phone")
      let copy = directory.appending(path: "copy")
      let store = try await Store.create(at: home, replica: "phone", options: .test(clock))
      try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      _ = try await store.plan()
      await store.close()
      try FileManager.default.copyItem(at: home, to: copy)
      let plan = try #require(Store.keptPlan(at: home, options: .test(clock)))
      #expect(Store.keptPlan(at: copy, options: .test(clock)) == plan)
      let copied = try await Store.open(at: copy, options: .test(clock))
      try await copied.recordActivity()
      await copied.close()
      #expect(Store.keptPlan(at: copy, options: .test(clock)) == nil)
    }
  }

  @Test("A file without a valid plan stays open for its store, and for no other one")
  func leftOpen() async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      var homes: [URL] = []
      for name in ["phone", "other"] {
        let home = directory.appending(path: name)
        homes.append(home)
        let store = try await Store.create(at: home, replica: name, options: .test(clock))
        _ = try await store.plan()
        try await store.add(Habit("Walk \(name)", .daily(at: ["17:00"])))
        await store.close()
      }
      for home in [homes[1], homes[0]] {
        let files = try names(in: home)
        var options = StoreOptions.test(clock)
        let kept = Store.keptPlan(at: homes[0], options: options) { options = $0 }
        #expect(kept == nil)
        let store = try await Store.open(at: home, options: options)
        let plan = try await store.plan()
        #expect(plan.requests.map(\.content.title) == ["Walk \(home.lastPathComponent)"])
        await store.close()
        #expect(try names(in: home) == files)
        #expect(Store.keptPlan(at: home, options: .test(clock))?.requests == plan.requests)
      }
    }
  }

  // MARK: -

  private func atOnce(
    _ store: Store, _ clock: ManualClock, zone: String = "Europe/Berlin"
  ) -> NotificationPlan? {
    Store.keptPlan(at: store.directory, options: .test(clock, zone: zone))
  }

  private func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }
}
