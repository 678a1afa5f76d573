import Carillon
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import CarillonWire
import Foundation
import GRDB
import Synchronization
import Testing

/// A full check finds planted damage of every part of a store, and a repair restores what follows
/// from the events.
@Suite struct VerifyFullyTests {
  @Test("An intact store has no damage, on every storage", arguments: Store.Storage.allCases)
  func intact(storage: Store.Storage) async throws {
    try await withBench(storage) { bench in
      let counts = Counts()
      let found = try await bench.phone.verifyFully { counts.add($0) }
      #expect(found.damages == [] && found.eventCount > 6)
      #expect(counts.isRising)
      #expect(try await bench.phone.repair().found.damages == [])
    }
  }

  @Test(
    "A damaged event is named by replica, sequence and position, and no repair touches it",
    arguments: Store.Storage.allCases)
  func event(storage: Store.Storage) async throws {
    try await withBench(storage) { bench in
      let record = bench.records[2]
      await bench.phone.close()
      try DamagedFile.flip(.content, 3, of: record, in: bench.home)
      let store = try await bench.open()
      let found = try await store.verifyFully()
      let damage = try #require(found.damages.first)
      #expect(damage.part == .event && damage.remedy == .audit && damage.isLoss)
      #expect(damage.position == LogPosition(rawValue: 3) && damage.replica == "phone")
      #expect(damage.sequence == record.event.sequence)
      #expect(found.damages.map(\.part) == [.event, .notChecked])
      let repair = try await store.repair()
      #expect(repair.left.damages == found.damages)
      _ = try await store.sync(with: bench.watch, audits: true)
      #expect(try await store.verifyFully().damages == [])
      await store.close()
    }
  }

  @Test(
    "A run at a wrong position is found and rebuilt, on every storage",
    arguments: Store.Storage.allCases)
  func wrongRun(storage: Store.Storage) async throws {
    try await withBench(storage) { bench in
      await bench.phone.close()
      try await requireIndexRepaired(bench) {
        if storage == .sqlite {
          try bench.changeLog(
            "UPDATE run SET position = position + 1 WHERE branch = 0 AND sequence = 1")
        } else {
          try bench.replaceInLog(
            Self.bytes(0, 1, 1), by: Self.bytes(0, 1, 2))
        }
      }
    }
  }

  @Test(
    "A missing, a dangling and a shadowing run are found and rebuilt",
    arguments: [
      "DELETE FROM run WHERE branch = 0 AND sequence = 1",
      "INSERT INTO run VALUES(0, 2, 1, 1)",
      "UPDATE run SET count = count - 1 WHERE branch = 0 AND sequence = 1",
    ])
  func runs(sql: String) async throws {
    try await withBench(.sqlite) { bench in
      await bench.phone.close()
      try await requireIndexRepaired(bench) { try bench.changeLog(sql) }
    }
  }

  @Test(
    "A row that differs, is missing or superfluous is named by table and key, and rebuilt",
    arguments: [
      ("UPDATE day_mark SET mark = 2", "day_mark"), ("DELETE FROM day_mark", "day_mark"),
      (
        "INSERT INTO day_mark SELECT habit, day + 7, event, mark FROM day_mark", "day_mark"
      ),
      ("UPDATE checkpoint SET digest = zeroblob(32)", "checkpoint"),
    ])
  func rows(sql: String, table: String) async throws {
    try await withBench { bench in
      _ = try await bench.phone.stateDigest()
      try bench.changeTables(sql)
      let found = try await bench.phone.verifyFully()
      let damage = try #require(found.damages.first)
      #expect(damage.part == .projection && damage.table == table, "\(found.damages)")
      #expect(damage.key != nil && damage.remedy == .repair && !damage.isLoss)
      let repair = try await bench.phone.repair()
      #expect(repair.found.damages == found.damages && repair.left.damages == [])
    }
  }

  @Test("A table lists its first 10 differing rows and counts all of them")
  func manyRows() async throws {
    try await withBench { bench in
      for day in 1..<40 {
        try await bench.phone.skip(
          bench.habit, on: .date(CivilDate(rawValue: Int32(20_800 + day))))
      }
      _ = try await bench.phone.status()
      try bench.changeTables("UPDATE day_mark SET mark = 2")
      let found = try await bench.phone.verifyFully()
      #expect(found.damages.count { $0.table == "day_mark" } == 10)
      #expect(found.rowCounts == ["day_mark": 40])
    }
  }

  @Test("An entry of an index that differs from its row is found and rebuilt")
  func tableIndex() async throws {
    try await withBench { bench in
      _ = try await bench.phone.ingest([FetchedItem(id: "1", revision: "a")], from: "github")
      _ = try await bench.phone.status()
      let schema = { (sql: String) in "PRAGMA writable_schema = ON; UPDATE sqlite_master " + sql }
      try bench.changeTables("UPDATE item SET item = '2'")
      try bench.changeTables(schema("SET sql = sql || ' WHERE 0' WHERE name = 'item_key'"))
      try bench.changeTables("UPDATE item SET item = '1'")
      try bench.changeTables(
        schema("SET sql = replace(sql, ' WHERE 0', '') WHERE name = 'item_key'"))
      let found = try await bench.phone.verifyFully()
      #expect(found.damages.contains { $0.part == .projection && $0.table == "file" })
      #expect(found.damages.contains { $0.key?.contains("item_key") == true })
      #expect(try await bench.phone.repair().left.damages == [])
    }
  }

  @Test("More facts than are retained are found, and rebuilt")
  func retention() async throws {
    try await withBench { bench in
      _ = try await bench.phone.status()
      try bench.changeTables(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
        INSERT INTO permission SELECT zeroblob(16), CAST(printf('%032d', i) AS BLOB), 'denied', 0, 0
        FROM n
        """)
      let found = try await bench.phone.verifyFully()
      #expect(
        found.damages.contains { $0.key?.contains("1001 rows, at most 1000 are kept") == true },
        "\(found.damages)")
      #expect(try await bench.phone.repair().left.damages == [])
    }
  }

  @Test(
    "A changed kept plan is found, and computed again without a rebuild",
    arguments: [
      ("UPDATE pending SET title = 'Run' WHERE place = 0", "pending"),
      ("DELETE FROM pending WHERE place = 0", "pending"),
      ("UPDATE plan SET dropped = 3", "plan"), ("DELETE FROM request", "request"),
      ("UPDATE request SET day = day + 1", "request"),
    ])
  func plan(sql: String, table: String) async throws {
    try await withBench { bench in
      let plan = try await bench.phone.plan()
      let generation = try bench.phone.log.projectionGeneration()
      try bench.changeTables(sql)
      let found = try await bench.phone.verifyFully()
      #expect(found.damages.contains { $0.part == .plan && $0.table == table })
      #expect(found.damages.allSatisfy { $0.part == .plan }, "\(found.damages)")
      #expect(try await bench.phone.repair().left.damages == [])
      #expect(try await bench.phone.plan().requests == plan.requests)
      #expect(try bench.phone.log.projectionGeneration() == generation)
    }
  }

  @Test("A log of two ranges is checked completely, and a cancelled check throws")
  func ranges() async throws {
    try await withBench { bench in
      for index in 0..<3 {
        for store in [bench.phone, bench.watch] {
          for _ in 0..<4 {
            _ = try await store.log.record(
              Self.entries(of: bench.habit, 100),
              wallClock: ManualClock("2026-11-23T09:00:00Z").now,
              expecting: nil)
          }
        }
        if index < 2 { _ = try await bench.phone.sync(with: bench.watch) }
      }
      _ = try await bench.phone.sync(with: bench.watch)
      #expect(try bench.phone.log.lastPosition().rawValue > 2_000)
      #expect(try await bench.phone.verifyFully().damages == [])
      let phone = bench.phone
      let check = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await phone.verifyFully()
      }
      let error = await #expect(throws: StoreError.self) { _ = try await check.value }
      #expect(error?.code == .cancelled)
      let records = try bench.phone.log.records()
      await bench.phone.close()
      for position in [0, records.count / 2 - 1, records.count / 2, records.count - 1] {
        try DamagedFile.flip(.content, 3, of: records[position], in: bench.home)
      }
      let store = try await bench.open()
      let damages = try await store.verifyFully().damages
      let last = UInt64(records.count)
      #expect(
        Set(damages.compactMap(\.position?.rawValue)) == [1, last / 2, last / 2 + 1, last],
        "\(damages)")
      await store.close()
    }
  }

  // MARK: -

  /// A phone whose log has several runs, and a watch with the same events.
  private struct Bench {
    let home: URL
    let options: StoreOptions
    let phone: Store
    let watch: Store
    let habit: HabitID
    let records: [DamagedFile.Record]

    func open() async throws -> Store { try await Store.open(at: home, options: options) }

    func changeTables(_ sql: String) throws {
      try ProjectionEditor.run(sql, on: DamagedTables.file(in: home))
    }

    func changeLog(_ sql: String) throws {
      let database = try DatabaseQueue(path: home.appending(path: "log.sqlite").path)
      try database.write { try $0.execute(sql: sql) }
      try database.close()
    }

    func replaceInLog(_ old: Data, by new: Data) throws {
      let file = DamagedFile.dataFile(in: home)
      var data = try Data(contentsOf: file)
      var start = data.startIndex
      while let range = data.range(of: old, in: start..<data.endIndex) {
        data.replaceSubrange(range, with: new)
        start = range.upperBound
      }
      try #require(start > data.startIndex)
      try data.write(to: file)
    }
  }

  private func withBench(
    _ storage: Store.Storage = .standard, _ body: (Bench) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let options = StoreOptions.test(ManualClock("2026-11-23T08:00:00Z"))
      let home = directory.appending(path: "phone")
      let phone = try await Store.create(
        at: home, replica: "phone", storage: storage, options: options)
      let habit = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
      try await phone.skip(habit.id)
      let watch = try await Store.clone(
        phone, at: directory.appending(path: "watch"), replica: "watch", role: .watch,
        options: options
      ).store
      try await watch.add(Habit("Swim"))
      _ = try await phone.sync(with: watch)
      try await phone.add(Habit("Read"))
      _ = try await phone.sync(with: watch)
      _ = try await phone.plan()
      let records = try phone.log.records()
      try await body(
        Bench(
          home: home, options: options, phone: phone, watch: watch, habit: habit.id,
          records: records))
      await phone.close()
      await watch.close()
    }
  }

  /// Damages the index of a closed log, and expects that a repair restores all of it.
  private func requireIndexRepaired(_ bench: Bench, _ damage: () throws -> Void) async throws {
    try damage()
    let store = try await bench.open()
    let found = try await store.verifyFully()
    #expect(found.damages.contains { $0.part == .index && $0.table == "runs" })
    #expect(
      found.damages.allSatisfy { [.index, .notChecked].contains($0.part) }, "\(found.damages)")
    #expect(try await store.repair().left.damages == [])
    #expect(try store.log.records().map(\.event) == bench.records.map(\.event))
    _ = try await store.add(Habit("Later"))
    _ = try await store.sync(with: bench.watch)
    #expect(try await store.verifyFully().damages == [])
    await store.close()
  }

  private static func bytes(_ branch: UInt32, _ sequence: UInt64, _ position: UInt64) -> Data {
    withUnsafeBytes(of: branch.bigEndian) { Data($0) }
      + withUnsafeBytes(of: sequence.bigEndian) { Data($0) }
      + withUnsafeBytes(of: position.bigEndian) { Data($0) }
  }

  private static func entries(of habit: HabitID, _ count: Int) throws -> [NewEvent] {
    try (0..<count).map { day in
      let entry = EntryRecorded(
        habit: habit, date: CivilDate(rawValue: Int32(20_000 + day)), kind: .mark, value: 1000)
      return NewEvent(payload: try PayloadCoding.encode(.entryRecorded(entry)))
    }
  }
}

extension EventReader {
  /// Returns all events as they are stored.
  fileprivate func records() throws -> [DamagedFile.Record] {
    var records: [DamagedFile.Record] = []
    try scan(after: .start) { event in
      records.append(DamagedFile.Record(event))
      return true
    }
    return records
  }
}

/// Notes the reports of a check's progress.
private final class Counts: Sendable {
  private let reports = Mutex<[RebuildProgress]>([])

  func add(_ progress: RebuildProgress) { reports.withLock { $0.append(progress) } }

  /// Whether the last report is of all work, and none is of more.
  var isRising: Bool {
    reports.withLock { reports in
      reports.last.map { $0.done == $0.total } == true
        && reports.allSatisfy { $0.done <= $0.total }
    }
  }
}
