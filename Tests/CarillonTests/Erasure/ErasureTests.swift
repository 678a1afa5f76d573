import Carillon
import CarillonModel
import CarillonTesting
import CarillonWire
import Foundation
import Testing

/// Erased data is permanently gone from every replica.
@Suite struct ErasureTests {
  @Test("An erased habit is gone on every replica that syncs, and the logs still verify")
  func everywhere() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let read = try await phone.add(Habit("Read", .daily(at: ["22:00"])))
      let first: CivilDate = "2026-11-01"
      for day in 0..<20 { try await phone.markDone(walk.id, on: .date(first.adding(days: day))) }
      try await phone.pause(walk.id)
      try await phone.sync(with: watch)
      try await watch.markDone(walk.id, on: .date("2026-10-01"))
      let report = try await phone.erase(.habit(walk.id))
      #expect(report.payloadCount == 23)
      #expect(report.written.events.first?.kind.name == "data.erased")
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.habits(includingDeleted: true).map(\.id) == [read.id])
        #expect(try await store.entries(of: walk.id, on: .date("2026-10-01")).isEmpty)
        #expect(try await store.state().pauses.isEmpty)
        #expect(try await store.payloadCount(naming: walk.id) == 0)
        #expect(try await store.verify() == [])
        #expect(try await store.isErased(walk.id))
        #expect(try await store.status().unconfirmedEventCount == 0)
      }
      let digest = try await phone.stateDigest()
      #expect(try await watch.stateDigest() == digest)
      #expect(try await watch.rebuild().stateDigest == digest)
    }
  }

  @Test("Events of a replica that does not know of the erasure are erased when it syncs")
  func writtenLater() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await phone.sync(with: watch)
      try await phone.erase(.habit(walk.id))
      clock.advance(seconds: 60)
      try await watch.markDone(walk.id)
      try await watch.edit(walk.id) { $0.title = "Walk far" }
      try await watch.delete(walk.id)
      try await watch.restore(walk.id)
      try await watch.sync(with: phone)
      for store in [phone, watch] {
        #expect(try await store.habits(includingArchived: true, includingDeleted: true).isEmpty)
        #expect(try await store.payloadCount(naming: walk.id) == 0)
        #expect(try await store.verify() == [])
      }
      #expect(try await phone.stateDigest() == watch.stateDigest())
    }
  }

  @Test(
    "An old export, a clone, a copy and a rolled back directory restore nothing that was erased")
  func comesBack() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await phone.markDone(walk.id)
      try await phone.sync(with: watch)
      let export = try await phone.storedEvents()
      try await withTemporaryDirectory { directory in
        let old = directory.appending(path: "old")
        await watch.close()
        try FileManager.default.copyItem(at: watch.directory, to: old)
        try await phone.erase(.habit(walk.id))
        #expect(try await phone.append(events: export) == 0)
        #expect(try await phone.payloadCount(naming: walk.id) == 0)

        let clone = try await Store.clone(
          phone, at: directory.appending(path: "clone"), replica: "tablet", options: .test(clock)
        )
        .store
        #expect(try await clone.payloadCount(naming: walk.id) == 0)
        #expect(try await clone.append(events: export) == 0)
        #expect(try await clone.payloadCount(naming: walk.id) == 0)

        // The watch as it was before: rolled back, and it continues to write.
        let rolledBack = try await Store.open(at: old, options: .test(clock))
        try await rolledBack.markDone(walk.id, on: .date("2026-11-01"))
        try await rolledBack.sync(with: phone)
        try await clone.sync(with: phone)
        let digest = try await phone.stateDigest()
        for store in [phone, clone, rolledBack] {
          #expect(try await store.habits(includingDeleted: true).isEmpty)
          #expect(try await store.payloadCount(naming: walk.id) == 0)
          #expect(try await store.stateDigest() == digest)
          #expect(try await store.rebuild().stateDigest == digest)
          #expect(try await store.verify() == [])
        }
        await clone.close()
        await rolledBack.close()
      }
    }
  }

  @Test(
    "An export made after an erasure, imported into an empty store, verifies with the same state")
  func exportedRedacted() async throws {
    try await withStore { phone, clock in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await phone.add(Habit("Read", .daily(at: ["17:00"])))
      try await phone.erase(.habit(walk.id))
      let lines = try await phone.history().reduce(into: []) {
        $0.append($1.json(name: "phone", exportingFrom: phone.id))
      }
      #expect(lines.contains { $0.hasPrefix(#"{"type":"erased","payloadDigest":""#) })
      let events = try lines.map { try StoredEvent(json: Array($0.utf8), of: phone.id) }
      try await withTemporaryDirectory { directory in
        let empty = try await Store.create(
          at: directory.appending(path: "empty"), replica: "watch", storeID: phone.id,
          options: .test(clock))
        #expect(try await empty.append(events: events) == events.count)
        #expect(try await empty.habits().map(\.title) == ["Read"])
        #expect(try await empty.status().unconfirmedEventCount == 0)
        #expect(try await empty.verify() == [])
        await empty.close()
      }
    }
  }

  @Test("Redacted events that arrive before the erasing event are unconfirmed until it arrives")
  func unconfirmed() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await phone.sync(with: watch)
      let erasing = try await watch.erase(.habit(walk.id))
      try await withTemporaryDirectory { directory in
        let third = try await Store.create(
          at: directory.appending(path: "third"), replica: "tablet", storeID: phone.id,
          options: .test(clock))
        let events = try await watch.storedEvents()
        let erasure = try #require(erasing.written.events.first).id
        let rest = events.drop { $0.id != erasure }
        try await third.append(events: Array(events.prefix { $0.id != erasure }))
        let status = try await third.status()
        #expect(status.unconfirmedEventCount == 2)
        #expect(status.health.contains { $0.contains("without content") })
        try await third.append(events: Array(rest))
        #expect(try await third.status().unconfirmedEventCount == 0)
        #expect(try await third.status().health.isEmpty)
        await third.close()
      }
    }
  }

  @Test("If a process ended between the erasure and the sweep, the next one sweeps")
  func endedBefore() async throws {
    try await withStore { store, clock in
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      let erasure = NewEvent(
        payload: try PayloadCoding.encode(.dataErased(Erasure(.habit(walk.id)))))
      _ = try await store.log.record([erasure], wallClock: clock.now, expecting: nil)
      #expect(try await store.habits().isEmpty)
      #expect(try await store.payloadCount(naming: walk.id) == 2)
      await store.close()
      let next = try await Store.open(at: store.directory, options: .test(clock))
      #expect(try await next.payloadCount(naming: walk.id) == 0)
      #expect(try await next.verify() == [])
      await next.close()
    }
  }

  @Test("An erased habit accepts no new events")
  func refused() async throws {
    try await withStore { store, _ in
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      try await store.erase(.habit(walk.id))
      let position = try store.lastPosition()
      let entry = Payload.entryRecorded(EntryRecorded(habit: walk.id, date: "2026-11-23"))
      await #expect { try await store.append([entry]) } throws: {
        let error = $0 as? StoreError
        return error?.code == .invalidValue && error?.index == 0
          && "\($0)".contains("\(walk.id) was permanently erased")
      }
      let attempts: [() async throws -> Void] = [
        { try await store.markDone(walk.id) }, { try await store.restore(walk.id) },
        { try await store.erase(.habit(walk.id)) },
        { try await store.edit(walk.id) { $0.title = "Run" } },
      ]
      for attempt in attempts {
        await #expect { try await attempt() } throws: {
          ($0 as? StoreError)?.code == .notFound && "\($0)".contains("was erased")
        }
      }
      var again = Habit("Walk", .daily(at: ["17:00"]))
      again = Habit(id: walk.id, title: again.title)
      await #expect(throws: StoreError.self) { try await store.add(again) }
      #expect(try store.lastPosition() == position)
    }
  }
}

extension Store {
  /// Returns how many payloads in the log name a habit.
  func payloadCount(naming habit: HabitID) async throws -> Int {
    var count = 0
    for try await logged in history() {
      if case .dataErased? = logged.payload { continue }
      if logged.json(name: "").contains("\"habit\":\"\(habit)\"") { count += 1 }
    }
    return count
  }
}
