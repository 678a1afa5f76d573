package import CarillonModel
internal import CarillonWire

/// Edits that lost to events of writers that had not seen them.
extension ProjectionReader {
  /// Returns the edits that lost to concurrent events, of one habit or of all habits and settings.
  ///
  /// They are ordered by habit, schedule, field and event. Leaves out edits that set the value that
  /// the field has. Of a deleted habit, only the edits that its deletion hides are listed, and of a
  /// removed schedule those that its removal hides.
  ///
  /// - Complexity: O(edits of the habit, or of all habits).
  package func conflicts(of habit: HabitID? = nil) throws -> [EditConflict] {
    let rows = try connection.prepare(
      "SELECT habit, schedule, field, event, replaces FROM edit"
        + (habit == nil ? "" : " WHERE habit = ?1") + " ORDER BY habit, schedule, field, event")
    if let habit { rows.bind(1, habit) }
    var habits: [(habit: HabitID, registers: EditRegisters)] = []
    while try rows.step() {
      let key = EditKey(
        try rows.id(0), try rows.blob(1).isEmpty ? nil : try rows.id(1), rows.integer(2))
      if habits.last?.habit != key.habit { habits.append((key.habit, EditRegisters())) }
      habits[habits.count - 1].registers.add(
        try rows.eventID(3), replacing: try rows.eventIDs(4), to: key)
    }
    return try habits.flatMap { try conflicts(of: $0.habit, $0.registers) }
      + (habit == nil ? try settingConflicts() : [])
  }

  // MARK: - Habits

  private func conflicts(
    of habit: HabitID, _ registers: EditRegisters
  ) throws -> [EditConflict] {
    guard try creation(of: habit) != nil else { return [] }
    let deletes = try deletes(of: habit)
    let endOfHabit =
      deletes.isEmpty
      ? HabitEnd(
        .archived, try [archival(of: habit)].compactMap(\.self),
        registers[EditKey(habit, nil, EditKey.archived)])
      : HabitEnd(.deleted, deletes, registers[EditKey(habit, nil, EditKey.deleted)])
    return try registers.all.flatMap { key, edits -> [EditConflict] in
      let presence = try presence(of: key)
      if key.number == EditKey.removed, let presence, !presence.isRemoved, deletes.isEmpty {
        return try removals(of: key, edits, registers, lostTo: presence.event)
      }
      guard let field = key.field, let winner = try key.winner(connection) else { return [] }
      guard let presence, presence.isRemoved else {
        return (deletes.isEmpty ? try conflicts(of: key, field, edits, winner) : [])
          + (try hidden(by: endOfHabit, key, field, edits, winner))
      }
      let number = EditKey(habit, key.schedule, EditKey.removed)
      let end = HabitEnd(.removed, [presence.event], registers[number])
      return deletes.isEmpty ? try hidden(by: end, key, field, edits, winner) : []
    }
  }

  /// Returns the edit that determines a field if the end of its habit or schedule hides it, and was
  /// written without knowledge of it.
  private func hidden(
    by end: HabitEnd, _ key: EditKey, _ field: EditConflict.Field, _ edits: FieldEdits,
    _ winner: EventID
  ) throws -> [EditConflict] {
    guard let replaced = edits.replaced[winner], let last = end.stated.last, !field.isNote,
      !end.stated.contains(where: { $0.seen.states(winner) || replaced.contains($0.event) })
    else { return [] }
    return [
      EditConflict(
        habit: key.habit, field: field,
        lost: .init(event: winner, value: try value(of: key, field, winner)),
        kept: .init(event: last.event, value: end.value))
    ]
  }

  /// Returns the removals of a schedule that no edit of the schedule names, if an edit determines
  /// that the schedule exists.
  private func removals(
    of key: EditKey, _ removals: FieldEdits, _ registers: EditRegisters, lostTo edit: EventID
  ) throws -> [EditConflict] {
    let edits = registers.all.filter { $0.key.schedule == key.schedule && $0.key.field != nil }
    guard let kept = edits.first(where: { $0.edits.replaced[edit] != nil }),
      let field = kept.key.field
    else { return [] }
    let known = Set(edits.flatMap { $0.edits.replaced.values.joined() })
    let value = try value(of: kept.key, field, edit)
    return removals.replaced.keys.filter { !known.contains($0) }.sorted().map {
      EditConflict(
        habit: key.habit, field: field, lost: .init(event: $0, value: .removed),
        kept: .init(event: edit, value: value))
    }
  }

  private func conflicts(
    of key: EditKey, _ field: EditConflict.Field, _ edits: FieldEdits, _ winner: EventID
  ) throws -> [EditConflict] {
    let lost = edits.lost(to: winner)
    guard !lost.isEmpty else { return [] }
    let kept = EditConflict.Edit(event: winner, value: try value(of: key, field, winner))
    return try lost.map { EditConflict.Edit(event: $0, value: try value(of: key, field, $0)) }
      .filter { $0.value != kept.value }
      .map { EditConflict(habit: key.habit, field: field, lost: $0, kept: kept) }
  }

  /// Returns the event that archived a habit; nil if it is not archived.
  func archival(of habit: HabitID) throws -> EventID? {
    let rows = try connection.query(
      "SELECT event FROM habit_archived WHERE habit = ?1 AND archived = 1", habit)
    return try rows.step() ? try rows.eventID(0) : nil
  }

  /// Returns the event that determines whether the schedule of a key is removed; nil if the key
  /// names no schedule.
  private func presence(of key: EditKey) throws -> (event: EventID, isRemoved: Bool)? {
    guard let schedule = key.schedule else { return nil }
    let rows = try connection.query(
      "SELECT event, removed FROM schedule WHERE habit = ?1 AND schedule = ?2", key.habit,
      schedule)
    guard try rows.step() else { throw Statement.damagedValue }
    return (try rows.eventID(0), rows.integer(1) != 0)
  }

  private func value(
    of key: EditKey, _ field: EditConflict.Field, _ event: EventID
  ) throws -> EditConflict.Value {
    let rows = try connection.query(
      """
      SELECT value FROM edit WHERE habit = ?1 AND schedule = ?2 AND field = ?3 AND event = ?4
      """, key.habit, key.schedule?.bytes ?? [], key.number, event)
    guard try rows.step() else { throw Statement.damagedValue }
    switch field {
    case .habit: return .habit(rows.habitFieldValue(0))
    case .note, .setting: return .text(try rows.optionalText(0))
    case .schedule(let schedule, let field):
      let encoded = rows.isNull(0) ? [] : [UInt8](try rows.blob(0))
      do throws(ModelError) {
        return .schedule(
          try PayloadCoding.schedule(schedule, with: field, encoded: encoded))
      } catch {
        throw Statement.damagedValue
      }
    }
  }

  // MARK: - Settings

  /// Returns the settings that lost to concurrent ones, of the settings that this build knows.
  package func settingConflicts() throws -> [EditConflict] {
    try SettingName.allCases.flatMap { name -> [EditConflict] in
      let (edits, values) = try settingEdits(name.rawValue)
      guard let winner = edits.replaced.keys.max(), try setting(name.rawValue) == winner else {
        return []
      }
      let kept = EditConflict.Edit(event: winner, value: .text(values[winner] ?? nil))
      return edits.lost(to: winner).map { .init(event: $0, value: .text(values[$0] ?? nil)) }
        .filter { $0.value != kept.value }
        .map { EditConflict(habit: nil, field: .setting(name), lost: $0, kept: kept) }
    }
  }

  /// Returns the events that set a setting and state what they replace, with their values.
  func settingEdits(_ name: String) throws -> (edits: FieldEdits, values: [EventID: String?]) {
    let rows = try connection.query(
      "SELECT event, replaces, value FROM setting_edit WHERE name = ?1", name)
    var (edits, values) = (FieldEdits(), [EventID: String?]())
    while try rows.step() {
      let event = try rows.eventID(0)
      edits.add(event, replacing: try rows.eventIDs(1))
      values[event] = .some(try rows.optionalText(2))
    }
    return (edits, values)
  }

  /// Returns the event that determines a setting; nil if none sets it.
  func setting(_ name: String) throws -> EventID? {
    let rows = try connection.query("SELECT event FROM setting WHERE name = ?1", name)
    return try rows.step() ? try rows.eventID(0) : nil
  }
}

/// The rows of one habit in `edit`, by what they set.
private struct EditRegisters {
  /// In the order of the keys.
  private(set) var all: [(key: EditKey, edits: FieldEdits)] = []

  mutating func add(_ event: EventID, replacing events: [EventID], to key: EditKey) {
    if all.last?.key != key { all.append((key, FieldEdits())) }
    all[all.count - 1].edits.add(event, replacing: events)
  }

  subscript(key: EditKey) -> FieldEdits? { all.first { $0.key == key }?.edits }
}

/// What ended a habit or one of its schedules: its deletions or its archival, or its removal.
private struct HabitEnd {
  let value: EditConflict.Value
  /// The events, with the edits that each states as seen.
  ///
  /// An event that states nothing may have been written with knowledge of every edit.
  let stated: [(event: EventID, seen: [EventID])]

  init(_ value: EditConflict.Value, _ events: [EventID], _ edits: FieldEdits?) {
    self.value = value
    stated = events.compactMap { event in edits?.replaced[event].map { (event, $0) } }
  }
}

extension EditConflict.Field {
  fileprivate var isNote: Bool { if case .note = self { true } else { false } }
}

extension Statement {
  /// Returns the event IDs that a column of concatenated IDs holds.
  func eventIDs(_ index: Int) throws -> [EventID] {
    let bytes = try blob(index)
    guard bytes.count.isMultiple(of: EventID.byteCount) else { throw Self.damagedValue }
    return stride(from: 0, to: bytes.count, by: EventID.byteCount).map { start in
      EventID(loading: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
  }
}
