package import Carillon
import CarillonModel

/// The entries, marks and notes of all dates, one per line, ordered by habit and date.
package struct EntryTable {
  private let time: LocalTime

  private static let titles = [
    "date", "title", "state", "value", "unit", "at", "note", "habit", "entry",
  ]

  /// Creates the table, with times in a zone.
  package init(time: LocalTime) {
    self.time = time
  }

  /// Calls a function with one line after the other.
  package func write(
    _ store: Store, _ append: (String) async throws -> Void
  ) async throws {
    let habits = try await store.habits(includingArchived: true, includingDeleted: true)
    let known = Dictionary(uniqueKeysWithValues: habits.map { ($0.id, $0) })
    try await append(CSVLine(titles: Self.titles).rendered)
    var last: DayRecord?
    while true {
      let records = try await store.records(after: last)
      guard let end = records.last else { break }
      for record in records {
        try await append(line(record, known[record.habit]).rendered)
      }
      last = end
      try Task.checkCancellation()
    }
  }

  /// Returns the line of a record; without a title if its habit is not known yet.
  private func line(_ record: DayRecord, _ habit: Habit?) -> CSVLine {
    var line = CSVLine()
    line.add(record.date.description)
    line.add(text: habit?.title)
    switch record.fact {
    case .done(let entry, let amount, let at, let note):
      line.add("done")
      line.add(amount.description)
      line.add(text: habit?.unit)
      let done = ImportedTime.done(entry, of: record.habit, on: record.date, at: at)
      line.add(done.map(time.rfc3339) ?? "")
      line.add(text: note)
      line.add(record.habit.description)
      line.add(entry.description)
    case .noted(let text):
      line.add("note")
      for _ in 0..<3 { line.add("") }
      line.add(text: text)
      line.add(record.habit.description)
      line.add("")
    case .marked(let mark):
      line.add(mark.rawValue)
      for _ in 0..<4 { line.add("") }
      line.add(record.habit.description)
      line.add("")
    }
    return line
  }
}
