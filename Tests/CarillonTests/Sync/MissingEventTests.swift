import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// A store with one damaged event still provides all the others.
@Suite struct MissingEventTests {
  @Test("One damaged event is missing from a clone until it syncs with a replica that has it")
  func clone() async throws {
    try await withDamaged { damaged, whole, directory in
      let count = try await damaged.status().eventCount
      let made = try await Store.clone(
        damaged, at: directory.appending(path: "clone"), replica: "clone",
        options: .test(ManualClock("2026-11-23T09:00:00Z")))
      let (clone, report) = (made.store, made.report)
      #expect(report.missingHere == 1 && report.refused.isEmpty)
      #expect(report.eventsReceived == Int(count))
      var status = try await clone.status()
      #expect(status.missingEventCount == 1)
      #expect(status.health.contains { $0.contains("known only by ID") })
      #expect(try await clone.habits().isEmpty)
      let problems = try await clone.verify()
      #expect(problems.map(\.kind) == [.missingContent])
      #expect(problems.first?.message.contains("the content of phone@2 is missing") == true)
      // A replica with missing content is reported by each sync, even if nothing moves.
      let again = try await damaged.sync(with: clone)
      #expect(again.missingThere == 1 && !again.isComplete)
      let second = try await Store.clone(
        clone, at: directory.appending(path: "second"), replica: "second",
        options: .test(ManualClock("2026-11-23T09:00:00Z"))
      )
      .store
      try await clone.sync(with: second)
      let idle = try await clone.sync(with: second)
      #expect(idle.missingHere == 1 && idle.missingThere == 1 && idle.headsDiffer == false)
      #expect(idle.eventsReceived == 0 && !idle.isComplete)
      let (near, far) = try PipeTransport.pair()
      async let answering = second.answer(over: far)
      #expect(try await clone.sync(over: near).missingHere == 1)
      await near.close()
      let answered = try await answering
      await far.close()
      #expect(answered.missing == 1 && answered.refused.isEmpty && !answered.isComplete)
      await second.close()
      let digest = try await clone.stateDigest()
      #expect(try await clone.rebuild().stateDigest == digest)
      // Requested in every sync, not only in an audit.
      #expect(try await clone.sync(with: whole).repaired == 1)
      status = try await clone.status()
      #expect(status.missingEventCount == 0)
      #expect(try await clone.habits().map(\.title) == ["Findable"])
      #expect(try await clone.verify() == [])
      let repaired = try await clone.stateDigest()
      #expect(try await clone.rebuild().stateDigest == repaired)
      #expect(try await whole.stateDigest() == repaired)
      await clone.close()
    }
  }

  @Test("A check names the event whose content is missing, and checks everything else")
  func check() async throws {
    try await withDamaged { damaged, whole, directory in
      let clone = try await Store.clone(
        damaged, at: directory.appending(path: "clone"), replica: "clone",
        options: .test(ManualClock("2026-11-23T09:00:00Z"))
      )
      .store
      _ = try await clone.plan()
      #expect(try await clone.verify().map(\.kind) == [.missingContent])
      let file = try DamagedTables.file(in: clone.directory)
      try ProjectionEditor.run("UPDATE entry SET value = 7", on: file)
      let problems = try await clone.verify()
      #expect(problems.map(\.kind) == [.missingContent, .projections])
      #expect(problems.last?.message.contains("table entry") == true, "\(problems)")
      _ = try await clone.rebuild()
      #expect(try await clone.verify().map(\.kind) == [.missingContent])
      try await clone.sync(with: whole)
      #expect(try await clone.verify() == [])
      await clone.close()
    }
  }

  @Test("An export contains a damaged event by ID only, and an import adds all the others")
  func export() async throws {
    try await withDamaged { damaged, whole, directory in
      var events: [StoredEvent] = []
      for try await logged in damaged.history() {
        let line = logged.json(name: "phone", exportingFrom: damaged.id)
        events.append(try StoredEvent(json: Array(line.utf8), of: damaged.id))
      }
      #expect(events.count { $0.isMissing } == 1)
      let options = StoreOptions.test(ManualClock("2026-11-23T09:00:00Z"))
      let copy = try await Store.create(
        at: directory.appending(path: "copy"), replica: "copy", storeID: damaged.id,
        options: options)
      // In batches that separate an event known only by ID from the next event, which confirms it.
      var (left, continuation) = ([StoredEvent](), ImportContinuation())
      var added = 0
      for event in events {
        let result = try await copy.add(left + [event], &continuation)
        (left, added) = (result.awaitingSuccessor, added + result.added)
      }
      #expect(left.isEmpty && added == events.count)
      #expect(try await copy.status().missingEventCount == 1)
      let again = try await copy.add([events[1]], &continuation)
      #expect(again.awaitingSuccessor.isEmpty, "it is held already")
      try await copy.sync(with: whole)
      #expect(try await copy.status().missingEventCount == 0)
      #expect(
        try await copy.stateDigest() == whole.stateDigest())
      await copy.close()
    }
  }

  @Test("An audit of two stores with different states says which one to rebuild")
  func states() async throws {
    try await withPhoneAndWatch { phone, watch, _ in
      try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      let report = try await phone.sync(with: watch, audits: true)
      #expect(!report.statesDiffer && report.stateDifference == nil)
      let equal = try await phone.sync(with: watch, audits: true)
      #expect(equal.method == .equal && equal.messages == 2)
      #expect(equal.bytesSent + equal.bytesReceived <= 96)
      for (wrong, difference) in [(watch, SyncReport.StateDifference.there), (phone, .here)] {
        let name = try #require(
          FileManager.default.contentsOfDirectory(atPath: wrong.directory.path)
            .first { $0.hasSuffix(".sqlite") })
        let file = wrong.directory.appending(path: name)
        try ProjectionEditor.run("UPDATE habit_field SET value = 'Run' WHERE field = 2", on: file)
        try ProjectionEditor.run("UPDATE checkpoint SET digest = NULL", on: file)
        let report = try await phone.sync(with: watch, audits: true)
        #expect(report.statesDiffer && report.stateDifference == difference)
        _ = try await wrong.rebuild()
        #expect(try await phone.sync(with: watch, audits: true).method == .equal)
      }
    }
  }

  // MARK: -

  /// Runs a body with a store with one damaged event, and an intact replica.
  private func withDamaged(_ body: (Store, Store, URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let options = StoreOptions.test(ManualClock("2026-11-23T08:00:00Z"))
      let path = directory.appending(path: "phone")
      let phone = try await Store.create(at: path, replica: "phone", options: options)
      let habit = try await phone.add(Habit("Findable", .daily(at: ["17:00"])))
      let first: CivilDate = "2026-11-01"
      for day in 0..<20 { try await phone.markDone(habit.id, on: .date(first.adding(days: day))) }
      let whole = try await Store.clone(
        phone, at: directory.appending(path: "whole"), replica: "whole", options: options
      )
      .store
      // The device description is synced back, so that all have the same state.
      try await phone.sync(with: whole)
      await phone.close()
      try damage(DamagedFile.dataFile(in: path))
      let damaged = try await Store.open(at: path, options: options)
      try await body(damaged, whole, directory)
      await damaged.close()
      await whole.close()
    }
  }

  private func damage(_ file: URL) throws {
    var data = try Data(contentsOf: file)
    var count = 0
    while let range = data.range(of: Data("Findable".utf8)) {
      data[range.lowerBound] = UInt8(ascii: "X")
      count += 1
    }
    try #require(count > 0, "the title is in the file")
    try data.write(to: file)
  }
}
