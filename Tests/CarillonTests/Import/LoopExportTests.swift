import CarillonImport
import CarillonModel
import CarillonTestSupport
import Foundation
import GRDB
import Testing

@testable import Carillon

/// The export of habits to Loop Habit Tracker, read back by the import.
struct LoopExportTests {
  /// Creates the empty file of an export.
  private static func file(in directory: URL) throws -> URL {
    let file = directory.appending(path: "export.db")
    try Data().write(to: file)
    return file
  }

  private static func rows(_ file: URL, _ sql: String) throws -> [[String]] {
    var configuration = Configuration()
    configuration.readonly = true
    let database = try DatabaseQueue(path: file.path, configuration: configuration)
    defer { try? database.close() }
    return try database.read { database in
      try Row.fetchAll(database, sql: sql).map { row in
        row.databaseValues.map { $0.isNull ? "" : "\($0)" }
      }
    }
  }

  /// The columns that an import takes from Loop, in the order of the list.
  private static let habitColumns = """
    SELECT position, name, question, description, freq_num, freq_den, archived, reminder_hour,
      reminder_min, type, target_type, unit FROM Habits ORDER BY position
    """

  @Test("A backup, imported and exported, has the rows of the original")
  func rows() async throws {
    try await withStoreAndFiles { store, files in
      let original = try await SampleBackup.make(in: files)
      _ = try await store.importHabits(from: original, format: .loop)
      let copy = try Self.file(in: files)
      let report = try await store.exportLoop(to: copy)
      #expect(report.habits == 8 && report.reminders == 2 && report.losses.isEmpty)
      #expect(
        try Self.rows(copy, Self.habitColumns)
          == (try Self.rows(original, Self.habitColumns)))
      // Targets of habits that count nothing are dropped, as are dates that Loop itself marked.
      let targets = "SELECT target_value FROM Habits WHERE type = 1 ORDER BY position"
      #expect(try Self.rows(copy, targets) == (try Self.rows(original, targets)))
      let dates = """
        SELECT h.position, timestamp, value, coalesce(notes, '') FROM Repetitions r
        JOIN Habits h ON h.id = r.habit
        WHERE h.type = 1 OR value <> 1 OR notes IS NOT NULL ORDER BY 1, 2
        """
      let written = try Self.rows(copy, dates)
      let expected = try Self.rows(original, dates).map { row in
        // The note on a date that Loop itself marked stays.
        row[2] == "1" ? [row[0], row[1], "-1", row[3]] : row
      }
      #expect(written == expected && written.count == report.entries)
      #expect(try Self.rows(copy, "PRAGMA user_version") == [["25"]])
      #expect(try Self.rows(copy, "PRAGMA integrity_check") == [["\"ok\""]])
    }
  }

  @Test("An export, imported into another store, has the same habits and records")
  func habits() async throws {
    try await withStoreAndFiles { store, files in
      let original = try await SampleBackup.make(in: files)
      _ = try await store.importHabits(from: original, format: .loop)
      let copy = try Self.file(in: files)
      _ = try await store.exportLoop(to: copy)
      try await withStore { other, _ in
        let report = try await other.importHabits(from: copy, format: .loop)
        #expect(report.ignored.mapValues(\.count) == [.colors: 8])
        #expect(try await Self.said(store) == (try await Self.said(other)))
      }
    }
  }

  /// The habits in the order of the list, each with its records, without IDs.
  private static func said(_ store: Store) async throws -> [String] {
    var texts: [String] = []
    let habits = try await store.habits(includingArchived: true)
    var records = try await store.allRecords()
    records.sort { ($0.habit, $0.date) < ($1.habit, $1.date) }
    for habit in habits {
      texts.append(
        "\(habit.title) \(habit.kind) \(habit.unit ?? "") \(String(describing: habit.target)) "
          + "\(habit.direction) \(String(describing: habit.goal)) \(habit.question ?? "") "
          + "\(habit.notes ?? "") \(habit.isArchived) "
          + "\(habit.schedules.map { "\(said($0.rule)) \($0.times) \($0.unless)" })")
      for record in records where record.habit == habit.id {
        let fact =
          switch record.fact {
          case .done(_, let amount, _, let note): "done \(amount) \(note ?? "")"
          case .marked(let mark): mark.rawValue
          case .noted(let text): "note \(text)"
          }
        texts.append("\(record.date) \(fact)")
      }
    }
    return texts
  }

  /// A rule, with its weekdays in order.
  private static func said(_ rule: Schedule.Rule) -> String {
    if case .weekly(let days) = rule { "weekly \(days.sorted())" } else { "\(rule)" }
  }

  @Test("A quota is written as a goal if the habit has no other, a month as 30 days")
  func quotas() async throws {
    try await withStoreAndFiles { store, files in
      var gym = Habit("1 Gym", .daily(at: ["17:00"], unless: .quota))
      gym.schedules[0].quota = Quota("3/week")
      var rent = Habit("2 Rent", .daily(at: ["09:00"], unless: .quota))
      (rent.schedules[0].quota, rent.goal) = (Quota("3/week"), Quota("1/month"))
      for habit in [gym, rent] { try await store.add(habit) }
      let copy = try Self.file(in: files)
      let report = try await store.exportLoop(to: copy)
      #expect(!report.losses.contains { $0.reason == .goals })
      #expect(
        try Self.rows(copy, "SELECT freq_num, freq_den FROM Habits ORDER BY id")
          == [["3", "7"], ["1", "30"]])
    }
  }

  @Test("What Loop has no place for is left out, with its reason")
  func losses() async throws {
    try await withStoreAndFiles { store, files in
      var walk = Habit("Walk", .daily(at: ["07:30", "17:00"], unless: .done))
      walk.group = "Health"
      walk.schedules[0].quietPolicy = .fire
      walk.schedules.append(Schedule(rule: .once("2026-12-24"), times: ["08:00"]))
      let added = try await store.add(walk)
      var water = Habit("Water")
      water.kind = .count
      water.goal = Quota(count: 1, per: .rolling(days: 1))
      let counted = try await store.add(water)
      try await store.markDone(added.id, on: .today)
      try await store.markDone(counted.id, on: .today, amount: Amount(thousandths: 3))
      let copy = try Self.file(in: files)
      let report = try await store.exportLoop(to: copy)
      #expect(
        Set(report.losses.map(\.reason)) == [.reminders, .goals, .properties, .settings, .values])
      #expect(report.entries == 1)
      let reminder = "SELECT reminder_hour, reminder_min, reminder_days FROM Habits WHERE id = 1"
      #expect(try Self.rows(copy, reminder) == [["7", "30", "127"]])
    }
  }
}
