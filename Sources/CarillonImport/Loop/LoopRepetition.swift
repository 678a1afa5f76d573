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

extension LoopDatabase {
  /// Reads all repetitions, so that unreadable ones are found before anything is written.
  ///
  /// - Returns: The number of repetitions.
  /// - Throws: The errors of ``repetitions(after:limit:)``.
  /// - Complexity: O(repetitions). Memory use is constant.
  func checkedRepetitionCount() throws -> Int {
    var (count, last) = (0, Int64.min)
    while true {
      let next = try repetitions(after: last, limit: 4_000)
      guard let row = next.last?.row else { return count }
      (count, last) = (count + next.count, row)
    }
  }

  /// Returns the next repetitions after a row, in the order of rows; empty at the end.
  ///
  /// - Throws: `invalidValue` if a text is not UTF-8, naming the row, or if the file is damaged.
  /// - Complexity: O(limit), independent of the row.
  func repetitions(after row: Int64, limit: Int) throws -> [LoopRepetition] {
    try reading {
      let present = try Self.columns(of: "Repetitions", connection)
      let value = present.contains("value") ? Self.integer("value") : "2"
      let notes = present.contains("notes") ? "CAST(notes AS TEXT)" : "NULL"
      let rows = try connection.query(
        """
        SELECT rowid, \(Self.integer("habit")), \(Self.integer("timestamp")), \(value), \(notes)
        FROM Repetitions WHERE rowid > ?1 ORDER BY rowid LIMIT ?2
        """, row, Int64(limit))
      var repetitions: [LoopRepetition] = []
      while try rows.step() { repetitions.append(try repetition(rows)) }
      return repetitions
    }
  }

  private func repetition(_ rows: Statement) throws -> LoopRepetition {
    func integer(_ index: Int) -> Int64? { rows.isNull(index) ? nil : rows.integer(index) }
    return LoopRepetition(
      row: rows.integer(0), habit: integer(1), timestamp: integer(2), value: integer(3),
      notes: try utf8(rows, 4, of: "Repetitions row \(rows.integer(0)): notes"))
  }
}
