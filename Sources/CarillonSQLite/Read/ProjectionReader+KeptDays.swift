internal import CarillonModel

extension ProjectionReader {
  /// Returns the kept sums of a habit, or nil if there are none.
  func keptDays(of habit: HabitID) throws -> KeptDays? {
    let row = try connection.query("SELECT through, days FROM kept_days WHERE habit = ?1", habit)
    // The bytes are valid as long as the statement.
    defer { withExtendedLifetime(row) {} }
    return try row.step() ? KeptDays(through: try row.date(0), bytes: try row.blob(1)) : nil
  }

  /// Adds up the older dates of a habit, and keeps their sums.
  ///
  /// Must be called in the transaction in which the rows are read.
  func keepDays(of habit: HabitID) throws {
    guard let kept = KeptDays(of: try days(of: habit, range: Self.allDates)) else { return }
    let newest = try connection.query(
      "SELECT max(event) FROM entry WHERE habit = ?1 AND day <= ?2", habit, kept.through)
    guard try newest.step() else { return }
    try connection.execute(
      Table.keptDays.insertion, habit, kept.through, try newest.eventID(0), kept.bytes)
  }

  /// Returns the kept sums that differ from the entries.
  func keptDaysDifferences() throws -> [RowDifference] {
    let rows = try connection.prepare("SELECT habit FROM kept_days ORDER BY habit")
    var habits: [HabitID] = []
    while try rows.step() { habits.append(try rows.id(0)) }
    return try habits.compactMap { habit in
      guard let kept = try keptDays(of: habit) else { return nil }
      let all = try days(of: habit, range: Self.allDates)
      return kept == KeptDays(of: all, through: kept.through)
        ? nil : RowDifference(table: "kept_days", key: "habit \(habit)")
    }
  }
}

/// The habits whose dates are to be added up after a query.
final class HabitsToKeep {
  var habits: [HabitID] = []
}

extension SQLiteProjections {
  /// Keeps the sums of the dates of habits, unless another process is writing or nothing can be
  /// written.
  func keepDays(of habits: [HabitID], _ connection: Connection) throws {
    guard !habits.isEmpty else { return }
    do {
      try connection.withoutWaiting {
        try connection.transaction(.immediate) {
          let reader = ProjectionReader(
            connection: connection, checkpoint: try Checkpoint(connection), log: log,
            isWritable: true)
          for habit in habits { try reader.keepDays(of: habit) }
        }
      }
    } catch let error as ProjectionError where [.busy, .full, .readOnly].contains(error.code) {
      // The next query adds them up.
    }
  }
}
