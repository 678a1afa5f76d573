import Carillon
import CarillonImport
import CarillonLog
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// An import never adds the same record twice, even if the record was changed or removed.
struct ImportTwiceTests {
  @Test("Importing a file twice adds nothing", arguments: [12, 25])
  func twice(schema: Int) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(schema: schema, in: files)
      let first = try await store.importHabits(from: file, format: .loop)
      let (position, digest) = (try store.lastPosition(), try await store.stateDigest())
      let second = try await store.importHabits(from: file, format: .loop)
      #expect(second.habits + second.said + second.schedules == 0)
      #expect(second.seen == first.habits + first.said)
      #expect(try store.lastPosition() == position)
      #expect(try await store.stateDigest() == digest)
    }
  }

  @Test("Changes that the person made since an import are kept")
  func changedSince() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(habits: 4, repetitions: 64, in: files)
      _ = try await store.importHabits(from: file, format: .loop)
      let habits = try await store.habits()
      try await store.edit(habits[0].id) { $0.title = "Sit still" }
      try await store.edit(habits[1].id) { $0.schedules = [] }
      try await store.archive(habits[2].id)
      try await store.delete(habits[3].id)
      // All entries and marks of the first habit are removed.
      for record in try await store.allRecords() where record.habit == habits[0].id {
        try await store.clear(record.habit, on: .date(record.date))
      }
      let (position, digest) = (try store.lastPosition(), try await store.stateDigest())
      let again = try await store.importHabits(from: file, format: .loop)
      #expect(again.habits + again.entries + again.skips + again.marks + again.schedules == 0)
      #expect(try store.lastPosition() == position)
      #expect(try await store.stateDigest() == digest)
    }
  }

  @Test("A later backup adds what is new in it, and leaves the person's own marks unchanged")
  func later() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(habits: 1, repetitions: 8, in: files)
      _ = try await store.importHabits(from: file, format: .loop)
      let habit = try #require(try await store.habits().first)
      try await store.skip(habit.id, on: .date("2015-01-11"))
      let later = try await SampleBackup.changed(
        by: "UPDATE Repetitions SET value = 0 WHERE timestamp = 1420934400000", habits: 1,
        repetitions: 16, in: files)
      let report = try await store.importHabits(from: later, format: .loop)
      #expect(report.habits == 0)
      // The habit, 7 of the first 8 dates (one is derived), and the date that the person marked.
      #expect(report.seen == 9)
      #expect(report.entries + report.skips + report.marks == 6)
      let marked = try await store.allRecords().first { $0.date == "2015-01-11" }
      #expect(marked?.fact == .marked(.skip))
    }
  }

  @Test("Two devices that import the same file hold its habits and entries once after a sync")
  func twoDevices() async throws {
    try await withTemporaryDirectory { files in
      let file = try await SampleBackup.make(in: files)
      let options = StoreOptions.test(ManualClock("2026-11-23T08:00:00Z"))
      let phone = try await Store.create(
        at: files.appending(path: "phone"), replica: "phone", options: options)
      let watch = try await Store.create(
        at: files.appending(path: "watch"), replica: "watch", storeID: phone.id, options: options)
      let report = try await phone.importHabits(from: file, format: .loop)
      _ = try await watch.importHabits(from: file, format: .loop)
      try await phone.sync(with: watch)
      #expect(try await phone.stateDigest() == (try await watch.stateDigest()))
      let habits = try await phone.habits(includingArchived: true)
      #expect(habits.count == report.habits)
      #expect(habits.flatMap(\.schedules).count == report.schedules)
      #expect(try await phone.allRecords().count == report.said)
      await phone.close()
      await watch.close()
    }
  }

  @Test("A cancelled import leaves complete batches, and the next import completes it")
  func cancelled() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(habits: 10, repetitions: 12_000, in: files)
      let task = Task {
        try await store.importHabits(from: file, format: .loop) { progress in
          if progress.done > 0 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
      await #expect { try await task.value } throws: { ($0 as? StoreError)?.code == .cancelled }
      let part = try await store.allRecords().count
      #expect(part > 0 && part < 8_000)
      let rest = try await store.importHabits(from: file, format: .loop)
      #expect(rest.habits == 0)
      let all = try await store.allRecords()
      #expect(part + rest.said == all.count)
      #expect(rest.seen == part + 10)
    }
  }

  @Test("Two imports of a file at the same time add each record once")
  func together() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(habits: 10, repetitions: 20_000, in: files)
      async let one = store.importHabits(from: file, format: .loop)
      async let other = store.importHabits(from: file, format: .loop)
      let reports = [try await one, try await other]
      let records = try await store.allRecords().count
      #expect(reports.map(\.habits).reduce(0, +) == 10)
      #expect(reports.map(\.said).reduce(0, +) == records)
      #expect(reports.map { $0.seen + $0.habits + $0.said } == [records + 10, records + 10])
      // No record was written twice, which merging would conceal.
      let payloads = try await store.payloads()
      #expect(payloads.count { $0.kind == .entryRecorded } == reports.map(\.entries).reduce(0, +))
      let marks = reports.map { $0.marks + $0.skips }
      #expect(payloads.count { $0.kind == .dayMarked } == marks.reduce(0, +))
    }
  }

  @Test("Only the records that need a query wait for one")
  func commits() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(habits: 10, repetitions: 12_000, in: files)
      // The first query creates the projections, which the log records.
      _ = try await store.habits()
      let log = try #require(store.log as? any LogAdapter)
      let before = log.commitCount
      let report = try await store.importHabits(from: file, format: .loop)
      #expect(report.notes > 0)
      // The habits, three batches of entries and marks, all notes, and the end.
      #expect(log.commitCount - before == 6)
      #expect(try await store.verify() == [])
    }
  }

  @Test("The end of an import is recorded once, with the file's digest and all counts")
  func finished() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      _ = try await store.importHabits(from: file, format: .loop)
      var found: [ImportFinished] = []
      for case .importFinished(let finished) in try await store.payloads() {
        found.append(finished)
      }
      var digest = ContentDigest()
      try Data(contentsOf: file).withUnsafeBytes { digest.update($0) }
      #expect(
        found == [
          ImportFinished(source: "loop", fileHash: digest.finalize(), counts: report.counts)
        ])
      #expect(report.counts["ignored.colors"] == 8)
    }
  }
}
