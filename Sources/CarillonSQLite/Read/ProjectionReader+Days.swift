package import CarillonModel

extension ProjectionReader {
  /// Returns a habit's live entries on a date in ascending order of IDs.
  package func entries(of habit: HabitID, on date: CivilDate) throws -> [HabitEntry] {
    var entries: [HabitEntry] = []
    try visitEntries(prepareEntries(), habit, date...date) { entries.append($0) }
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
      WHERE habit = ?1 AND event >= ?2 AND NOT EXISTS (
        SELECT 1 FROM entry_void
        WHERE entry_void.entry = entry.entry AND entry_void.event = entry.event)
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
      WHERE habit = ?1 AND day BETWEEN ?2 AND ?3 AND NOT EXISTS (
        SELECT 1 FROM entry_void
        WHERE entry_void.entry = entry.entry AND entry_void.event = entry.event)
      GROUP BY day, entry HAVING note <> ''
      ORDER BY day, entry
      """, habit, range.lowerBound, range.upperBound)
    var notes: [CivilDate: [String]] = [:]
    while try rows.step() { notes[try rows.date(0), default: []].append(try rows.text(3)) }
    return notes
  }

  /// Returns the facts of the dates in a range, or of all dates.
  ///
  /// A date without facts is absent.
  ///
  /// - Parameter ranges: The ranges of the habits that have a different one.
  package func days(
    range: ClosedRange<CivilDate>?, of ranges: [HabitID: ClosedRange<CivilDate>] = [:]
  ) throws -> [HabitID: [CivilDate: StoreState.Day]] {
    var days: [HabitID: [CivilDate: StoreState.Day]] = [:]
    for habit in try habitsWithDays() {
      let dates = try self.days(of: habit, range: ranges[habit] ?? range)
      if !dates.isEmpty { days[habit] = dates }
    }
    return days
  }

  /// Returns the facts of one habit's dates, in a range or of all dates.
  package func days(
    of habit: HabitID, range: ClosedRange<CivilDate>? = nil
  ) throws -> [CivilDate: StoreState.Day] {
    let range = range ?? CivilDate(rawValue: .min)...CivilDate(rawValue: .max)
    var dates: [CivilDate: StoreState.Day] = [:]
    try visitEntries(prepareEntries(), habit, range) {
      dates[$0.date, default: StoreState.Day()].add($0)
    }
    try visitMarks(prepareMarks(), habit, range) { dates[$0, default: StoreState.Day()].mark = $1 }
    return dates
  }

  // MARK: - Parts

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
      WHERE habit = ?1 AND day BETWEEN ?2 AND ?3 AND NOT EXISTS (
        SELECT 1 FROM entry_void
        WHERE entry_void.entry = entry.entry AND entry_void.event = entry.event)
      ORDER BY habit, day, entry, event
      """)
  }

  private func prepareMarks() throws -> Statement {
    try connection.prepare(
      "SELECT day, mark FROM day_mark WHERE habit = ?1 AND day BETWEEN ?2 AND ?3")
  }

  /// Calls `body` for each live entry, in the order of dates and entries.
  ///
  /// Several live recordings of one entry count as one entry, with the value of the greatest event
  /// ID.
  private func visitEntries(
    _ rows: Statement, _ habit: HabitID, _ range: ClosedRange<CivilDate>,
    _ body: (HabitEntry) -> Void
  ) throws {
    rows.bind(1, habit)
    rows.bind(2, range.lowerBound)
    rows.bind(3, range.upperBound)
    var last: HabitEntry?
    while try rows.step() {
      let next = HabitEntry(
        id: try rows.id(0), habit: habit, date: try rows.date(1),
        amount: Amount(thousandths: rows.integer(2)), recordings: [try rows.eventID(3)])
      if let known = last, known.id == next.id, known.date == next.date {
        last = HabitEntry(
          id: next.id, habit: habit, date: next.date, amount: next.amount,
          recordings: known.recordings + next.recordings)
      } else {
        if let last { body(last) }
        last = next
      }
    }
    if let last { body(last) }
  }

  private func visitMarks(
    _ rows: Statement, _ habit: HabitID, _ range: ClosedRange<CivilDate>,
    _ body: (CivilDate, DayMark) -> Void
  ) throws {
    rows.bind(1, habit)
    rows.bind(2, range.lowerBound)
    rows.bind(3, range.upperBound)
    while try rows.step() { body(try rows.date(0), try rows.mark(1)) }
  }
}

extension Statement {
  fileprivate func mark(_ index: Int) throws -> DayMark {
    guard let mark = DayMark(rawValue: try text(index)) else { throw Self.damagedValue }
    return mark
  }
}

extension StoreState.Day {
  /// Adds a live entry.
  ///
  /// The amount saturates at the greatest number.
  fileprivate mutating func add(_ entry: HabitEntry) {
    let (sum, isOver) = amount.thousandths.addingReportingOverflow(entry.amount.thousandths)
    amount = Amount(thousandths: isOver ? .max : sum)
    entryCount += 1
  }
}
