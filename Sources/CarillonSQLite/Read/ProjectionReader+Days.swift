package import CarillonModel

extension ProjectionReader {
  /// Returns a habit's live entries on a date in ascending order of IDs.
  ///
  /// Several live recordings of one entry count as one entry, with the value of the greatest event
  /// ID.
  package func entries(of habit: HabitID, on date: CivilDate) throws -> [HabitEntry] {
    let rows = try prepareEntries(of: .one)
    rows.bindAll(date, date, habit)
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

  /// Returns how many live entries a habit has on the dates of a range, and the first and the last
  /// of these dates; nil if there are none.
  package func entryCount(
    of habit: HabitID, in range: ClosedRange<CivilDate>
  ) throws -> (count: Int, dates: ClosedRange<CivilDate>)? {
    let rows = try connection.query(
      """
      SELECT count(*), min(day), max(day) FROM (
        SELECT DISTINCT day, entry FROM entry
        WHERE habit = ?1 AND day BETWEEN ?2 AND ?3 AND \(Table.isLive))
      """, habit, range.lowerBound, range.upperBound)
    guard try rows.step(), !rows.isNull(1) else { return nil }
    return (Int(rows.integer(0)), try rows.date(1)...rows.date(2))
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
  ) throws -> [HabitID: StoreState.Days] {
    let range = range ?? Self.allDates
    return try days(
      in: Dictionary(uniqueKeysWithValues: try habitsWithDays().map { ($0, range) }))
  }

  /// Returns the facts of the dates of all created habits: in a range, or in a longer range for
  /// some of them.
  ///
  /// A date without facts is absent.
  func days(
    range: ClosedRange<CivilDate>, longer: [HabitID: ClosedRange<CivilDate>]
  ) throws -> [HabitID: StoreState.Days] {
    // To start a statement costs more than to find the rows of a habit.
    let (entries, marks) = (try prepareEntries(of: .all), try prepareMarks(of: .all))
    entries.bindAll(range.lowerBound, range.upperBound)
    marks.bindAll(range.lowerBound, range.upperBound)
    var days: [HabitID: StoreState.Days] = [:]
    try add(entries, marks, to: &days)
    // Their dates in the shorter range are replaced.
    return days.merging(try self.days(in: longer)) { $1 }
  }

  /// Returns the facts of the dates in a range of each habit.
  ///
  /// A date without facts is absent.
  func days(
    in ranges: [HabitID: ClosedRange<CivilDate>]
  ) throws -> [HabitID: StoreState.Days] {
    var days: [HabitID: StoreState.Days] = [:]
    guard !ranges.isEmpty else { return days }
    let (entries, marks) = (try prepareEntries(of: .one), try prepareMarks(of: .one))
    for (habit, range) in ranges {
      entries.bindAll(range.lowerBound, range.upperBound, habit)
      marks.bindAll(range.lowerBound, range.upperBound, habit)
      try add(entries, marks, to: &days)
    }
    return days
  }

  /// Returns the facts of one habit's dates, in a range or of all dates.
  ///
  /// - Complexity: O(facts in the range). Of all dates, the older ones take a few bytes each if
  ///   their sums are kept.
  package func days(
    of habit: HabitID, range: ClosedRange<CivilDate>? = nil
  ) throws -> StoreState.Days {
    if let range { return try days(in: [habit: range])[habit] ?? [:] }
    var kept = try keptDays(of: habit)
    let all = Self.allDates
    let (entries, marks) = (try prepareEntries(of: .one), try prepareMarks(of: .one))
    entries.bindAll(kept?.through.adding(days: 1) ?? all.lowerBound, all.upperBound, habit)
    marks.bindAll(all.lowerBound, all.upperBound, habit)
    var found: [HabitID: StoreState.Days] = [:]
    let recordingCount = try add(entries, marks, to: &found)
    let days = found[habit] ?? [:]
    if recordingCount > KeptDays.recordingCount,
      days.count(where: { $0.day.entryCount > 0 }) > 2 * KeptDays.recentCount
    {
      habitsToKeep?.habits.append(habit)
    }
    // Of a date with a sum, only the mark was read.
    kept?.days.merge(marksOf: days)
    return kept?.days ?? days
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

  /// The habits whose dates a statement reads.
  private enum HabitScope {
    /// All created habits.
    case all
    /// The habit of the third parameter.
    case one

    /// Returns the tables and the condition of a query on the dates between two parameters.
    func rows(of table: Table) -> String {
      switch self {
      case .all:
        "(SELECT habit FROM habit) CROSS JOIN \(table.name) USING (habit) "
          + "WHERE day BETWEEN ?1 AND ?2"
      case .one: "\(table.name) WHERE habit = ?3 AND day BETWEEN ?1 AND ?2"
      }
    }
  }

  private func prepareEntries(of scope: HabitScope) throws -> Statement {
    try connection.prepare(
      """
      SELECT entry, day, value, event, habit FROM \(scope.rows(of: .entry)) AND \(Table.isLive)
      ORDER BY habit, day, entry, event
      """)
  }

  private func prepareMarks(of scope: HabitScope) throws -> Statement {
    try connection.prepare("SELECT habit, day, mark FROM \(scope.rows(of: .dayMark))")
  }

  /// Adds the facts of dates from rows of entries and of marks, ordered by habit and date.
  ///
  /// Several live recordings of one entry count as one entry, with the value of the greatest event
  /// ID.
  ///
  /// - Returns: The number of rows of entries.
  @discardableResult
  private func add(
    _ entries: Statement, _ marks: Statement, to days: inout [HabitID: StoreState.Days]
  ) throws -> Int {
    var count = 0
    var (habit, dates) = (HabitID.zero, StoreState.Days())
    var (date, day) = (CivilDate.zero, StoreState.Day())
    var last: (entry: EntryID, amount: Int64)?
    func addDay() {
      guard let last else { return }
      day.add(last.amount)
      dates[date] = day
    }
    while try entries.step() {
      count += 1
      let next: (habit: HabitID, date: CivilDate) = (try entries.id(4), try entries.date(1))
      let entry: EntryID = try entries.id(0)
      if next != (habit, date) {
        addDay()
        (last, day) = (nil, StoreState.Day())
        if next.habit != habit, !dates.isEmpty {
          days[habit] = dates
          dates = StoreState.Days()
        }
        (habit, date) = next
      }
      if let last, last.entry != entry { day.add(last.amount) }
      last = (entry, entries.integer(2))
    }
    addDay()
    if !dates.isEmpty { days[habit] = dates }
    var marked: [HabitID: StoreState.Days] = [:]
    while try marks.step() {
      marked[try marks.id(0), default: StoreState.Days()][try marks.date(1)] =
        StoreState.Day(mark: try marks.mark(2))
    }
    for (habit, dates) in marked { days[habit, default: StoreState.Days()].merge(marksOf: dates) }
    return count
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
