package import CarillonModel

extension ProjectionReader {
  /// The next things that are said of dates, by habit, date, the date's mark, then its entries; of
  /// deleted habits too.
  ///
  /// - Parameters:
  ///   - last: The one behind which to go on; nil is the beginning.
  ///   - limit: How many at most.
  /// - Complexity: O(limit), whatever the place.
  package func records(after last: DayRecord?, limit: Int) throws -> [DayRecord] {
    let entry = if case .done(let entry, _, _, _) = last?.fact { entry } else { EntryID.zero }
    let rows = try connection.query(
      Self.recordQuery, last?.habit ?? .zero, last?.date ?? CivilDate(rawValue: .min), entry, limit)
    var records: [DayRecord] = []
    while try rows.step() { records.append(try Self.record(rows)) }
    return records
  }

  /// A mark sorts before all entries of its date, and stands with an empty entry.
  ///
  /// Of the recordings of an entry, the other columns are those of the greatest event. Each half is
  /// limited on its own: SQLite sorts what it unites, and would else sort all that is behind.
  private static let recordQuery = """
    SELECT * FROM (
      SELECT habit, day, x'' AS entry, NULL, NULL, NULL, NULL, mark FROM day_mark
      WHERE (habit, day) > (?1, ?2) AND mark <> 'clear'
      ORDER BY habit, day LIMIT ?4)
    UNION ALL
    SELECT * FROM (
      SELECT habit, day, entry, max(event), value, at, note, NULL FROM entry
      WHERE (habit, day, entry) > (?1, ?2, ?3) AND NOT EXISTS (
        SELECT 1 FROM entry_void
        WHERE entry_void.entry = entry.entry AND entry_void.event = entry.event)
      GROUP BY habit, day, entry ORDER BY habit, day, entry LIMIT ?4)
    ORDER BY habit, day, entry LIMIT ?4
    """

  private static func record(_ rows: Statement) throws -> DayRecord {
    let (habit, date): (HabitID, CivilDate) = (try rows.id(0), try rows.date(1))
    guard rows.isNull(7) else {
      guard let mark = DayMark(rawValue: try rows.text(7)) else { throw Statement.damagedValue }
      return DayRecord(habit: habit, date: date, fact: .marked(mark))
    }
    return DayRecord(
      habit: habit, date: date,
      fact: .done(
        try rows.id(2), value: rows.integer(4), at: rows.instant(5),
        note: try rows.optionalText(6)))
  }
}
