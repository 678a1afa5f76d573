import Carillon
import CarillonImport
import Foundation
import Testing

/// The conversion of a backup of Loop into habits and records.
struct LoopBackupTests {
  @Test("Each schema of Loop is read", arguments: [12, 22, 23, 24, 25])
  func schemas(schema: Int) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.make(schema: schema, in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      // The old schema has no values: each row is done. The new one contains each value in turn.
      if schema == 12 {
        #expect(report.added == ["habits": 8, "schedules": 2, "entries": 400])
      } else {
        var added: [String: Int64] = [
          "habits": 8, "schedules": 2, "entries": 262, "skips": 63, "marks": 38,
        ]
        // Earlier schemas have no notes.
        if schema == 25 { added["notes"] = 13 }
        #expect(report.added == added)
        #expect(report.ignored[.derived]?.count == 37)
      }
      #expect(report.ignored[.colors]?.count == 8)
      let records = try await store.allRecords()
      #expect(records.count == report.said)
      #expect(try await store.verify() == [])
    }
  }

  @Test("A habit's fields are imported")
  func fields() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: """
          UPDATE Habits SET name = 'Run', question = 'Did you run?', description = 'Far',
            type = 1, unit = 'km', target_value = 2.5, target_type = 1, freq_num = 3, freq_den = 7,
            position = 4, archived = 1, reminder_hour = 6, reminder_min = 5, reminder_days = 3
          """, in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      #expect(report.schedules == 1)
      let habit = try #require(try await store.habits(includingArchived: true).first)
      #expect(habit.title == "Run")
      #expect(habit.question == "Did you run?")
      #expect(habit.notes == "Far")
      #expect(habit.kind == .count)
      #expect(habit.unit == "km")
      #expect(habit.target == 2.5)
      #expect(habit.direction == .atMost)
      #expect(habit.goal == Quota(count: 3, per: .rolling(days: 7)))
      #expect(habit.position == 4)
      #expect(habit.isArchived)
      let schedule = try #require(habit.schedules.first)
      #expect(schedule.rule == .weekly([.saturday, .sunday]))
      #expect(schedule.times == ["06:05"])
      #expect(schedule.unless == .done)
    }
  }

  @Test("In old schemas the description is the question of the reminder")
  func oldQuestion() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: "UPDATE Habits SET description = 'Did you?'", schema: 12, in: files)
      _ = try await store.importHabits(from: file, format: .loop)
      let habit = try #require(try await store.habits().first)
      #expect(habit.question == "Did you?")
      #expect(habit.notes == nil)
    }
  }

  @Test(
    "The days of a reminder are bits; the lowest bit is Saturday",
    arguments: [
      (127, Set(Weekday.allCases)), (1, [.saturday]), (2, [.sunday]), (4, [.monday]),
      (64, [.friday]), (124, [.monday, .tuesday, .wednesday, .thursday, .friday]), (0, nil),
    ] as [(Int, Set<Weekday>?)])
  func days(mask: Int, expected: Set<Weekday>?) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: "UPDATE Habits SET reminder_hour = 8, reminder_min = 0, reminder_days = \(mask)",
        in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      let habit = try #require(try await store.habits().first)
      #expect(habit.schedules.map(\.rule) == (expected.map { [.weekly($0)] } ?? []))
      #expect(report.ignored[.reminders]?.count == (expected == nil ? 1 : nil))
    }
  }

  @Test(
    "A reminder or a frequency that is not a number is counted as ignored",
    arguments: [
      ("reminder_hour = x'07'", ImportReport.Reason.reminders),
      ("reminder_hour = 'seven'", .reminders),
      ("reminder_min = NULL", .reminders), ("reminder_min = 1.5", .reminders),
      ("reminder_days = x'7f'", .reminders), ("freq_num = 'often'", .goals),
      ("freq_den = x'07'", .goals),
    ])
  func otherTypes(change: String, reason: ImportReport.Reason) async throws {
    try await withStoreAndFiles { store, files in
      let whole = "UPDATE Habits SET reminder_hour = 8, reminder_min = 0, reminder_days = 127, "
      let file = try await SampleBackup.changed(by: whole + change, in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      #expect(report.ignored[reason]?.count == 1)
      let habit = try #require(try await store.habits().first)
      #expect(reason == .goals ? habit.goal == nil : habit.schedules.isEmpty)
    }
  }

  @Test(
    "A title without a visible character becomes Untitled", arguments: ["''", "'  '", "char(8203)"])
  func invisibleTitle(title: String) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(by: "UPDATE Habits SET name = \(title)", in: files)
      _ = try await store.importHabits(from: file, format: .loop)
      #expect(try await store.habits().first?.title == "Untitled")
    }
  }

  @Test(
    "Each value of a repetition has its meaning",
    arguments: [
      (0, 2, .done(1000)), (0, 0, .marked(.no)), (0, 1, .derived), (0, 3, .marked(.skip)),
      (0, -1, .unknown), (0, 4, .invalid), (0, -3, .invalid),
      (1, 1500, .done(1500)), (1, 0, .done(0)), (1, 2, .done(2)), (1, 3, .marked(.skip)),
      (1, -1, .unknown), (1, -500, .invalid),
    ] as [(Int, Int, LoopMeaning)])
  func values(type: Int, value: Int, meaning: LoopMeaning) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: "UPDATE Habits SET type = \(type)",
        "INSERT INTO Repetitions (habit, timestamp, value) VALUES (1, 86400000, \(value))",
        in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      #expect(report.ignored[.derived]?.count == (meaning == .derived ? 1 : nil))
      #expect(report.ignored[.values]?.count == (meaning == .invalid ? 1 : nil))
      let record = try await store.allRecords().first
      switch (meaning, record?.fact) {
      case (.done(let thousandths), .done(_, let amount, let at, _)?):
        #expect(amount.thousandths == thousandths)
        #expect(record?.date == "1970-01-02")
        #expect(at == Instant(milliseconds: 86_400_000))
      case (.marked(let mark), .marked(let found)?):
        #expect(found == mark)
      case (.derived, nil), (.unknown, nil), (.invalid, nil):
        break
      default:
        Issue.record("\(meaning) became \(String(describing: record))")
      }
    }
  }

  enum LoopMeaning: Equatable, Sendable {
    case done(Int64)
    case marked(DayMark)
    case derived, unknown, invalid
  }

  @Test("A note of a repetition belongs to its entry, or to the date if there is no entry")
  func notes() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: """
          INSERT INTO Repetitions (habit, timestamp, value, notes) VALUES
          (1, 0, 2, 'a lot of rain'), (1, 86400000, 0, 'ill'), (1, 172800000, -1, 'perhaps')
          """, in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      #expect(report.notes == 2)
      let habit = try #require(try await store.allRecords().first?.habit)
      #expect(
        try await store.notes(of: habit, in: "1970-01-01"..."1970-01-03") == [
          "1970-01-01": ["a lot of rain"], "1970-01-02": ["ill"], "1970-01-03": ["perhaps"],
        ])
      #expect(try await store.importHabits(from: file, format: .loop).notes == 0)
    }
  }

  @Test("Invalid repetitions are counted and named by row, and all others are imported")
  func losses() async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(
        by: """
          INSERT INTO Repetitions (id, habit, timestamp, value) VALUES
          (1, 1, 0, 2), (2, 1, -86400000, 2), (3, 1, 7289654400000, 2), (4, 1, 7289568000000, 2),
          (5, 1, 86400001, 2), (6, 99, 86400000, 2), (7, 1, 'soon', 2),
          (8, 1, 9223372036854775807, 2), (9, 1, 172800000, 'much')
          """, in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      #expect(report.entries == 2)
      #expect(report.ignored[.dates]?.count == 5)
      #expect(report.ignored[.dates]?.first == "Repetitions row 2")
      #expect(report.ignored[.orphans]?.count == 1)
      #expect(report.ignored[.values]?.count == 1)
      #expect(try await store.allRecords().map(\.date) == ["1970-01-01", "2200-12-31"])
    }
  }

  @Test("Texts beyond the limits are shortened, and the full text is kept in the notes")
  func longTexts() async throws {
    try await withStoreAndFiles { store, files in
      let title = String(repeating: "ä", count: 150)
      let file = try await SampleBackup.changed(
        by: "UPDATE Habits SET name = '\(title)', question = '', description = 'Daily'", in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      let habit = try #require(try await store.habits().first)
      #expect(habit.title == String(repeating: "ä", count: 100))
      #expect(habit.notes == title + "\n\nDaily")
      #expect(report.ignored[.shortened]?.count == 1)
    }
  }

  @Test(
    "Goals and targets beyond the limits are left out and counted",
    arguments: [
      ("freq_num = 0", ImportReport.Reason.goals), ("freq_den = 400", .goals),
      ("type = 1, target_value = -1", .targets), ("type = 1, target_value = 1e300", .targets),
    ])
  func limits(change: String, reason: ImportReport.Reason) async throws {
    try await withStoreAndFiles { store, files in
      let file = try await SampleBackup.changed(by: "UPDATE Habits SET \(change)", in: files)
      let report = try await store.importHabits(from: file, format: .loop)
      #expect(report.habits == 1)
      #expect(report.ignored[reason]?.count == 1)
    }
  }

  @Test("Habits with the same title stay separate")
  func equalTitles() async throws {
    try await withStoreAndFiles { store, files in
      for schema in [12, 25] {
        let file = try await SampleBackup.make("\(schema).db", schema: schema, in: files)
        _ = try await store.importHabits(from: file, format: .loop)
        let titles = try await store.habits().map(\.title).filter { $0 == "Vegan" }
        #expect(titles.count == (schema == 12 ? 2 : 4))
      }
    }
  }
}
