public import CarillonModel
import CarillonSQLite
import Foundation

extension Store {
  /// All habits: by position, then title, then id; archived and deleted ones where asked for.
  public func habits(
    includingArchived: Bool = false, includingDeleted: Bool = false
  ) async throws -> [Habit] {
    try await read { context in
      try context.reader.habits()
        .filter {
          (includingArchived || !$0.isArchived) && (includingDeleted || !$0.isDeleted)
        }
        .sorted(by: Habit.listOrder)
    }
  }

  /// Whether a habit was erased.
  public func isErased(_ id: HabitID) async throws -> Bool {
    try await read { try $0.reader.isErased(id) }
  }

  /// The entries of a habit that live on a date.
  public func entries(of id: HabitID, on day: Day = .today) async throws -> [Entry] {
    try await read { try $0.reader.entries(of: id, on: $0.date(day)) }
  }

  /// The next things that are said of dates, by habit, date, the date's mark, its note, then its
  /// entries; of archived and deleted habits too.
  ///
  /// Taken in parts, so that memory stays flat; each part is of the newest state.
  ///
  /// - Parameters:
  ///   - last: The one behind which to go on; nil is the beginning.
  ///   - limit: How many at most.
  /// - Complexity: O(limit), whatever the place.
  public func records(after last: DayRecord? = nil, limit: Int = 1_000) async throws -> [DayRecord]
  {
    try await read { try $0.reader.records(after: last, limit: limit) }
  }

  /// The notes on the dates of a habit, first that of the date, then those of its entries; a date
  /// without one is absent.
  ///
  /// - Complexity: O(dates of the range).
  public func notes(
    of id: HabitID, in range: ClosedRange<CivilDate>
  ) async throws -> [CivilDate: [String]] {
    try await read { try $0.reader.notes(of: id, in: range) }
  }

  /// Everything that the events come to, with the dates of a range.
  public func state(range: ClosedRange<CivilDate>? = nil) async throws -> State {
    try await read { try $0.reader.state(range: range) }
  }

  /// The logical date of the store's clock, in the device's zone and by the store's day start.
  public func today() async throws -> CivilDate {
    try await read { $0.today }
  }

  /// Reads a snapshot that holds all that was written before the call.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Context) throws -> Result
  ) async throws -> Result {
    try await translatingErrors {
      try await self.projections.read { try body(self.context($0)) }
    }
  }
}

extension Habit {
  /// By position, then title, then id.
  static func listOrder(_ left: Habit, _ right: Habit) -> Bool {
    (left.position ?? .max, left.title, left.id) < (right.position ?? .max, right.title, right.id)
  }
}
