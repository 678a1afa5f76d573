package import CarillonModel

/// Asks what was ever said of dates, also where it was taken back: an importer says it no second
/// time.
///
/// Its statements are prepared once. Valid as long as the reader that made it.
package struct KnownDays {
  private let entries: Statement
  private let marks: Statement
  private let erased: Statement

  fileprivate init(_ connection: Connection) throws {
    entries = try connection.prepare(
      "SELECT 1 FROM entry WHERE habit = ?1 AND day = ?2 AND entry = ?3 LIMIT 1")
    marks = try connection.prepare("SELECT 1 FROM day_mark WHERE habit = ?1 AND day = ?2")
    erased = try connection.prepare("SELECT 1 FROM erasure WHERE scope = 1 AND subject = ?1")
  }

  /// Whether an entry was ever recorded, voided or not.
  package func holds(_ entry: EntryID, of habit: HabitID, on date: CivilDate) throws -> Bool {
    entries.bind(3, entry)
    return try Self.hasRow(entries, habit, date)
  }

  /// Whether a date was ever marked, cleared or not.
  package func holdsMark(of habit: HabitID, on date: CivilDate) throws -> Bool {
    try Self.hasRow(marks, habit, date)
  }

  /// Whether the habit was erased, with all that was ever said of its dates.
  package func isErased(_ habit: HabitID) throws -> Bool {
    erased.bind(1, habit)
    guard try erased.step() else { return false }
    erased.reset()
    return true
  }

  private static func hasRow(
    _ rows: Statement, _ habit: HabitID, _ date: CivilDate
  ) throws -> Bool {
    rows.bind(1, habit)
    rows.bind(2, date)
    guard try rows.step() else { return false }
    rows.reset()
    return true
  }
}

extension ProjectionReader {
  /// Prepares the questions of an importer.
  package func knownDays() throws -> KnownDays {
    try KnownDays(connection)
  }

  /// Whether a habit was ever created, deleted or erased or not.
  package func wasCreated(_ habit: HabitID) throws -> Bool {
    let rows = try connection.prepare(
      """
      SELECT 1 FROM habit WHERE habit = ?1
      UNION ALL SELECT 1 FROM erasure WHERE scope = 1 AND subject = ?1
      """)
    rows.bind(1, habit)
    return try rows.step()
  }

  /// Whether a file was ever imported to its end.
  package func wasImported(fileHash: [UInt8]) throws -> Bool {
    let rows = try connection.prepare("SELECT 1 FROM import_file WHERE file_hash = ?1")
    return try fileHash.withUnsafeBytes { bytes in
      rows.bind(1, unowned: bytes)
      return try rows.step()
    }
  }
}
