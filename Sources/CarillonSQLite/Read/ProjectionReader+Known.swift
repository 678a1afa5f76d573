package import CarillonModel

/// Queries for an importer: which facts of dates were ever recorded, even if they were withdrawn,
/// so that the import does not record them again.
///
/// Its statements are prepared once. Valid as long as the reader that created it.
package struct KnownDays {
  private let entries: Statement
  private let marks: Statement
  private let notes: Statement
  private let erased: Statement

  fileprivate init(_ connection: Connection) throws {
    entries = try connection.prepare(
      "SELECT 1 FROM entry WHERE habit = ?1 AND day = ?2 AND entry = ?3 LIMIT 1")
    marks = try connection.prepare("SELECT 1 FROM day_mark WHERE habit = ?1 AND day = ?2")
    notes = try connection.prepare("SELECT 1 FROM note WHERE habit = ?1 AND day = ?2")
    erased = try connection.prepare("SELECT 1 FROM erasure WHERE scope = 1 AND subject = ?1")
  }

  /// Whether an entry was ever recorded, voided or not.
  package func holds(_ entry: EntryID, of habit: HabitID, on date: CivilDate) throws -> Bool {
    entries.bindAll(habit, date, entry)
    return try Self.hasRow(entries)
  }

  /// Whether a date was ever marked, cleared or not.
  package func holdsMark(of habit: HabitID, on date: CivilDate) throws -> Bool {
    marks.bindAll(habit, date)
    return try Self.hasRow(marks)
  }

  /// Whether a date ever had a note, removed or not.
  package func holdsNote(of habit: HabitID, on date: CivilDate) throws -> Bool {
    notes.bindAll(habit, date)
    return try Self.hasRow(notes)
  }

  /// Whether the habit was erased, with all facts of its dates.
  package func isErased(_ habit: HabitID) throws -> Bool {
    erased.bindAll(habit)
    return try Self.hasRow(erased)
  }

  fileprivate static func hasRow(_ rows: Statement) throws -> Bool {
    guard try rows.step() else { return false }
    rows.reset()
    return true
  }
}

extension ProjectionReader {
  /// Prepares the queries of an importer.
  package func knownDays() throws -> KnownDays {
    try KnownDays(connection)
  }

  /// Whether a person archived a habit that is archived.
  ///
  /// The event then states the edits that its writer had seen. An import archives a habit together
  /// with edits, so its event states none.
  package func hasPersonArchived(_ habit: HabitID) throws -> Bool {
    try connection.query(
      """
      SELECT 1 FROM habit_archived JOIN edit USING (habit, event)
      WHERE habit = ?1 AND schedule = x'' AND field = \(EditKey.archived) AND archived = 1
      """, habit
    ).step()
  }

  /// Returns the habits without any entry, mark or note of a date, that are not erased.
  package func habitsWithoutRecords(_ habits: [HabitID]) throws -> [HabitID] {
    let rows = try connection.prepare(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM entry WHERE habit = ?1)
        OR EXISTS (SELECT 1 FROM day_mark WHERE habit = ?1)
        OR EXISTS (SELECT 1 FROM note WHERE habit = ?1)
        OR EXISTS (SELECT 1 FROM erasure WHERE scope = 1 AND subject = ?1)
      """)
    return try habits.filter { habit in
      rows.bindAll(habit)
      return try !KnownDays.hasRow(rows)
    }
  }

  /// Whether a file was ever imported completely.
  package func wasImported(fileHash: [UInt8]) throws -> Bool {
    try connection.query("SELECT 1 FROM import_file WHERE file_hash = ?1", fileHash).step()
  }
}
