public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// Records that a habit was done on a date.
  ///
  /// Without an amount, a habit that is not counted gets a single mark for the date, no matter how
  /// often it is recorded; a later time or note replaces that of the mark. A counted habit, one
  /// with a reminder some time after it was done, or any call with an amount, adds a new entry each
  /// time.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - day: The date. The default is the due date of the occurrence that fired last, on any
  ///     device, if that was within 24 hours or the date is still to come, the date is not done,
  ///     and no occurrence of today is nearer. Otherwise, and for a counted habit or an amount, it
  ///     is today: in the zone that all of the habit's schedules share, or in the device's zone.
  ///   - amount: Greater than 0, or 0 for a habit with a maximum; 1 by default.
  ///   - moment: When it was done; now by default. It also decides the default date. If reminders
  ///     depend on the times of entries, the default on an earlier date is the same time of that
  ///     date.
  ///   - note: A note about it, at most 2,000 bytes.
  /// - Returns: What was written, and its date; no events if the date was already done and neither
  ///   a moment nor a note is given.
  /// - Throws: `notFound`, `invalidValue`.
  @discardableResult
  public func markDone(
    _ id: HabitID, on day: HabitDate = .due, amount: Amount? = nil, at moment: Instant? = nil,
    note: String? = nil
  ) async throws(StoreError) -> Written {
    let assumed = Locked<Instant?>(nil)
    let recorded = Locked<EntryRecorded?>(nil)
    var written = try await write { context in
      let habit = try context.habit(id)
      if let amount, amount < .zero || amount == .zero && !habit.isMaximum {
        throw StoreError(
          code: .invalidValue, message: "amount: \(amount) is not positive",
          reason: amount == .zero ? .nothingDone : nil)
      }
      let counts = habit.kind == .count || habit.schedules.contains(where: \.countsFromEntries)
      let adds = amount != nil || counts
      let kind: EntryKind = adds ? .amount : .mark
      let date =
        switch day {
        case .due:
          if let moment {
            self.today(of: habit, context.at(moment))
          } else {
            adds ? self.today(of: habit, context) : try self.dateDone(habit, context)
          }
        case .today, .date: try context.date(day)
        }
      let added = amount ?? .one
      let usual = day == .due ? nil : self.momentDone(habit, on: date, context)
      if !adds, moment == nil, note == nil {
        let entries = try context.reader.entries(of: id, on: date)
        if !entries.isEmpty {
          let ending = try self.snoozesFiring(of: habit, on: date, context)
          return Decision(payloads: ending.map { $0.canceled(in: id) }, date: date)
        }
      }
      if moment == nil { assumed.set(usual) }
      let entry = EntryRecorded(
        habit: id, date: date, kind: kind, value: added.thousandths, at: moment ?? usual,
        note: note)
      recorded.set(entry)
      return Decision(payloads: [.entryRecorded(entry)], date: date)
    }
    written.assumedMoment = assumed.value
    written.nameEntry(recorded.value)
    return written
  }

  /// Voids a date's entries and clears its mark.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - day: The date. The default is the date of the latest record that was made today and not
  ///     imported. Without one it is today, in the zone that all of the habit's schedules share.
  /// - Returns: What was written, and its date.
  @discardableResult
  public func clear(_ id: HabitID, on day: HabitDate = .due) async throws(StoreError) -> Written {
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

  /// Returns the event that recorded an entry or a mark last for a date, or nil if none did.
  package func lastRecord(
    of id: HabitID, on date: CivilDate
  ) async throws(StoreError) -> EventID? {
    try await read { try $0.lastRecord(of: id, on: date)?.event }
  }

  /// Takes back what was recorded last for a date: one entry, or the date's mark.
  ///
  /// - Parameters:
  ///   - id: The habit.
  ///   - day: The date; the default is that of ``clear(_:on:)``.
  /// - Returns: What was written, and its date.
  @discardableResult
  package func undo(_ id: HabitID, on day: HabitDate = .due) async throws(StoreError) -> Written {
    try await write { context in
      let habit = try context.habit(id)
      let date = day == .due ? try self.dateUndone(habit, context) : try context.date(day)
      let payloads =
        try context.lastRecord(of: id, on: date).map { last in
          last.entry.map { [$0].voids.map(Payload.entryVoided) }
            ?? [.dayMarked(DayMarked(habit: id, first: date, last: date, mark: .clear))]
        } ?? []
      return Decision(payloads: payloads, needsState: true, date: date)
    }
  }

  /// Removes an entry, and records another in its place if one is given.
  ///
  /// - Parameters:
  ///   - entry: The entry's ID.
  ///   - id: Its habit.
  ///   - date: Its date.
  ///   - new: What to record instead; nil removes the entry. With a source, it stays an entry of
  ///     that app.
  /// - Returns: What was written, with the ID of the new entry.
  /// - Throws: `notFound` if there is no such entry, `invalidValue`.
  @discardableResult
  package func replaceEntry(
    _ entry: EntryID, of id: HabitID, on date: CivilDate,
    with new: (date: CivilDate, amount: Amount, at: Instant, note: String?, source: String?)?
  ) async throws(StoreError) -> Written {
    let recorded = Locked<EntryRecorded?>(nil)
    var written = try await write { context in
      let habit = try context.habit(id)
      let old = try context.reader.entries(of: id, on: date).filter { $0.id == entry }
      guard !old.isEmpty else {
        throw StoreError(code: .notFound, message: "there is no entry \(entry) on \(date)")
      }
      var payloads = old.voids.map(Payload.entryVoided)
      if let new {
        let isMark = habit.kind != .count && new.amount == .one
        let kind = new.source.map { EntryKind.imported(source: $0) } ?? (isMark ? .mark : .amount)
        let entry = EntryRecorded(
          habit: id, date: try context.date(.date(new.date)), kind: kind,
          value: new.amount.thousandths, at: new.at, note: new.note)
        recorded.set(entry)
        payloads.append(.entryRecorded(entry))
      }
      return Decision(payloads: payloads, needsState: true, date: new?.date ?? date)
    }
    written.nameEntry(recorded.value)
    return written
  }

  /// Sets the note on a date.
  ///
  /// A note does not mark the habit as done.
  ///
  /// - Parameters:
  ///   - text: 1 to 2,000 bytes; nil removes the note.
  ///   - id: The habit.
  ///   - day: The date; by default today, in the zone that all of the habit's schedules share.
  /// - Returns: What was written, and its date; no events if the note is unchanged.
  /// - Throws: `notFound`, `invalidValue`.
  @discardableResult
  public func setNote(
    _ text: String?, of id: HabitID, on day: HabitDate = .due
  ) async throws(StoreError) -> Written {
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

  /// Records that the person used the app today, once per replica and logical day.
  @discardableResult
  public func recordActivity() async throws(StoreError) -> Written {
    try await write { _ in Decision(payloads: [], isUse: true) }
  }
}

extension [HabitEntry] {
  /// The events that void these entries, each within the limits.
  fileprivate var voids: [EntryVoided] {
    let most = EntryVoided.maxCount
    let items: [EntryVoided.Item] = flatMap { entry in
      stride(from: 0, to: entry.recordings.count, by: most).map {
        EntryVoided.Item(
          entry: entry.id,
          recordings: [EventID](entry.recordings[$0...].prefix(most)))
      }
    }
    return items.batchesWithin(most)
  }
}

extension [EntryVoided.Item] {
  /// Splits the items into groups of at most `most` items and 300 recordings, so that each payload
  /// stays within its byte limit.
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

extension Context {
  /// Returns what was recorded last for a date, with the event that recorded it: an entry, or the
  /// date's mark if the entry is nil.
  fileprivate func lastRecord(
    of id: HabitID, on date: CivilDate
  ) throws -> (event: EventID, entry: HabitEntry?)? {
    let entries = try reader.entries(of: id, on: date).compactMap { entry in
      entry.recordings.max().map { (event: $0, entry: HabitEntry?.some(entry)) }
    }
    let mark = try reader.markEvent(of: id, on: date).map { (event: $0, entry: HabitEntry?.none) }
    return (entries + [mark].compactMap(\.self)).max { $0.event < $1.event }
  }
}
