internal import CarillonModel

/// A row of a table whose key starts with a habit and a date, with all values already computed.
protocol DatedRow: Sendable {
  static var table: ProjectedTable { get }
  /// The position of the event that the row is derived from.
  var position: LogPosition { get }
  var habit: HabitID { get }
  var date: CivilDate { get }

  /// Binds the row's values to the parameters after the first `count` of a statement.
  func bind(to statement: Statement, after count: Int)
}

/// Rows of one table, visited in the order of their habits and dates.
struct DatedRows<Row: DatedRow>: Sendable {
  private var rows: [Row] = []
  /// The order in which to visit the rows.
  private var places: [Place] = []

  /// The place of a row, compared like two numbers in a row.
  private struct Place: Comparable {
    /// The beginning of the habit's ID.
    let habit: UInt64
    /// The date, then the row's index.
    let date: UInt64

    /// The index of the row.
    var index: Int { Int(UInt32(truncatingIfNeeded: date)) }

    static func < (left: Place, right: Place) -> Bool {
      (left.habit, left.date) < (right.habit, right.date)
    }
  }

  /// Reserves memory for a number of rows.
  mutating func reserveCapacity(_ count: Int) {
    rows.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// Adds a row.
  mutating func append(_ row: Row) {
    let date = UInt64(UInt32(bitPattern: row.date.rawValue ^ .min))
    places.append(Place(habit: row.habit.high, date: date << 32 | UInt64(rows.count)))
    rows.append(row)
  }

  /// Brings the rows into order.
  mutating func sort() {
    places.sort()
  }

  /// The places of the rows in their order.
  var indices: Range<Int> { places.indices }

  /// The row at a place.
  subscript(index: Int) -> Row { rows[places[index].index] }
}

/// A row of `entry`.
struct EntryRow: DatedRow {
  let position: LogPosition
  let event: EventID
  let habit: HabitID
  let date: CivilDate
  let entry: EntryID
  let value: Int64
  let at: Instant
  let note: String?

  init(_ recorded: EntryRecorded, _ event: RawEvent) {
    position = event.position
    self.event = event.id
    habit = recorded.habit
    date = recorded.date
    entry = recorded.entry(event.id)
    value = recorded.value
    at = recorded.at ?? event.instant
    note = recorded.note
  }

  static let table = ProjectedTable.entry

  func bind(to statement: Statement, after count: Int) {
    statement.bindAll(after: count, habit, date, entry, event, value, at, note)
  }
}

/// A row of `day_mark`.
struct MarkRow: DatedRow {
  let position: LogPosition
  let event: EventID
  let habit: HabitID
  let date: CivilDate
  let mark: DayMark

  /// Creates the row of the first date of an event.
  init(_ marked: DayMarked, _ event: RawEvent) {
    position = event.position
    self.event = event.id
    habit = marked.habit
    date = marked.first
    mark = marked.mark
  }

  static let table = ProjectedTable.dayMark

  func bind(to statement: Statement, after count: Int) {
    statement.bindAll(after: count, habit, date, event, mark.rawValue)
  }
}
