package import Carillon
package import CarillonModel

extension FoundEntry {
  /// Returns the entry with other values; nil leaves a value unchanged.
  ///
  /// An entry that another app recorded without a time of day gets one only if one is given.
  ///
  /// - Parameter note: The new note; an empty text removes it.
  package func changed(
    date: CivilDate? = nil, amount: Amount? = nil, at: Instant? = nil, note: String? = nil
  ) -> FoundEntry {
    let date = date ?? self.date
    let source = at == nil ? source : nil
    return FoundEntry(
      habit: habit, id: source.map { .imported(from: $0, habit: habit.id, date: date) } ?? id,
      date: date, amount: amount ?? self.amount,
      at: at ?? source.map { _ in ImportedTime.ofDate(date) } ?? self.at,
      note: note.map { $0.isEmpty ? nil : $0 } ?? self.note)
  }
}

extension Store {
  /// Records a changed entry in the place of an entry.
  package func replace(
    _ entry: FoundEntry, with changed: FoundEntry
  ) async throws(StoreError) -> Written {
    try await replaceEntry(
      entry.id, of: entry.habit.id, on: entry.date,
      with: (
        date: changed.date, amount: changed.amount, at: changed.at, note: changed.note,
        source: changed.source
      ))
  }

  /// Whether a date has another entry that the same app recorded without a time; the two would be
  /// one.
  package func isTaken(
    _ date: CivilDate, for entry: FoundEntry, from source: String
  ) async throws -> Bool {
    let id = EntryID.imported(from: source, habit: entry.habit.id, date: date)
    guard id != entry.id else { return false }
    return try await entries(of: entry.habit, in: date...date).contains { $0.id == id }
  }
}
