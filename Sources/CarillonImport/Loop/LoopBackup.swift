import Carillon
import CarillonModel
import CarillonSQLite
import Foundation

/// A backup database of Loop Habit Tracker, read in batches.
struct LoopBackup: ImportSource {
  static let name = ImportedTime.Source.loop.rawValue
  let habits: [Habit]
  let rowCount: Int
  let digest: [UInt8]
  private(set) var ignored: [ImportReport.Reason: ImportReport.Loss] = [:]
  /// The habits by their row ID in Loop.
  private let rows: [Int64: (id: HabitID, isNumerical: Bool)]
  private var repetitions: LoopRepetitions

  private static let millisecondsPerDay: Int64 = 86_400_000

  init(_ file: URL) throws {
    digest = try ImportFile.digest(of: file)
    let database = try Self.reading { try LoopDatabase(opening: file) }
    let found = try Self.reading(database.habits)
    try Self.requireDistinct(found, file)
    let survey = try Self.reading { try LoopSurvey(database, of: found) }
    rowCount = survey.count
    repetitions = try Self.reading { try LoopRepetitions(database) }
    var ignored = self.ignored
    habits = found.map { row in
      ForeignHabit(row, first: survey.first[row.row] ?? nil)
        .habit(from: Self.name, at: "Habits row \(row.row)", &ignored)
    }
    rows = Dictionary(
      uniqueKeysWithValues: zip(found, habits).map { ($0.row, ($1.id, $1.kind == .count)) })
    self.ignored = ignored
  }

  mutating func next(_ limit: Int) throws -> ForeignBatch? {
    var batch = ForeignBatch()
    var repetitions = repetitions
    defer { self.repetitions = repetitions }
    batch.rows = try Self.reading {
      try repetitions.forEach(upTo: limit) { add($0, to: &batch) }
    }
    return batch.rows > 0 ? batch : nil
  }

  private mutating func add(_ repetition: LoopRepetition, to batch: inout ForeignBatch) {
    func place() -> String { "Repetitions row \(repetition.row)" }
    guard let habit = repetition.habit.flatMap({ rows[$0] }) else {
      return ignored.add(.orphans, at: place())
    }
    guard let date = Self.date(repetition.timestamp) else {
      return ignored.add(.dates, at: place())
    }
    batch.add(
      LoopValue(repetition.value, isNumerical: habit.isNumerical), note: repetition.notes,
      habit: habit.id, date: date, at: place(), &ignored)
  }

  /// Runs a body that reads the database, and adds a hint to errors about the file.
  private static func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ProjectionError where error.code == .invalidValue {
      throw StoreError(
        code: .invalidValue, message: error.message,
        hint: "export a full backup from Loop again, and import that", cause: error)
    }
  }

  /// Returns the date whose midnight UTC a timestamp is; nil if it is not midnight.
  private static func date(_ milliseconds: Int64?) -> CivilDate? {
    guard let milliseconds, milliseconds.isMultiple(of: millisecondsPerDay) else { return nil }
    return Int32(exactly: milliseconds / millisecondsPerDay).map(CivilDate.init(rawValue:))
  }

  /// Checks that no two habits have the same row or UUID, since they would become one habit.
  private static func requireDistinct(_ habits: [LoopHabit], _ file: URL) throws {
    var ids: Set<Int64> = []
    var rows: [String: Int64] = [:]
    for habit in habits {
      guard ids.insert(habit.row).inserted else {
        throw ImportFile.problem(file, "has two rows \(habit.row) in its table Habits")
      }
      guard let uuid = habit.uuid else { continue }
      if let other = rows.updateValue(habit.row, forKey: uuid) {
        throw ImportFile.problem(
          file, "rows \(other) and \(habit.row) of its table Habits have one uuid, \(uuid)",
          hint: "delete one of the two in Loop, and export again")
      }
    }
  }
}

extension ForeignHabit {
  /// Creates a habit from a row of Loop's database.
  ///
  /// Schemas before version 24 have no UUIDs.
  ///
  /// - Parameter first: The earliest repetition, in milliseconds since 1970.
  fileprivate init(_ row: LoopHabit, first: Int64?) {
    key = row.uuid.map(ImportKey.uuid) ?? .row(row.row, title: row.title, first: first)
    title = row.title
    question = row.question
    notes = row.notes
    isNumerical = row.isNumerical
    unit = row.unit
    target = row.target
    isAtMost = row.isAtMost
    frequency = row.frequency
    position = row.position
    isArchived = row.isArchived
    reminder = row.reminder
    hasColor = row.hasColor
  }
}
