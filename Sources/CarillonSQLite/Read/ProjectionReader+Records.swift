package import CarillonModel

extension ProjectionReader {
  /// Returns the next facts of dates, in the order of habits and dates, and for each date its mark,
  /// its note and its entries.
  ///
  /// Includes deleted habits.
  ///
  /// - Parameters:
  ///   - last: The record after which to continue; nil starts at the beginning.
  ///   - limit: The maximum number of records.
  /// - Complexity: O(limit), independent of the position.
  package func records(after last: DayRecord?, limit: Int) throws -> [DayRecord] {
    let entry: [UInt8] =
      switch last?.fact {
      case .marked, nil: []
      case .noted: [0]
      case .done(let entry, _, _, _): entry.bytes
      }
    let rows = try connection.query(
      Self.recordQuery, last?.habit ?? .zero, last?.date ?? CivilDate(rawValue: .min), entry, limit)
    var records: [DayRecord] = []
    while try rows.step() { records.append(try Self.record(rows)) }
    return records
  }

  /// The query for records.
  ///
  /// A mark and a note sort before all entries of their date, because their `entry` has no byte and
  /// one byte.
  ///
  /// The other columns of an entry are those of its recording with the greatest event. Each part
  /// has its own limit, because SQLite sorts the union and would otherwise sort all remaining rows.
  private static let recordQuery = """
    SELECT * FROM (
      SELECT habit, day, x'' AS entry, NULL, NULL, NULL, NULL, mark FROM day_mark
      WHERE (habit, day, x'') > (?1, ?2, ?3) AND mark <> 'clear'
      ORDER BY habit, day LIMIT ?4)
    UNION ALL
    SELECT * FROM (
      SELECT habit, day, x'00' AS entry, NULL, NULL, NULL, text, NULL FROM note
      WHERE (habit, day, x'00') > (?1, ?2, ?3) AND text IS NOT NULL
      ORDER BY habit, day LIMIT ?4)
    UNION ALL
    SELECT * FROM (
      SELECT habit, day, entry, max(event), value, at, note, NULL FROM entry
      WHERE (habit, day, entry) > (?1, ?2, ?3) AND \(Table.isLive)
      GROUP BY habit, day, entry ORDER BY habit, day, entry LIMIT ?4)
    ORDER BY habit, day, entry LIMIT ?4
    """

  private static func record(_ rows: Statement) throws -> DayRecord {
    let (habit, date): (HabitID, CivilDate) = (try rows.id(0), try rows.date(1))
    guard rows.isNull(7) else {
      guard let mark = DayMark(rawValue: try rows.text(7)) else { throw Statement.damagedValue }
      return DayRecord(habit: habit, date: date, fact: .marked(mark))
    }
    guard !rows.isNull(3) else {
      return DayRecord(habit: habit, date: date, fact: .noted(try rows.text(6)))
    }
    return DayRecord(
      habit: habit, date: date,
      fact: .done(
        try rows.id(2), amount: Amount(thousandths: rows.integer(4)), at: rows.instant(5),
        note: try rows.optionalText(6)))
  }
}
