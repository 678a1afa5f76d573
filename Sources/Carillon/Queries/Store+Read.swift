public import CarillonModel
import CarillonSQLite
import Foundation

extension Store {
  /// Returns all habits, ordered by position, then title, then ID.
  ///
  /// Archived and deleted habits are included on request.
  public func habits(
    includingArchived: Bool = false, includingDeleted: Bool = false
  ) async throws(StoreError) -> [Habit] {
    try await query {
      try $0.habits(includingArchived: includingArchived, includingDeleted: includingDeleted)
    }
  }

  /// Returns the habit with an ID and the habits with a title, including archived and deleted ones.
  ///
  /// - Complexity: O(log habits).
  package func habits(_ id: HabitID?, titled title: String) async throws -> [Habit] {
    try await read { context in
      let own = try id.flatMap(context.reader.habit).map { [$0] } ?? []
      return try own + context.reader.habits(titled: title).filter { $0.id != id }
    }
  }

  /// Returns a habit, which may be archived or deleted.
  ///
  /// - Throws: `notFound`.
  /// - Complexity: O(log habits).
  package func habit(_ id: HabitID) async throws(StoreError) -> Habit {
    try await read { try $0.habit(id) }
  }

  /// Whether a habit was erased.
  package func isErased(_ id: HabitID) async throws -> Bool {
    try await read { try $0.reader.isErased(id) }
  }

  /// Returns the entries of a habit on a date.
  ///
  /// Voided entries are not included.
  public func entries(of id: HabitID, on day: HabitDate = .today) async throws(StoreError)
    -> [HabitEntry]
  {
    try await query { try $0.entries(of: id, on: day) }
  }

  /// Returns how many entries a habit has on the dates of a range, and the first and the last of
  /// these dates; nil if there are none.
  ///
  /// - Complexity: O(entries in the range), in constant memory.
  package func entryCount(
    of id: HabitID, in range: ClosedRange<CivilDate>
  ) async throws(StoreError) -> (count: Int, dates: ClosedRange<CivilDate>)? {
    try await read { try $0.reader.entryCount(of: id, in: range) }
  }

  /// Returns the next records of dates, ordered by habit and date; within a date its mark, its
  /// note, then its entries.
  ///
  /// Records of archived and deleted habits are included.
  ///
  /// Reading in pages keeps memory flat; each page reads the newest state.
  ///
  /// - Parameters:
  ///   - last: The record after which to continue; nil starts at the beginning.
  ///   - limit: The maximum number of records.
  /// - Complexity: O(limit), regardless of the place.
  package func records(after last: DayRecord? = nil, limit: Int = 1_000) async throws -> [DayRecord]
  {
    try await read { try $0.reader.records(after: last, limit: limit) }
  }

  /// Returns the notes on a habit's dates: for each date the date's own note, then those of its
  /// entries.
  ///
  /// Dates without a note are absent.
  ///
  /// - Complexity: O(dates of the range).
  public func notes(
    of id: HabitID, in range: ClosedRange<CivilDate>
  ) async throws(StoreError) -> [CivilDate: [String]] {
    try await query { try $0.notes(of: id, in: range) }
  }

  /// Returns the note that each of some habits has on a date; not those of its entries.
  ///
  /// - Complexity: O(habits).
  package func notes(
    of habits: [HabitID], on date: CivilDate
  ) async throws(StoreError) -> [HabitID: String] {
    try await read { context in
      try habits.reduce(into: [:]) { $0[$1] = try context.reader.note(of: $1, on: date) }
    }
  }

  /// Returns what is recorded for a date of a habit.
  package func day(
    _ date: CivilDate, of id: HabitID
  ) async throws(StoreError) -> StoreState.Day {
    try await read { try $0.reader.days(of: id, range: date...date)[date] ?? StoreState.Day() }
  }

  /// Returns the merged state, limited to the dates of a range.
  package func state(range: ClosedRange<CivilDate>? = nil) async throws -> StoreState {
    try await query { try $0.state(range: range) }
  }

  /// Returns the current logical date, in the device's zone and by the store's day start.
  public func today() async throws(StoreError) -> CivilDate {
    try await query { $0.today }
  }

  /// Reads a snapshot that contains everything written before the call.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Context) throws -> Result
  ) async throws(StoreError) -> Result {
    try await StoreError.translating {
      try await self.projections.read { try body(self.context($0)) }
    }
  }

  /// Reads as ``read(_:)`` does, unless the task is cancelled before its turn.
  ///
  /// - Parameter body: Also receives a check that throws once the task is cancelled, to be called
  ///   between the parts of the work.
  /// - Throws: `cancelled`.
  func longRead<Result: Sendable>(
    _ body: @escaping @Sendable (Context, _ check: () throws -> Void) throws -> Result
  ) async throws(StoreError) -> Result {
    try await StoreError.translating {
      try await withCancellationCheck { check in
        try await self.projections.read { reader in
          try check()
          return try body(self.context(reader), check)
        }
      }
    }
  }
}

extension [Habit] {
  /// Returns the habits that are in use, and on request the archived and deleted ones, in the order
  /// of lists.
  func listed(includingArchived: Bool, includingDeleted: Bool) -> [Habit] {
    filter { (includingArchived || !$0.isArchived) && (includingDeleted || !$0.isDeleted) }
      .inListOrder()
  }

  /// Returns the habits by position, then title, then ID.
  ///
  /// Sorts their indices, because a habit takes longer to move than to compare.
  func inListOrder() -> [Habit] {
    let keys = map { ($0.position ?? .max, $0.title, $0.id) }
    return indices.sorted { keys[$0] < keys[$1] }.map { self[$0] }
  }
}
