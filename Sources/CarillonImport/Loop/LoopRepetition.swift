import CarillonSQLite

/// One row of Loop's table `Repetitions`, as stored.
struct LoopRepetition {
  /// The row's number.
  let row: Int64
  /// The row of its habit, which may not exist.
  let habit: Int64?
  /// Midnight UTC of the date, in milliseconds since 1970.
  let timestamp: Int64?
  /// The value for the date; 2, which means done, in schemas without values.
  let value: Int64?
  /// The person's notes about the date.
  let notes: String?

  /// The columns that every table `Repetitions` of Loop has.
  static let needed: Set<String> = ["habit", "timestamp"]
}

/// The repetitions of a backup, in the order of rows.
struct LoopRepetitions {
  private let database: LoopDatabase
  private let rows: Statement
  private var isAtEnd = false

  /// Starts before the first repetition.
  init(_ database: LoopDatabase) throws {
    self.database = database
    rows = try database.reading {
      let present = try LoopDatabase.columns(of: "Repetitions", database.connection)
      let value = present.contains("value") ? "value" : "2"
      let notes = present.contains("notes") ? "CAST(notes AS TEXT)" : "NULL"
      return try database.connection.prepare(
        "SELECT rowid, habit, timestamp, \(value), \(notes) FROM Repetitions ORDER BY rowid")
    }
  }

  /// Returns the next repetition; nil at the end.
  ///
  /// - Throws: `invalidValue` if a text is not UTF-8, naming the row, or if the file is damaged.
  mutating func next() throws -> LoopRepetition? {
    guard !isAtEnd else { return nil }
    return try database.reading {
      guard try rows.step() else {
        isAtEnd = true
        return nil
      }
      let row = rows.integer(0)
      return LoopRepetition(
        row: row, habit: integer(1), timestamp: integer(2), value: integer(3),
        notes: try database.utf8(rows, 4, of: "Repetitions row \(row): notes"))
    }
  }

  /// Returns the value of a column, or nil for another type, because Loop's tables accept values of
  /// any type.
  private func integer(_ index: Int) -> Int64? {
    if case .integer(let value) = rows.column(index) { value } else { nil }
  }
}

/// What one pass over all repetitions finds before anything is written.
struct LoopSurvey {
  /// The number of repetitions.
  private(set) var count = 0
  /// The earliest repetition of each habit, in milliseconds since 1970; nil if it has none.
  private(set) var first: [Int64: Int64?]

  /// Reads all repetitions, so that unreadable ones are found.
  ///
  /// - Parameter habits: The rows of the habits.
  /// - Throws: The errors of ``LoopRepetitions/next()``.
  /// - Complexity: O(repetitions). Memory use depends only on the number of habits.
  init(_ database: LoopDatabase, of habits: [Int64]) throws {
    first = Dictionary(uniqueKeysWithValues: habits.map { ($0, nil) })
    var repetitions = try LoopRepetitions(database)
    while let repetition = try repetitions.next() {
      count += 1
      guard let habit = repetition.habit, let timestamp = repetition.timestamp,
        let known = first[habit], known ?? .max > timestamp
      else { continue }
      first[habit] = timestamp
    }
  }
}
