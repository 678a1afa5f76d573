import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

@Suite struct StoreTests {
  @Test("A habit that is done is no longer pending on any replica after a sync")
  func theThread() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"], unless: .done)))
      try await phone.sync(with: watch)
      let before = try await phone.plan()
      #expect(before.requests.count == 8)
      #expect(try await watch.plan().requests.map(\.id) == before.requests.map(\.id))

      try await watch.markDone(walk.id)
      try await phone.sync(with: watch)
      let after = try await phone.plan()
      #expect(after.requests.map(\.id) == before.requests.dropFirst().map(\.id))
      #expect(try await phone.stateDigest() == watch.stateDigest())
      #expect(try await phone.rebuild().stateDigest == watch.stateDigest())
    }
  }

  @Test("Done, undone and done again is done, and each step can be repeated without effect")
  func doneUndone() async throws {
    try await withStore { store, _ in
      let habit = try await store.add(Habit("Read"))
      for _ in 0..<2 {
        #expect(try await store.markDone(habit.id).events.count == 1)
        #expect(try await store.markDone(habit.id).events.isEmpty)
        #expect(try await store.entries(of: habit.id).count == 1)
        #expect(try await store.clear(habit.id).events.count == 1)
        #expect(try await store.clear(habit.id).events.isEmpty)
        #expect(try await store.entries(of: habit.id).isEmpty)
      }
    }
  }

  @Test("Each amount is a separate entry, amounts add up, and one undo removes the date's entries")
  func amounts() async throws {
    try await withStore { store, _ in
      var glasses = Habit("Water")
      glasses.kind = .count
      glasses.target = 3
      let id = try await store.add(glasses).id
      try await store.markDone(id, amount: 2)
      let today = try await store.today()
      var state = try await store.state()
      #expect(!state.isDone(glasses, on: today))
      try await store.markDone(id)
      state = try await store.state()
      #expect(state.isDone(glasses, on: today))
      #expect(state.days[id]?[today]?.amount == 3)
      try await store.clear(id)
      #expect(try await store.entries(of: id).isEmpty)
    }
  }

  @Test("Activity is recorded once per replica and day, with the first verb of any kind")
  func activity() async throws {
    try await withStore { store, clock in
      #expect(try await store.recordActivity().events.map(\.kind.name) == ["app.active"])
      #expect(try await store.recordActivity().events.isEmpty)
      let added = try await store.add(Habit("Read"))
      #expect(added.written.events.map(\.kind.name) == ["habit.created"])
      clock.advance(seconds: 86_400)
      #expect(
        try await store.markDone(added.id).events.map(\.kind.name) == [
          "entry.recorded", "app.active",
        ])
    }
  }

  @Test("The system's prompt is recorded once and never again")
  func askedOnce() async throws {
    try await withStore { store, _ in
      #expect(try await store.recordAsked() != nil)
      let position = try store.lastPosition()
      #expect(try await store.recordAsked() == nil)
      #expect(try store.lastPosition() == position)
      #expect(try await store.device().wasAsked)
    }
  }

  @Test("Missing permission takes precedence over the person's switch as the reason for blocking")
  func blocked() async throws {
    try await withStore { store, _ in
      try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      #expect(try await store.plan().blocked == .notDetermined)
      try await store.setPermission(Permission(status: .denied))
      #expect(try await store.plan().blocked == .denied)
      try await store.setPermission(Permission(status: .authorized, options: .alert))
      let plan = try await store.plan()
      #expect(plan.blocked == .alertsOff)
      #expect(!plan.requests.isEmpty)
      let held = plan.requests.map { ScheduledRequest($0) }
      #expect(try await store.planDifference(from: held).removals.count == held.count)
      try await store.setAlerts(true)
      #expect(try await store.plan().blocked == nil)
      #expect(try await store.planDifference(from: held).unchanged == held.count)
    }
  }

  @Test("Restoring a deleted habit undoes every deletion that this replica knows")
  func restore() async throws {
    try await withStore { store, _ in
      let habit = try await store.add(Habit("Read"))
      try await store.delete(habit.id)
      #expect(try await store.habits().isEmpty)
      #expect(try await store.delete(habit.id).events.isEmpty)
      try await store.restore(habit.id)
      #expect(try await store.habits().map(\.id) == [habit.id])
    }
  }

  @Test("Resuming ends pauses as of yesterday, including future ones")
  func resume() async throws {
    try await withStore { store, clock in
      let habit = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      let free = try await store.plan().requests
      try await store.pause(habit.id)
      try await store.pause(habit.id, from: .date(store.today().adding(days: 3)))
      #expect(try await store.plan().requests.isEmpty)
      try await store.resume(habit.id)
      #expect(try await store.plan().requests == free)
      _ = clock
    }
  }

  @Test("Pausing all habits and resuming all leave the pauses of single habits alone")
  func pauseAll() async throws {
    try await withStore { store, _ in
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"]))).id
      let read = try await store.add(Habit("Read", .daily(at: ["18:00"]))).id
      let planned = { Set(try await store.plan().requests.map(\.occurrence.habit)) }
      try await store.pauseAll()
      #expect(try await planned() == [])
      try await store.pause(walk)
      try await store.resume(read)
      #expect(try await planned() == [])
      try await store.resumeAll()
      #expect(try await planned() == [read])
      try await store.resume(walk)
      #expect(try await planned() == [walk, read])
    }
  }

  @Test("Editing writes only what changed, and keeps changes of other devices")
  func edit() async throws {
    try await withStore { store, _ in
      let schedule = Schedule.daily(at: ["17:00"])
      let id = try await store.add(Habit("Walk", schedule)).id
      let unchanged = try await store.edit(id) { _ in }
      #expect(unchanged.events.isEmpty)
      let written = try await store.edit(id) { habit in
        habit.notes = "by the river"
        habit.schedules[0].setTimes(["18:00"])
        habit.schedules.append(.daily(at: ["07:00"]))
      }
      #expect(written.events.map(\.kind.name) == ["habit.edited", "schedule.set", "schedule.set"])
      let removed = try await store.edit(id) { $0.schedules.removeAll { $0.id == schedule.id } }
      #expect(removed.events.map(\.kind.name) == ["schedule.removed"])
      await #expect(throws: StoreError.self) {
        try await store.edit(id) { $0.title = String(repeating: "x", count: 201) }
      }
    }
  }

  @Test("A clock outside the accepted years writes nothing and throws an error")
  func clockExhausted() async throws {
    try await withStore { store, clock in
      let position = try store.lastPosition()
      clock.set("4000-01-01T00:00:00Z")
      await #expect {
        try await store.add(Habit("Read"))
      } throws: {
        ($0 as? StoreError)?.code == .clockExhausted
      }
      #expect(try store.lastPosition() == position)
    }
  }

  @Test("An event with the maximum timestamp stops no replica from writing")
  func lastTimestamp() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      let habit = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let last = Timestamp(rawValue: UInt64.max >> 1)
      var other = EventHistory(
        ReplicaID(high: 1, low: 1), milliseconds: last.milliseconds)
      let run = other.run([[0xFA, 0x07, 0x00]], counter: .max)
      let event = StoredEvent(
        id: other.last, replica: other.replica, sequence: .first, payload: run.items[0].payload)
      try #require(event.timestamp == last)
      #expect(try await phone.append(events: [event]) == 1)
      try await phone.sync(with: watch)
      for (store, title) in [(phone, "Read"), (watch, "Run")] {
        let writing: [() async throws -> Void] = [
          { try await store.markDone(habit.id) }, { try await store.add(Habit(title)) },
          { _ = try await store.ingest([FetchedItem(id: title)], from: "feed") },
          { _ = try await store.receive(Array(#"{"aps":{}}"#.utf8)) },
          { try await store.setAlerts(true) },
        ]
        for write in writing {
          let position = try store.lastPosition()
          try await write()
          #expect(try store.lastPosition() > position)
        }
      }
      try await phone.sync(with: watch)
      for store in [phone, watch] {
        #expect(try await store.habits().map(\.title).sorted() == ["Read", "Run", "Walk"])
        #expect(try await store.rebuild().events == store.lastPosition().rawValue)
        #expect(try await store.verify() == [])
      }
      #expect(try await phone.stateDigest() == watch.stateDigest())
    }
  }

  @Test("A store is not created in a place that is in use, and a failure leaves nothing behind")
  func createRefused() async throws {
    try await withTemporaryDirectory { directory in
      try Data().write(to: directory.appending(path: "file"))
      await #expect {
        try await Store.create(at: directory, replica: "phone")
      } throws: {
        ($0 as? StoreError)?.code == .alreadyExists
      }
      let fresh = directory.appending(path: "fresh")
      await #expect(throws: StoreError.self) {
        try await Store.create(at: fresh, replica: String(repeating: "x", count: 65))
      }
      #expect(!FileManager.default.fileExists(atPath: fresh.path))
    }
  }

  @Test("A permission that is already recorded is not written again")
  func knownPermission() async throws {
    try await withStore { store, clock in
      func writes(_ permission: Permission) async throws -> Bool {
        let types = try await store.setPermission(permission).events.map(\.kind.name)
        return types.contains("permission.changed")
      }
      let isFirst = try await writes(Permission())
      #expect(!isFirst)
      let granted = Permission(status: .authorized, options: .alert)
      #expect(try await writes(granted))
      let since = clock.now
      clock.advance(seconds: 60)
      #expect(try await writes(granted) == false)
      #expect(try await store.device().permissionSince == since)
      #expect(try await writes(Permission(status: .authorized, options: [.alert, .badge])))
      // A value recorded by a clock that was ahead does not count yet.
      clock.advance(seconds: 86_400)
      #expect(try await writes(granted))
      clock.advance(seconds: -86_400)
      #expect(try await writes(granted))
    }
  }

  @Test("A sync that receives events from far ahead of the clock warns with the writer's name")
  func aheadByName() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      clock.advance(seconds: 7_200)
      try await watch.recordActivity()
      clock.advance(seconds: -7_200)
      let warnings = try await phone.sync(with: watch).warnings
      #expect(
        warnings.count == 1 && warnings[0].contains("received events of watch from 2 h ahead"),
        "\(warnings)")
    }
  }
}
