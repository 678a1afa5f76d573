import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

@Suite("The plan of a store that is not opened for more")
struct PlanAtOnceTests {
  @Test("It is the one that an open store answers, and nil while none is kept for the question")
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

  @Test("It is nil from an event on until somebody plans again")
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

  @Test("It works on a closed store, which it leaves as it was")
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

  @Test("It is nil where the projections are missing, damaged, or those of another store")
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

  @Test("A copied directory has the plan of its predecessor, until it writes under its new name")
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

  // MARK: -

  private func atOnce(
    _ store: Store, _ clock: ManualClock, zone: String = "Europe/Berlin"
  ) -> Plan? {
    Store.keptPlan(at: store.directory, options: .test(clock, zone: zone))
  }

  private func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }
}
