import CarillonLog
import Carillon
import CarillonLMDB
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// A damaged event in the log of a store whose tables are rebuilt from it.
@Suite struct DamagedEventTests {
  @Test("A wrong bit in an event's place has no effect, since its run determines the place")
  func everyByteOfPlace() async throws {
    try await withDamageable { bench in
      let record = bench.records[bench.title]
      for byte in 0..<record.byteCount(.place) {
        try DamagedFile.flip(.place, byte, of: record, in: bench.path)
        try bench.removeTables()
        let store = try await bench.open()
        #expect(try await store.habits().map(\.title) == ["Findable"], "\(byte)")
        #expect(try await store.rebuild().damagedEventCount == 0, "\(byte)")
        #expect(try await !store.verify().isEmpty, "\(byte)")
        // In both directions.
        let report =
          try await
          (byte % 2 == 0
          ? store.sync(with: bench.other, audits: true)
          : bench.other.sync(with: store, audits: true))
        #expect(report.repaired + report.repairedThere == 1 && report.isComplete, "\(byte)")
        #expect(try await store.verify() == [], "\(byte)")
        await store.close()
      }
    }
  }

  @Test("An event with a wrong bit in any byte of its ID or content is never shown as valid")
  func everyByte() async throws {
    try await withDamageable { bench in
      let record = bench.records[bench.title]
      for part in [DamagedFile.Part.id, .content] {
        for byte in 0..<record.byteCount(part) {
          try DamagedFile.flip(part, byte, of: record, in: bench.path)
          try bench.removeTables()
          let store = try await bench.open()
          let (titles, status) = (try await store.habits().map(\.title), try await store.status())
          let cost = Self.cost(part, byte)
          #expect(titles == [] && status.damagedEventCount == cost, "\(part) \(byte): \(titles)")
          #expect(status.health.contains { $0.contains("damaged") }, "\(part) \(byte)")
          #expect(try await store.rebuild().damagedEventCount == cost)
          #expect(try await !store.verify().isEmpty, "\(part) \(byte)")
          #expect(try await store.event(record.event.id)?.payload == nil)
          await store.close()
          try DamagedFile.restore(part, byte, of: record, in: bench.path)
        }
      }
    }
  }

  @Test(
    "A damaged event affects only itself, and a sync with an intact copy repairs it",
    arguments: [DamagedFile.Part.content, .id], [3, 20])
  func repaired(_ part: DamagedFile.Part, byte: Int) async throws {
    try await withDamageable { bench in
      let store = try await bench.open()
      let intact = try await store.stateDigest()
      await store.close()
      let record = bench.records[bench.entry]
      try DamagedFile.flip(part, byte % record.byteCount(part), of: record, in: bench.path)
      try bench.removeTables()
      let damaged = try await bench.open()
      let cost = Self.cost(part, byte)
      #expect(try await damaged.status().damagedEventCount == cost)
      #expect(try await damaged.habits().map(\.title) == ["Findable"])
      let habit = try #require(try await damaged.habits().first)
      let days = try await damaged.days(of: habit.id)
      #expect(days == bench.entryCount - cost)
      #expect(try await damaged.stateDigest() != intact)
      #expect(try await damaged.sync(with: bench.other).repaired == 1)
      let status = try await damaged.status()
      #expect(status.damagedEventCount == 0 && status.missingEventCount == 0)
      #expect(try await damaged.stateDigest() == intact)
      #expect(try await bench.other.stateDigest() == intact)
      #expect(try await damaged.verify() == [])
      #expect(try await damaged.rebuild().stateDigest == intact)
      await damaged.close()
    }
  }

  @Test("A check finds an event that was damaged after it was merged")
  func check() async throws {
    try await withDamageable { bench in
      for number in bench.records.indices {
        let record = bench.records[number]
        try DamagedFile.flip(.content, 1, of: record, in: bench.path)
        let store = try await bench.open()
        #expect(try await store.checkProjections() != nil, "event \(number + 1)")
        await store.close()
        try DamagedFile.restore(.content, 1, of: record, in: bench.path)
      }
    }
  }

  // MARK: -

  /// The number of events affected by a wrong bit.
  ///
  /// A damaged timestamp also prevents checking the event after it.
  private static func cost(_ part: DamagedFile.Part, _ byte: Int) -> Int {
    if case .id = part, byte < 8 { 2 } else { 1 }
  }

  /// A closed store with a habit and its entries, and a replica that holds the same events.
  private struct Bench {
    let path: URL
    let options: StoreOptions
    let other: Store
    let records: [DamagedFile.Record]
    /// The place of the event that contains the title.
    let title: Int
    /// The place of one of the entries, with other entries before and after it.
    let entry: Int
    let entryCount: Int

    func open() async throws -> Store { try await Store.open(at: path, options: options) }

    func removeTables() throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: path.path)
      where name.contains(".sqlite") {
        try FileManager.default.removeItem(at: path.appending(path: name))
      }
    }
  }

  private func withDamageable(_ body: (Bench) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let options = StoreOptions.test(ManualClock("2026-11-23T08:00:00Z"))
      let path = directory.appending(path: "phone")
      let phone = try await Store.create(at: path, replica: "phone", options: options)
      let habit = try await phone.add(Habit("Findable"))
      let first: CivilDate = "2026-11-01"
      for day in 0..<4 { try await phone.markDone(habit.id, on: .date(first.adding(days: day))) }
      let other = try await Store.clone(
        phone, at: directory.appending(path: "other"), replica: "other", options: options
      )
      .store
      // The device description is synced back, so that both hold the same events.
      try await phone.sync(with: other)
      var (title, entry): (Int?, Int?)
      var count = 0
      for try await logged in phone.history() {
        switch logged.payload {
        case .habitCreated: title = count
        case .entryRecorded: entry = entry ?? count + 1
        default: break
        }
        count += 1
      }
      await phone.close()
      let log = try LMDBEventLog.open(at: path)
      var records: [DamagedFile.Record] = []
      try log.scan(after: .start) { raw in
        records.append(DamagedFile.Record(raw))
        return true
      }
      await log.close()
      try await body(
        Bench(
          path: path, options: options, other: other, records: records,
          title: try #require(title), entry: try #require(entry), entryCount: 4))
      await other.close()
    }
  }
}

extension Store {
  /// The number of dates of a habit with an entry.
  fileprivate func days(of habit: HabitID) async throws -> Int {
    try await state().days[habit]?.count ?? 0
  }
}
