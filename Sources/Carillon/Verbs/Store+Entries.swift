public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// Records that a habit was done on a date.
  ///
  /// Without an amount, a habit that is only done gets the date's one mark, however often it is
  /// recorded; a counted one, and any amount, adds an entry of its own each time.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - day: The date. By default that of the occurrence that fired last, on whichever device,
  ///     where that was within 24 hours and its date is not done; else, and for a counted habit and
  ///     an amount, today: in the zone of the habit's schedules where all have one.
  ///   - amount: In thousandths, positive; 1000 by default.
  /// - Returns: What was written, and for which date; nothing where that was done already.
  /// - Throws: `notFound`, `invalidValue`.
  @discardableResult
  public func markDone(
    _ id: HabitID, on day: Day = .due, amount: Int64? = nil
  ) async throws -> Written {
    if let amount, amount <= 0 {
      throw StoreError(
        code: .invalidValue, message: "amount: \(amount) is not positive",
        hint: "to take entries back, undo the date")
    }
    return try await write { context in
      let habit = try context.habit(id)
      let adds = amount != nil || habit.kind == .count
      let kind: EntryKind = adds ? .amount : .mark
      let date =
        switch day {
        case .due:
          adds ? self.today(of: habit, context) : try self.dateDone(habit, context)
        case .today, .date: try context.date(day)
        }
      if !adds {
        let entries = try context.reader.entries(of: id, on: date)
        if !entries.isEmpty { return Decision(payloads: [], date: date) }
      }
      let entry = EntryRecorded(habit: id, date: date, kind: kind, value: amount ?? 1000)
      return Decision(payloads: [.entryRecorded(entry)], date: date)
    }
  }

  /// Takes back a date's live entries and its mark.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - day: The date. By default the one for which something was recorded last today: today, in
  ///     the zone of the habit's schedules where all have one, or that of an occurrence that fired
  ///     lately.
  /// - Returns: What was written, and of which date.
  @discardableResult
  public func undo(_ id: HabitID, on day: Day = .due) async throws -> Written {
    try await write { context in
      let habit = try context.habit(id)
      let date = day == .due ? try self.dateUndone(habit, context) : try context.date(day)
      let entries = try context.reader.entries(of: id, on: date)
      var payloads = entries.voids.map(Payload.entryVoided)
      if try context.reader.mark(of: id, on: date) != .clear {
        payloads.append(
          .dayMarked(DayMarked(habit: id, first: date, last: date, mark: .clear)))
      }
      return Decision(payloads: payloads, needsState: true, date: date)
    }
  }

  /// Marks a date as not due, which brings no reminder and breaks no streak.
  ///
  /// A date that is done stays done.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - day: The date; today by default, in the zone of the habit's schedules where all have one.
  /// - Returns: What was written, and of which date.
  @discardableResult
  public func skip(_ id: HabitID, on day: Day = .due) async throws -> Written {
    try await write { context in
      let habit = try context.habit(id)
      let date = day == .due ? self.today(of: habit, context) : try context.date(day)
      guard try context.reader.mark(of: id, on: date) != .skip else {
        return Decision(payloads: [], date: date)
      }
      return Decision(
        payloads: [.dayMarked(DayMarked(habit: id, first: date, last: date, mark: .skip))],
        needsState: true, date: date)
    }
  }

  /// Sets the note on a date, which is not the same as doing the habit.
  ///
  /// - Parameters:
  ///   - text: 1 to 2,000 bytes; nil removes the note.
  ///   - id: The habit.
  ///   - day: The date; today by default, in the zone of the habit's schedules where all have one.
  /// - Returns: What was written, and of which date; nothing where the note says that already.
  /// - Throws: `notFound`, `invalidValue`.
  @discardableResult
  public func setNote(
    _ text: String?, of id: HabitID, on day: Day = .due
  ) async throws -> Written {
    try await write { context in
      let habit = try context.habit(id)
      let date = day == .due ? self.today(of: habit, context) : try context.date(day)
      guard try context.reader.note(of: id, on: date) != text else {
        return Decision(payloads: [], date: date)
      }
      return Decision(
        payloads: [.noteRecorded(NoteRecorded(habit: id, date: date, text: text))], date: date)
    }
  }

  /// Records that somebody used the app today; once per replica and logical day.
  @discardableResult
  public func recordActivity() async throws -> Written {
    try await write { _ in Decision(payloads: []) }
  }
}

extension [Entry] {
  /// The events that void these entries, each within its limits of 100.
  fileprivate var voids: [EntryVoided] {
    let items: [EntryVoided.Item] = flatMap { entry in
      stride(from: 0, to: entry.recordings.count, by: 100).map {
        EntryVoided.Item(
          entry: entry.id,
          recordings: [EventID](entry.recordings[$0..<Swift.min($0 + 100, entry.recordings.count)]))
      }
    }
    return items.batchesWithin(100)
  }
}

extension [EntryVoided.Item] {
  /// Groups of at most 100 items and 300 recordings, so that a payload stays within its bytes.
  fileprivate func batchesWithin(_ most: Int) -> [EntryVoided] {
    var batches: [EntryVoided] = []
    var recordings = 0
    for item in self {
      recordings += item.recordings.count
      if let last = batches.last, last.items.count < most, recordings <= 300 {
        batches[batches.count - 1].items.append(item)
      } else {
        batches.append(EntryVoided(items: [item]))
        recordings = item.recordings.count
      }
    }
    return batches
  }
}
