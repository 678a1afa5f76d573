package import Carillon
import CarillonModel
import CarillonSQLite
package import Foundation
import GRDBSQLite

extension Store {
  /// Writes all habits that are not deleted, with their records, as a backup of Loop Habit Tracker.
  ///
  /// - Parameter file: An existing empty file.
  /// - Returns: What was written, and what Loop has no place for.
  /// - Throws: `io`, `full`. The file then has no rows.
  /// - Complexity: O(rows), in memory that is flat.
  package func exportLoop(to file: URL) async throws(StoreError) -> ExportReport {
    try await StoreError.translating {
      let writer = try LoopBackupWriter(file)
      for habit in try await self.habits(includingArchived: true) { try writer.add(habit) }
      var last: DayRecord?
      while true {
        let records = try await self.records(after: last)
        guard let end = records.last else { break }
        for record in records { try writer.add(record) }
        last = end
        try Task.checkCancellation()
      }
      return try writer.finished()
    }
  }
}

/// A backup of Loop while it is written, in one transaction.
private final class LoopBackupWriter {
  private let handle: OpaquePointer
  private let connection: Connection
  private var report = ExportReport()
  /// The habits by ID, with their rows.
  private var rows: [HabitID: (row: Int64, habit: Habit)] = [:]
  private var day: LoopDay?

  /// Loop's version number of the schema.
  private static let version = 25
  /// The index of Loop's default color.
  private static let color: Int64 = 8
  private static let millisecondsPerDay: Int64 = 86_400_000

  private static let schema = """
    PRAGMA journal_mode = MEMORY;
    BEGIN;
    CREATE TABLE android_metadata (locale TEXT);
    INSERT INTO android_metadata VALUES ('en_US');
    CREATE TABLE Habits (
      id INTEGER PRIMARY KEY AUTOINCREMENT, archived INTEGER, color INTEGER, description TEXT,
      freq_den INTEGER, freq_num INTEGER, highlight INTEGER, name TEXT, position INTEGER,
      reminder_hour INTEGER, reminder_min INTEGER,
      reminder_days INTEGER NOT NULL DEFAULT 127, type INTEGER NOT NULL DEFAULT 0,
      target_type INTEGER NOT NULL DEFAULT 0, target_value REAL NOT NULL DEFAULT 0,
      unit TEXT NOT NULL DEFAULT '', question TEXT, uuid TEXT);
    CREATE TABLE Repetitions (
      id INTEGER PRIMARY KEY AUTOINCREMENT, habit INTEGER NOT NULL REFERENCES Habits(id),
      timestamp INTEGER NOT NULL, value INTEGER NOT NULL, notes TEXT);
    CREATE UNIQUE INDEX idx_repetitions_habit_timestamp ON Repetitions(habit, timestamp);
    CREATE TABLE Events (
      id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER, message TEXT, server_id INTEGER);
    PRAGMA user_version = \(version);
    """

  init(_ file: URL) throws {
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(
      file.path(percentEncoded: false), &opened, SQLITE_OPEN_READWRITE, nil)
    guard let opened else {
      throw ProjectionError(code: .io, message: "\(file.path) cannot be opened: out of memory")
    }
    handle = opened
    connection = Connection(opened)
    guard result == SQLITE_OK else { throw ProjectionError(connection: opened) }
    try connection.execute(script: Self.schema)
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Adds a habit.
  func add(_ habit: Habit) throws {
    let row = Int64(rows.count + 1)
    rows[habit.id] = (row, habit)
    let reminder = reminder(of: habit)
    let goal = habit.goal ?? habit.countedGoal
    if goal == nil { report.lose(.goals, of: habit) }
    let isPlain =
      habit.group == nil && habit.owner == .phoneFirst && habit.start == nil && habit.end == nil
    if !isPlain { report.lose(.properties, of: habit) }
    let target = Double(habit.target?.thousandths ?? 0) / 1_000
    _ = try connection.query(
      """
      INSERT INTO Habits (
        id, archived, color, description, freq_den, freq_num, highlight, name, position,
        reminder_hour, reminder_min, reminder_days, type, target_type, target_value, unit,
        question, uuid)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?10, ?11, ?12, ?13, \(target), ?14, ?15, ?16)
      """, row, Int64(habit.isArchived ? 1 : 0), Self.color, habit.notes ?? "",
      goal?.period.loopDays ?? 1, Int64(goal?.count ?? 1), habit.title, row - 1,
      reminder.map { Int64($0.time.minute) / 60 }, reminder.map { Int64($0.time.minute) % 60 },
      reminder?.days ?? 0, Int64(habit.kind == .count ? 1 : 0),
      Int64(habit.direction == .atMost ? 1 : 0), habit.unit ?? "", habit.question ?? "",
      habit.id.description.filter(\.isHexDigit)
    ).step()
    report.habits += 1
    report.reminders += reminder == nil ? 0 : 1
  }

  /// Adds a record of a date; the records are in the order of habits and dates.
  func add(_ record: DayRecord) throws {
    if day?.habit != record.habit || day?.date != record.date {
      try finishDay()
      day = LoopDay(habit: record.habit, date: record.date)
    }
    day?.add(record.fact)
  }

  /// Commits the file.
  func finished() throws -> ExportReport {
    try finishDay()
    try connection.execute(script: "COMMIT")
    return report
  }

  // MARK: - Parts

  private func finishDay() throws {
    guard let day, let (row, habit) = rows[day.habit] else { return }
    guard let value = day.value(isNumerical: habit.kind == .count) else {
      return report.lose(.values, of: habit)
    }
    _ = try connection.query(
      "INSERT INTO Repetitions (habit, timestamp, value, notes) VALUES (?1, ?2, ?3, ?4)",
      row, Int64(day.date.rawValue) * Self.millisecondsPerDay, value,
      day.notes.isEmpty ? nil : day.notes.joined(separator: "\n")
    ).step()
    report.entries += 1
  }

  /// Returns the only reminder that Loop has for a habit: its first time on weekdays, as a bit mask
  /// whose lowest bit is Saturday.
  private func reminder(of habit: Habit) -> (time: TimeOfDay, days: Int64)? {
    var found: (TimeOfDay, Int64)?
    for schedule in habit.schedules {
      guard found == nil, schedule.zone == .floating, let time = schedule.times.first,
        let days = Self.weekdays(of: schedule.rule)
      else {
        report.lose(.reminders, of: habit, schedule.id)
        continue
      }
      found = (time, days.reduce(0) { $0 | 1 << ((Int64($1.rawValue) + 1) % 7) })
      if schedule.times.count > 1 { report.lose(.reminders, of: habit, schedule.id) }
      // Loop shows no reminder of a date that is done, so that condition is the only one it keeps.
      if !schedule.unless.isSubset(of: .done) || schedule.doneWithin != nil {
        report.lose(.conditions, of: habit, schedule.id)
      }
      if schedule.hasOwnSettings || schedule.content.title != nil || schedule.content.body != nil {
        report.lose(.settings, of: habit, schedule.id)
      }
    }
    return found
  }

  private static func weekdays(of rule: Schedule.Rule) -> Set<Weekday>? {
    switch rule {
    case .weekly(let days): days
    case .everyDays(1, _): Set(Weekday.allCases)
    case .once, .everyDays, .recurrence, .interval, .relative, .place, .unknown: nil
    }
  }
}

extension Quota.Period {
  /// The number of days of a frequency in Loop, which has 30 for a month.
  fileprivate var loopDays: Int64 { self == .month ? 30 : Int64(length) }
}

/// The records of one date of a habit, of which Loop has one row.
private struct LoopDay {
  let habit: HabitID
  let date: CivilDate
  private var amount: Int64?
  private var mark: DayMark?
  private(set) var notes: [String] = []

  init(habit: HabitID, date: CivilDate) {
    (self.habit, self.date) = (habit, date)
  }

  mutating func add(_ fact: DayRecord.Fact) {
    switch fact {
    case .done(_, let added, _, let note):
      amount = (amount ?? 0) + added.thousandths
      if let note, !note.isEmpty { notes.append(note) }
    case .marked(let mark): self.mark = mark
    case .noted(let text): if !text.isEmpty { notes.append(text) }
    }
  }

  /// Returns Loop's number for the date: an amount in thousandths or 2 for done, 3 for a skip, 0
  /// for no, and -1 for a note alone.
  ///
  /// Nil if Loop has no such number: it stores 32 bits, and 3 thousandths would be a skip.
  func value(isNumerical: Bool) -> Int64? {
    if let amount {
      guard isNumerical else { return 2 }
      return (0...Int64(Int32.max)).contains(amount) && amount != 3 ? amount : nil
    }
    return switch mark {
    case .skip: 3
    case .no: 0
    case .clear, nil: -1
    }
  }
}
