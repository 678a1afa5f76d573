import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonSQLite

/// The kept sums of older dates answer like the entries that they were added up from.
struct KeptDaysTests {
  private static let habit = HabitID(high: 2, low: 1)
  private static let first = CivilDate(rawValue: 20_000)
  private static let dateCount = 600

  /// A habit that was done twice on each of some dates.
  private static func history() throws -> History {
    var history = History()
    try history.add(.habitCreated(HabitFields(creating: Habit(id: habit, title: "Walk"))))
    for index in 0..<dateCount {
      for value in [1_000, 300_000] as [Int64] {
        try history.add(entry(on: index, value))
      }
    }
    return history
  }

  /// Returns a new entry on the date with an index.
  private static func entry(on index: Int, _ value: Int64 = 1_000) -> Payload {
    .entryRecorded(
      EntryRecorded(
        habit: habit, date: first.adding(days: index), kind: .amount, value: value))
  }

  /// Returns the withdrawal of the first entry on the date with an index.
  private static func withdrawal(on index: Int, of history: History) -> Payload {
    let event = history.events[1 + 2 * index].id
    let recorded = EntryRecorded(habit: habit, date: first.adding(days: index), kind: .amount)
    return .entryVoided(
      EntryVoided(
        items: [
          .init(
            entry: recorded.kind.entryID(habit: habit, date: recorded.date, event: event),
            recordings: [event])
        ]))
  }

  /// Reads all dates, and compares them with their entries and with an independent fold.
  ///
  /// - Returns: The number of habits with kept sums before this query.
  private func compare(_ projections: SQLiteProjections, _ history: History) async throws -> Int64?
  {
    let (kept, days, entries) = try await projections.read { reader in
      (
        try reader.connection.integer("SELECT count(*) FROM kept_days"),
        try reader.days(of: Self.habit),
        try reader.days(of: Self.habit, range: ProjectionReader.allDates)
      )
    }
    #expect(days == entries)
    #expect(entries == ReferenceFold(history.events).state().days[Self.habit] ?? [:])
    return kept
  }

  @Test("The first query of all dates of a habit keeps the sums of the older ones")
  func kept() async throws {
    let history = try Self.history()
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      #expect(try await compare(projections, history) == 0)
      #expect(try await compare(projections, history) == 1)
      let through = try await projections.read { try $0.keptDays(of: Self.habit)?.through }
      #expect(through == Self.first.adding(days: Self.dateCount - 1 - KeptDays.recentCount))
      await projections.close()
    }
  }

  @Test("Sums are kept if many dates have entries, and not for many marks or entries of few dates")
  func marked() async throws {
    var history = History()
    try history.add(.habitCreated(HabitFields(creating: Habit(id: Self.habit, title: "Walk"))))
    for _ in 0...KeptDays.recordingCount / 40 {
      for index in 0..<40 { try history.add(Self.entry(on: index)) }
    }
    let date = Self.first.adding(days: 100)
    try history.add(
      .dayMarked(
        DayMarked(habit: Self.habit, first: date, last: date.adding(days: 99), mark: .skip)))
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      #expect(try await compare(projections, history) == 0)
      #expect(try await compare(projections, history) == 0)
      await projections.close()
    }
  }

  /// A change after sums were kept, and the number of habits whose sums stay.
  private static let changes:
    [(name: String, payload: @Sendable (History) -> Payload, left: Int64)] = [
      ("an entry of an old date", { _ in entry(on: 10) }, 0),
      ("an entry of a date before all others", { _ in entry(on: -1) }, 0),
      ("an entry of the last date", { _ in entry(on: dateCount - 1) }, 1),
      ("the withdrawal of an old entry", { withdrawal(on: 10, of: $0) }, 0),
      ("the withdrawal of a recent entry", { withdrawal(on: dateCount - 1, of: $0) }, 1),
      (
        "a mark of an old date",
        { _ in
          let date = first.adding(days: 10)
          return .dayMarked(DayMarked(habit: habit, first: date, last: date, mark: .skip))
        }, 1
      ),
      ("the habit's erasure", { _ in .dataErased(Erasure(.habit(habit))) }, 0),
    ]

  @Test(
    "A change of an older date removes the sums, and any other change leaves them",
    arguments: changes.indices)
  func changed(index: Int) async throws {
    let change = Self.changes[index]
    var history = try Self.history()
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      _ = try await compare(projections, history)
      try history.add(change.payload(history))
      fixture.log.arrive(history.events.suffix(1))
      #expect(try await compare(projections, history) == change.left, "\(change.name)")
      _ = try await compare(projections, history)
      await projections.close()
    }
  }

  @Test("A full check reports sums that differ from the entries, and a rebuild repairs them")
  func checked() async throws {
    let history = try Self.history()
    try await Fixture.run(history.events) { fixture in
      let projections = try await fixture.open()
      _ = try await compare(projections, history)
      let check = {
        try await projections.checkFully({ _, _ in }) { _, _ in throw CancellationError() }.counts
      }
      #expect(try await check().isEmpty)
      try fixture.change(1, "UPDATE kept_days SET days = x''")
      #expect(try await check() == ["kept_days": 1])
      _ = try await projections.rebuild()
      #expect(try await check().isEmpty)
      await projections.close()
    }
  }

  @Test("Sums have the same bytes in every process, and are what their bytes say")
  func bytes() throws {
    var days = StoreState.Days()
    for date in [.min, -1, 0, 20_000, .max] as [Int32] {
      days[CivilDate(rawValue: date)] = StoreState.Day(
        amount: Amount(thousandths: Int64(date) << 20), entryCount: 200)
    }
    let sums = KeptDays(of: days, through: CivilDate(rawValue: .max))
    let bytes = sums.bytes
    try bytes.withUnsafeBytes { (written: UnsafeRawBufferPointer) in
      let read = try KeptDays(through: sums.through, bytes: written)
      #expect(read == sums)
      for count in [1, 3, written.count - 1] {
        let cut = UnsafeRawBufferPointer(rebasing: written[..<count])
        #expect(throws: (any Error).self) { try KeptDays(through: sums.through, bytes: cut) }
      }
    }
    #expect(bytes == KeptDays(of: days, through: sums.through).bytes)
  }
}
