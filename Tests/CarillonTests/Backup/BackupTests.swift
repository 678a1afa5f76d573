import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Backups of stores, full and incremental, and stores restored from them.
@Suite struct BackupTests {
  @Test("A store restored from a full backup and increments has everything, under a new name")
  func fullAndIncrements() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let backup = phone.directory.appending(path: "../backup")
      var counts: [Int] = []
      for round in 0..<4 {
        let walk = try await phone.add(Habit("Walk \(round)", .daily(at: ["17:00"])))
        try await watch.sync(with: phone)
        clock.advance(seconds: 3_600)
        try await watch.markDone(walk.id)
        try await phone.markDone(walk.id, amount: 2)
        if round > 0 { try await watch.sync(with: phone) }
        let report = try await phone.backUp(to: backup, isIncremental: true)
        #expect(report.fileCount == round + 1 && report.missingContentCount == 0)
        counts.append(report.addedEventCount)
      }
      let events = try await phone.allEvents()
      #expect(counts.reduce(0, +) == events.count && counts.allSatisfy { $0 > 0 })
      let target = phone.directory.appending(path: "../restored")
      let restored = try await Store.restore(backup, at: target, options: .test(clock))
      #expect(restored.eventCount == events.count)
      let store = try await Store.open(at: target, options: .test(clock))
      let held = Set(try await store.allEvents().map(\.id))
      #expect(events.allSatisfy { held.contains($0.id) })
      #expect(try await store.habits().map(\.title) == phone.habits().map(\.title))
      let (new, old) = (try await store.status(), try await phone.status())
      let info = new.replicas.first { $0.replica == new.replica }
      #expect(new.replica != old.replica && info?.predecessor == old.replica)
      let report = try await store.sync(with: phone)
      #expect(report.eventsReceived == 0 && report.isComplete)
      #expect(try await store.stateDigest() == phone.stateDigest())
      #expect(try await store.verify() == [])
      await store.close()
    }
  }

  @Test("A backup while others write is one consistent state", .timeLimit(.minutes(5)))
  func hot() async throws {
    try await withStore { store, clock in
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      let backup = store.directory.appending(path: "../backup")
      let rounds = 20
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          while !Task.isCancelled { try await store.markDone(walk.id, amount: 1) }
        }
        for round in 0..<rounds {
          try await Self.waitForWrite(to: store)
          let report = try await store.backUp(to: backup, isIncremental: true)
          #expect(report.addedEventCount > 0, "round \(round)")
        }
        group.cancelAll()
        while let result = await group.nextResult() {
          // A write that was cancelled ends with an error.
          if case .failure(let error) = result { #expect("\(error)".contains("ancel")) }
        }
      }
      let report = try await store.backUp(to: backup, isIncremental: true)
      #expect(report.fileCount == rounds + 1)
      #expect(try await report.eventCount == store.allEvents().count)
      #expect(try await Store.verifyBackup(at: backup) == report)
    }
  }

  private static func waitForWrite(to store: Store) async throws {
    let before = try await store.allEvents().count
    var count = before
    while count == before { count = try await store.allEvents().count }
  }

  @Test("A forked history with erasures is restored in every detail")
  func forks() async throws {
    for seed in TestSeed.first(6) {
      try await withStore { store, clock in
        let history = try ForkingHistory(seed: seed, steps: 120)
        var random = SeededGenerator(seed: seed)
        let events = history.shuffled(using: &random)
        let backup = store.directory.appending(path: "../backup")
        for part in 0..<3 {
          let range = events.count * part / 3..<events.count * (part + 1) / 3
          _ = try await store.log.append(
            Array(events[range]).runs, wallClock: clock.now, erasures: nil)
          _ = try await store.backUp(to: backup, isIncremental: true)
        }
        let target = store.directory.appending(path: "../restored")
        _ = try await Store.restore(backup, at: target, storage: .sqlite, options: .test(clock))
        let restored = try await Store.open(at: target, options: .test(clock))
        let (held, all) = (try await restored.allEvents(), try await store.allEvents())
        #expect(Set(all.map(\.id)).isSubset(of: Set(held.map(\.id))), "seed \(seed)")
        let report = try await restored.sync(with: store)
        #expect(report.eventsReceived == 0, "seed \(seed)")
        #expect(
          try await restored.stateDigest() == store.stateDigest(), "seed \(seed)")
        await restored.close()
      }
    }
  }

  @Test("What was erased after a full backup is not in a store restored with the increment")
  func erasure() async throws {
    try await withStore { store, clock in
      let backup = store.directory.appending(path: "../backup")
      let walk = try await store.add(Habit("Zephyr und Quitte", .daily(at: ["17:00"])))
      _ = try await store.backUp(to: backup)
      try await store.erase(.habit(walk.id))
      _ = try await store.backUp(to: backup, isIncremental: true)
      let target = store.directory.appending(path: "../restored")
      _ = try await Store.restore(backup, at: target, options: .test(clock))
      let restored = try await Store.open(at: target, options: .test(clock))
      #expect(try await restored.habits().isEmpty)
      for event in try await restored.allEvents() {
        #expect(!String(decoding: event.payload, as: UTF8.self).contains("Zephyr"))
      }
      await restored.close()
    }
  }

  @Test("A restore until a moment has what was recorded up to then, and nothing later")
  func until() async throws {
    try await withStore { store, clock in
      let backup = store.directory.appending(path: "../backup")
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      clock.advance(seconds: 60)
      let moment = clock.now
      try await store.markDone(walk.id)
      let count = try await store.allEvents().count
      clock.advance(seconds: 60)
      try await store.edit(walk.id) { $0.title = "Run" }
      _ = try await store.backUp(to: backup)
      #expect(try await Store.verifyBackup(at: backup, until: moment).eventCount == count)
      let target = store.directory.appending(path: "../restored")
      let report = try await Store.restore(
        backup, at: target, until: moment, options: .test(clock))
      #expect(report.eventCount == count)
      let restored = try await Store.open(at: target, options: .test(clock))
      #expect(try await restored.habits().map(\.title) == ["Walk"])
      await restored.close()
    }
  }

  @Test("An archive has the same events as a directory")
  func archive() async throws {
    try await withStore { store, clock in
      try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      let archive = store.directory.appending(path: "../backup.tar")
      let report = try await store.backUp(to: archive)
      #expect(try await Store.verifyBackup(at: archive) == report)
      let target = store.directory.appending(path: "../restored")
      _ = try await Store.restore(archive, at: target, options: .test(clock))
      let restored = try await Store.open(at: target, options: .test(clock))
      #expect(try await restored.habits().map(\.title) == ["Walk"])
      await restored.close()
      let error = await #expect(throws: StoreError.self) { try await store.backUp(to: archive) }
      #expect(error?.code == .alreadyExists)
      let names = try FileManager.default.contentsOfDirectory(
        atPath: store.directory.appending(path: "..").path)
      #expect(names.sorted() == ["backup.tar", "restored", "store"])
    }
  }

  @Test("Several archives are written into one directory at a time")
  func together() async throws {
    try await withStore { store, _ in
      let folder = store.directory.appending(path: "..").standardized
      let names = (0..<4).map { "backup-\($0).tar" }
      try await withThrowingTaskGroup { group in
        for name in names {
          group.addTask { _ = try await store.backUp(to: folder.appending(path: name)) }
        }
        try await group.waitForAll()
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(left) == Set(names + ["store"]))
    }
  }

  @Test("An archive removes what a killed run left beside it, and nothing else")
  func leftovers() async throws {
    try await withStore { store, _ in
      let folder = store.directory.appending(path: "..").standardized
      let names = [".carillon-12.part", ".carillon-old.part", ".carillon-.part", "12.part"]
      for name in names {
        let directory = folder.appending(path: name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try Data("left".utf8).write(to: directory.appending(path: "events-1"))
      }
      try await store.backUp(to: folder.appending(path: "backup.tar"))
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(left) == Set(names.dropFirst() + ["backup.tar", "store"]))
    }
  }
}

extension Store {
  /// All events in order of arrival.
  fileprivate func allEvents() async throws -> [StoredEvent] {
    var events: [StoredEvent] = []
    for try await logged in history() { events.append(logged.event) }
    return events
  }
}
