package import Carillon
package import CarillonModel

/// An entry with its habit.
package struct FoundEntry: Sendable {
  package let habit: Habit
  package let id: EntryID
  package let date: CivilDate
  package let amount: Amount
  package let at: Instant
  package let note: String?

  /// Creates an entry from its parts.
  package init(
    habit: Habit, id: EntryID, date: CivilDate, amount: Amount, at: Instant, note: String?
  ) {
    (self.habit, self.id, self.date) = (habit, id, date)
    (self.amount, self.at, self.note) = (amount, at, note)
  }

  /// Creates the entry of a record, or returns nil if the record is a mark or a note.
  package init?(_ record: DayRecord, of habit: Habit) {
    guard case .done(let id, let amount, let at, let note) = record.fact else { return nil }
    self.init(habit: habit, id: id, date: record.date, amount: amount, at: at, note: note)
  }

  /// When it was done; nil if another app recorded its date only.
  package var time: Instant? { source == nil ? at : nil }

  /// The app that recorded its date without a time of day, or nil.
  package var source: String? { ImportedTime.source(of: id, of: habit.id, on: date, at: at) }

  /// The amount with the habit's unit.
  package var amountText: String { "\(amount)\(habit.unit.map { " \($0)" } ?? "")" }

  /// `Water 2 glasses on Mon 23 Nov, 07:12`.
  package func text(_ time: LocalTime) -> String {
    "\(habit.title) \(amountText) on \(time.text(date))"
      + (self.time.map { ", done \(time.text($0))" } ?? "")
  }

  /// `{entry,date,amount,at,note}`.
  package func json(_ time: LocalTime) -> JSON {
    [
      "entry": .text(id.description), "date": .text(date.description),
      "amount": .integer(amount.thousandths), "at": .text(self.time.map(time.rfc3339)),
      "note": .text(note),
    ]
  }
}

extension Store {
  /// Returns the entries of a habit in a range of dates, by date and time.
  package func entries(of habit: Habit, in range: ClosedRange<CivilDate>) async throws
    -> [FoundEntry]
  {
    var found: [FoundEntry] = []
    // Sorts before all records of its date.
    let before = DayRecord(habit: habit.id, date: range.lowerBound, fact: .marked(.clear))
    try await forEachRecord(after: before, inPagesOf: 100) { record in
      guard record.habit == habit.id, record.date <= range.upperBound else { return false }
      if let entry = FoundEntry(record, of: habit) { found.append(entry) }
      return true
    }
    return found.sorted { ($0.date, $0.at, $0.id) < ($1.date, $1.at, $1.id) }
  }

  /// Returns the last entries of a habit in a range of dates, by date and time.
  package func lastEntries(
    _ count: Int, of habit: Habit, in range: ClosedRange<CivilDate>
  ) async throws -> [FoundEntry] {
    // They are usually recent.
    let weeks = max(range.lowerBound, range.upperBound.adding(days: -13))...range.upperBound
    let recent = try await entries(of: habit, in: weeks)
    let found = recent.count < count ? try await entries(of: habit, in: range) : recent
    return found.suffix(count)
  }

  /// Calls a function with each record after another, by habit and date, until it returns false.
  package func forEachRecord(
    after last: DayRecord?, inPagesOf limit: Int = 1_000, _ body: (DayRecord) -> Bool
  ) async throws {
    var last = last
    while true {
      let records = try await records(after: last, limit: limit)
      guard records.allSatisfy(body), let end = records.last else { return }
      last = end
      try Task.checkCancellation()
    }
  }
}
