package import Carillon
package import CarillonModel

/// The entries of a habit in a range of dates, newest first.
package struct EntriesDocument: Sendable {
  package let entries: [FoundEntry]
  private let time: LocalTime

  /// Reads the entries from a store.
  package init(
    _ store: Store, _ habit: Habit, in dates: ClosedRange<CivilDate>, _ time: LocalTime
  ) async throws {
    entries = try await store.entries(of: habit, in: dates).reversed()
    self.time = time
  }

  /// `{entries[{entry,date,amount,at,note}]}`.
  package var json: JSON { ["entries": .array(entries) { $0.json(time) }] }
}
