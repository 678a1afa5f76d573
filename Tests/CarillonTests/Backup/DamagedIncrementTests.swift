import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Backups of which an increment is missing or damaged, and the files before it are intact.
@Suite struct DamagedIncrementTests {
  @Test("If the newest increment is missing, everything before it can be restored")
  func newestMissing() async throws {
    try await withIncrements { store, backup, times, clock in
      try FileManager.default.removeItem(at: backup.appending(path: "events-3"))
      let end = try await Self.refusal(of: backup, naming: "events-3 is missing")
      #expect(end == times[1])
      try await Self.expect(
        ["Walk 0", "Walk 1"], from: backup, until: end, beside: store, clock)
      // Later than what is intact, nothing is restored.
      for moment in [Instant(milliseconds: end.milliseconds + 1), clock.now] {
        await #expect(throws: StoreError.self) {
          try await Store.verifyBackup(at: backup, until: moment)
        }
      }
    }
  }

  @Test("After a changed byte in an increment, nothing of it or of later ones is restored")
  func changedByte() async throws {
    try await withIncrements { store, backup, times, clock in
      let file = backup.appending(path: "events-2")
      let intact = try Data(contentsOf: file)
      for place in stride(from: 0, to: intact.count, by: 7) {
        var bytes = intact
        bytes[place] ^= 4
        try bytes.write(to: file)
        #expect(try await Self.refusal(of: backup, naming: "events-2") == times[0])
      }
      try await Self.expect(["Walk 0"], from: backup, until: times[0], beside: store, clock)
    }
  }

  @Test("A damaged full backup or manifest is refused, whatever the moment")
  func nothingBefore() async throws {
    try await withIncrements { store, backup, times, clock in
      for name in ["events-1", "manifest.json"] {
        let file = backup.appending(path: name)
        let intact = try Data(contentsOf: file)
        try (intact.dropLast(9) + [7]).write(to: file)
        for moment in [nil, times[0]] {
          let error = await #expect(throws: StoreError.self) {
            try await Store.restore(
              backup, at: store.directory.appending(path: "../new"), until: moment,
              options: .test(clock))
          }
          #expect(error?.code == .corrupt && error?.reason == nil, "\(String(describing: error))")
        }
        try intact.write(to: file)
      }
    }
  }

  @Test("A moment with which an intact backup is restored uses all of its files")
  func intact() async throws {
    try await withIncrements { store, backup, times, clock in
      let report = try await Store.verifyBackup(at: backup, until: times[0])
      #expect(report.fileCount == 3 && report.damage == nil)
    }
  }

  /// Returns the time until which the refusal of a damaged backup says that it can be restored.
  private static func refusal(of backup: URL, naming text: String) async throws -> Instant {
    let error = try await #require(throws: StoreError.self) {
      try await Store.verifyBackup(at: backup)
    }
    #expect(error.code == .corrupt && error.message.contains(text), "\(error)")
    let end: Instant? = if case .damagedIncrement(let end) = error.reason { end } else { nil }
    return try #require(end, "\(error)")
  }

  /// Restores a damaged backup, and expects a whole store that has these habits and no more.
  private static func expect(
    _ titles: [String], from backup: URL, until end: Instant, beside store: Store,
    _ clock: ManualClock
  ) async throws {
    let target = store.directory.appending(path: "../new")
    let report = try await Store.restore(backup, at: target, until: end, options: .test(clock))
    #expect(report.fileCount == titles.count && report.damage != nil, "\(report)")
    let restored = try await Store.open(at: target, options: .test(clock))
    #expect(try await restored.habits().map(\.title).sorted() == titles)
    #expect(try await restored.verify() == [])
    // Its heads claim no event that it lacks, so a sync brings the rest.
    let sync = try await restored.sync(with: store)
    #expect(sync.isComplete && sync.eventsReceived > 0)
    #expect(try await restored.stateDigest() == store.stateDigest())
    await restored.close()
  }

  /// Runs a body with a store of three habits, its backup with two increments, and when each of
  /// the three files was made.
  private func withIncrements(
    _ body: (Store, URL, [Instant], ManualClock) async throws -> Void
  ) async throws {
    try await withStore { store, clock in
      let backup = store.directory.appending(path: "../backup")
      var times: [Instant] = []
      for round in 0..<3 {
        try await store.add(Habit("Walk \(round)", .daily(at: ["17:00"])))
        clock.advance(seconds: 60)
        _ = try await store.backUp(to: backup, isIncremental: true)
        times.append(clock.now)
        clock.advance(seconds: 60)
      }
      try await body(store, backup, times, clock)
    }
  }
}
