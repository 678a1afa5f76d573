import Carillon
import CarillonLMDB
import CarillonModel
import CarillonTesting
import Foundation
import Testing

@Suite struct MaintenanceTests {
  @Test("The digest as of a moment is the digest recorded at that moment")
  func asOf() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      let then = clock.now
      let recorded = try await store.stateDigest()
      clock.advance(seconds: 60)
      try await store.markDone(habit.id)
      let now = try await store.stateDigest()
      #expect(now != recorded)
      #expect(try await store.stateDigest(asOf: then).digest == recorded)
      #expect(try await store.stateDigest(asOf: clock.now).digest == now)
      #expect(try await store.stateDigest() == now)
    }
  }

  @Test("A row changed by hand is found by table and key, and a rebuild repairs it")
  func changedByHand() async throws {
    try await withStore { store, _ in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      try await store.skip(habit.id)
      #expect(try await store.verify() == [])
      let file = try #require(try Self.projectionFiles(of: store).first)
      try ProjectionEditor.run("UPDATE day_mark SET mark = 2", on: file)
      let difference = try #require(try await store.checkProjections())
      #expect(difference.table == "day_mark")
      #expect(difference.key.contains(habit.id.description))
      #expect(try await store.verify().contains { $0.message.contains("day_mark") })
      _ = try await store.rebuild()
      #expect(try await store.verify() == [])
    }
  }

  @Test(
    "Missing or damaged projections are rebuilt when the store is opened",
    arguments: [nil, "not a database", ""])
  func repaired(content: String?) async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      let home = directory.appending(path: "store")
      let store = try await Store.create(at: home, replica: "phone", options: .test(clock))
      try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      let digest = try await store.stateDigest()
      await store.close()
      for file in try Self.projectionFiles(of: store) {
        if let content {
          try Data(content.utf8).write(to: file)
        } else {
          try FileManager.default.removeItem(at: file)
        }
      }
      let again = try await Store.open(at: home, options: .test(clock))
      #expect(try await again.stateDigest() == digest)
      #expect(try await again.plan().requests.count == 1)
      await again.close()
    }
  }

  @Test("Exported events give an empty store the same digest, and importing them again adds none")
  func exportImport() async throws {
    try await withTemporaryDirectory { directory in
      let history = try ForkingHistory(seed: 11, steps: 200)
      let events = history.events.map(\.event)
      let home = directory.appending(path: "target")
      let log = try LMDBEventLog.create(at: home, storeID: .random(), replica: .random())
      await log.close()
      let store = try await Store.open(at: home)
      #expect(try await store.append(events: events) == events.count)
      #expect(try await store.append(events: events) == 0)

      let exported = try await store.storedEvents()
      // Other replicas erased some of them.
      #expect(Set(exported.map(\.id)) == Set(events.map(\.id)))
      await store.close()
    }
  }

  @Test("An import with a gap or a changed event names the event, and appends nothing of its batch")
  func importRefused() async throws {
    try await withStore { store, _ in
      let history = try ForkingHistory(seed: 12, steps: 60)
      let position = try store.lastPosition()
      let line = history.longestLine
      let gap = [line[0], line[1], line[3]]
      await #expect {
        try await store.append(events: gap)
      } throws: {
        ($0 as? StoreError)?.index == 2
      }
      var changed = line[1].payload
      changed[0] ^= 1
      let forged = StoredEvent(
        id: line[1].id, replica: line[1].replica, sequence: line[1].sequence, payload: changed)
      await #expect {
        try await store.append(events: [line[0], forged])
      } throws: {
        ($0 as? StoreError)?.index == 1
      }
      #expect(try store.lastPosition() == position)
    }
  }

  private static func projectionFiles(of store: Store) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: store.directory, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "sqlite" }
  }
}
