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
  ///
  /// - Parameter onlyWithNotes: Whether to leave out the repetitions without notes.
  init(_ database: LoopDatabase, onlyWithNotes: Bool = false) throws {
    self.database = database
    rows = try database.reading {
      let present = try LoopDatabase.columns(of: "Repetitions", database.connection)
      let value = present.contains("value") ? "value" : "2"
      let notes = present.contains("notes") ? "notes" : "NULL"
      return try database.connection.prepare(
        """
        SELECT rowid, habit, timestamp, \(value), CAST(\(notes) AS TEXT) FROM Repetitions
        \(onlyWithNotes ? "WHERE \(notes) IS NOT NULL" : "") ORDER BY rowid
        """)
    }
  }

  /// Calls a body with the next repetitions, at most `limit` of them.
  ///
  /// - Returns: The number of repetitions; 0 at the end.
  /// - Throws: `invalidValue` if a text is not UTF-8, naming the row, or if the file is damaged.
  mutating func forEach(upTo limit: Int, _ body: (LoopRepetition) -> Void) throws -> Int {
    // Constants, so that each row does not retain them again.
    let (database, rows) = (database, rows)
    return try database.reading {
      var count = 0
      while !isAtEnd, count < limit {
        guard try rows.step() else {
          isAtEnd = true
          break
        }
        let row = rows.integer(0)
        body(
          LoopRepetition(
            row: row, habit: rows.column(1).integer, timestamp: rows.column(2).integer,
            value: rows.column(3).integer,
            notes: try database.utf8(rows, 4, of: "Repetitions row \(row): notes")))
        count += 1
      }
      return count
    }
  }
}

extension ColumnValue {
  /// The value; nil for another type, because Loop's tables accept values of any type.
  fileprivate var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }
}

/// What one pass over all repetitions finds before anything is written.
struct LoopSurvey {
  /// The number of repetitions.
  let count: Int
  /// The earliest repetition of each habit without a UUID, in milliseconds since 1970; nil if it
  /// has none.
  let first: [Int64: Int64?]

  /// Reads all texts, so that unreadable ones are found, and if a habit has no UUID, all
  /// repetitions.
  ///
  /// - Throws: The errors of ``LoopRepetitions/forEach(upTo:_:)``.
  /// - Complexity: O(repetitions). Memory use depends only on the number of habits.
  init(_ database: LoopDatabase, of habits: [LoopHabit]) throws {
    self.count = try database.reading {
      Int(try database.connection.integer("SELECT count(*) FROM Repetitions") ?? 0)
    }
    let unnamed = habits.filter { $0.uuid == nil }.map { ($0.row, Int64?.none) }
    var first = Dictionary(uniqueKeysWithValues: unnamed)
    var repetitions = try LoopRepetitions(database, onlyWithNotes: unnamed.isEmpty)
    var count: Int
    repeat {
      count = try repetitions.forEach(upTo: HabitImport.batchCount) { repetition in
        guard let habit = repetition.habit, let timestamp = repetition.timestamp,
          let known = first[habit], known ?? .max > timestamp
        else { return }
        first[habit] = timestamp
      }
    } while count > 0
    self.first = first
  }
}
