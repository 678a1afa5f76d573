package import CarillonModel

extension ProjectionReader {
  /// Returns a habit's live entries on a date in ascending order of IDs.
  ///
  /// Several live recordings of one entry count as one entry, with the value of the greatest event
  /// ID.
  package func entries(of habit: HabitID, on date: CivilDate) throws -> [HabitEntry] {
    let rows = try prepareEntries()
    rows.bindAll(habit, date, date)
    var entries: [HabitEntry] = []
    while try rows.step() {
      let id: EntryID = try rows.id(0)
      let earlier = entries.last?.id == id ? entries.removeLast().recordings : []
      entries.append(
        HabitEntry(
          id: id, habit: habit, date: date, amount: Amount(thousandths: rows.integer(2)),
          recordings: earlier + [try rows.eventID(3)]))
    }
    return entries
  }

  /// Returns the person's mark of a date.
  package func mark(of habit: HabitID, on date: CivilDate) throws -> DayMark {
    let rows = try connection.query(
      "SELECT mark FROM day_mark WHERE habit = ?1 AND day = ?2", habit, date)
    return try rows.step() ? try rows.mark(0) : .clear
  }

  /// Returns the event that marked a date; nil if there is no mark or it was cleared.
  package func markEvent(of habit: HabitID, on date: CivilDate) throws -> EventID? {
    let rows = try connection.query(
      "SELECT event, mark FROM day_mark WHERE habit = ?1 AND day = ?2", habit, date)
    return try rows.step() && rows.mark(1) != .clear ? try rows.eventID(0) : nil
  }

  /// Returns the live recordings and the marks of a habit's dates that events since an instant
  /// wrote, the newest event first and then the last date.
  ///
  /// - Complexity: O(facts of the habit).
  package func newestRecords(
    of habit: HabitID, writtenSince instant: Instant
  ) throws -> [(date: CivilDate, event: EventID)] {
    let timestamp = Timestamp(milliseconds: max(0, instant.milliseconds))
    let rows = try connection.query(
      """
      SELECT day, event FROM entry
      WHERE habit = ?1 AND event >= ?2 AND \(Table.isLive)
      UNION ALL
      SELECT day, event FROM day_mark
      WHERE habit = ?1 AND event >= ?2 AND mark <> 'clear'
      ORDER BY event DESC, day DESC
      """, habit, EventID(words: (timestamp.rawValue, 0, 0, 0)))
    var records: [(date: CivilDate, event: EventID)] = []
    while try rows.step() { records.append((try rows.date(0), try rows.eventID(1))) }
    return records
  }

  /// Returns the note on a date; nil if there is none.
  package func note(of habit: HabitID, on date: CivilDate) throws -> String? {
    let rows = try connection.query(
      "SELECT text FROM note WHERE habit = ?1 AND day = ?2", habit, date)
    return try rows.step() ? try rows.optionalText(0) : nil
  }

  /// Returns the notes on the dates of a habit: for each date its own note, then those of its
  /// entries.
  package func notes(
    of habit: HabitID, in range: ClosedRange<CivilDate>
  ) throws -> [CivilDate: [String]] {
    let rows = try connection.query(
      """
      SELECT day, x'' AS entry, event, text FROM note
      WHERE habit = ?1 AND day BETWEEN ?2 AND ?3 AND text IS NOT NULL
      UNION ALL
      SELECT day, entry, max(event), note FROM entry
      WHERE habit = ?1 AND day BETWEEN ?2 AND ?3 AND \(Table.isLive)
      GROUP BY day, entry HAVING note <> ''
      ORDER BY day, entry
      """, habit, range.lowerBound, range.upperBound)
    var notes: [CivilDate: [String]] = [:]
    while try rows.step() { notes[try rows.date(0), default: []].append(try rows.text(3)) }
    return notes
  }

  /// Returns the facts of the dates in a range, or of all dates, also of habits that were not
  /// created.
  ///
  /// A date without facts is absent.
  package func days(
    range: ClosedRange<CivilDate>?
  ) throws -> [HabitID: [CivilDate: StoreState.Day]] {
    let range = range ?? Self.allDates
    return try days(
      in: Dictionary(uniqueKeysWithValues: try habitsWithDays().map { ($0, range) }))
  }

  /// Returns the facts of the dates in a range of each habit.
  ///
  /// A date without facts is absent.
  func days(
    in ranges: [HabitID: ClosedRange<CivilDate>]
  ) throws -> [HabitID: [CivilDate: StoreState.Day]] {
    let (entries, marks) = (try prepareEntries(), try prepareMarks())
    var days: [HabitID: [CivilDate: StoreState.Day]] = [:]
    for (habit, range) in ranges {
      let dates = try self.days(of: habit, range: range, entries, marks)
      if !dates.isEmpty { days[habit] = dates }
    }
    return days
  }

  /// Returns the facts of one habit's dates, in a range or of all dates.
  package func days(
    of habit: HabitID, range: ClosedRange<CivilDate>? = nil
  ) throws -> [CivilDate: StoreState.Day] {
    try days(of: habit, range: range ?? Self.allDates, prepareEntries(), prepareMarks())
  }

  /// Returns the first date of a habit that has facts; nil if none has.
  package func firstDay(of habit: HabitID) throws -> CivilDate? {
    let rows = try connection.query(
      """
      SELECT min(day) FROM (
        SELECT min(day) AS day FROM entry WHERE habit = ?1 AND \(Table.isLive)
        UNION ALL SELECT min(day) FROM day_mark WHERE habit = ?1)
      """, habit)
    return try rows.step() && !rows.isNull(0) ? try rows.date(0) : nil
  }

  // MARK: - Parts

  static let allDates = CivilDate(rawValue: .min)...CivilDate(rawValue: .max)

  /// Returns every habit with facts of a date, even if it was not created.
  ///
  /// Walks from key to key.
  private func habitsWithDays() throws -> [HabitID] {
    let rows = try connection.prepare(
      """
      WITH RECURSIVE
        entered (habit) AS (
          SELECT min(habit) FROM entry
          UNION ALL
          SELECT (SELECT min(habit) FROM entry WHERE entry.habit > entered.habit)
          FROM entered WHERE habit IS NOT NULL),
        marked (habit) AS (
          SELECT min(habit) FROM day_mark
          UNION ALL
          SELECT (SELECT min(habit) FROM day_mark WHERE day_mark.habit > marked.habit)
          FROM marked WHERE habit IS NOT NULL)
      SELECT habit FROM entered WHERE habit IS NOT NULL
      UNION SELECT habit FROM marked WHERE habit IS NOT NULL
      """)
    var habits: [HabitID] = []
    while try rows.step() { habits.append(try rows.id(0)) }
    return habits
  }

  private func prepareEntries() throws -> Statement {
    try connection.prepare(
      """
      SELECT entry, day, value, event FROM entry
      WHERE habit = ?1 AND day BETWEEN ?2 AND ?3 AND \(Table.isLive)
      ORDER BY habit, day, entry, event
      """)
  }

  private func prepareMarks() throws -> Statement {
    try connection.prepare(
      "SELECT day, mark FROM day_mark WHERE habit = ?1 AND day BETWEEN ?2 AND ?3")
  }

  /// Returns the facts of one habit's dates, with the statements for entries and marks.
  ///
  /// Several live recordings of one entry count as one entry, with the value of the greatest event
  /// ID.
  private func days(
    of habit: HabitID, range: ClosedRange<CivilDate>, _ entries: Statement, _ marks: Statement
  ) throws -> [CivilDate: StoreState.Day] {
    var dates: [CivilDate: StoreState.Day] = [:]
    entries.bindAll(habit, range.lowerBound, range.upperBound)
    var (date, day) = (CivilDate.zero, StoreState.Day())
    var last: (entry: EntryID, amount: Int64)?
    while try entries.step() {
      let next: (entry: EntryID, amount: Int64) = (try entries.id(0), entries.integer(2))
      let nextDate = try entries.date(1)
      if let last, nextDate != date || next.entry != last.entry { day.add(last.amount) }
      if nextDate != date {
        if last != nil { dates[date] = day }
        (date, day) = (nextDate, StoreState.Day())
      }
      last = next
    }
    if let last {
      day.add(last.amount)
      dates[date] = day
    }
    marks.bindAll(habit, range.lowerBound, range.upperBound)
    while try marks.step() {
      dates[try marks.date(0), default: StoreState.Day()].mark = try marks.mark(1)
    }
    return dates
  }
}

extension Statement {
  fileprivate func mark(_ index: Int) throws -> DayMark {
    guard let mark = DayMark(rawValue: try text(index)) else { throw Self.damagedValue }
    return mark
  }
}

extension StoreState.Day {
  /// Adds a live entry's amount, in thousandths.
  ///
  /// The sum saturates at the greatest number.
  fileprivate mutating func add(_ thousandths: Int64) {
    let (sum, isOver) = amount.thousandths.addingReportingOverflow(thousandths)
    amount = Amount(thousandths: isOver ? .max : sum)
    entryCount += 1
  }
}
