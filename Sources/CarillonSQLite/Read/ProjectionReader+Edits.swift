package import CarillonModel
internal import CarillonWire

/// Concurrent edits of habits and schedules.
extension ProjectionReader {
  /// Returns the edits that lost to concurrent ones, of one habit or of all, ordered by habit,
  /// schedule, field and event.
  ///
  /// Leaves out deleted habits, removed schedules, and edits that set the value that the field has.
  ///
  /// - Complexity: O(edits of the habit, or of all habits).
  package func conflicts(of habit: HabitID? = nil) throws -> [EditConflict] {
    let rows = try connection.prepare(
      "SELECT habit, schedule, field, event, replaces FROM edit"
        + (habit == nil ? "" : " WHERE habit = ?1") + " ORDER BY habit, schedule, field, event")
    if let habit { rows.bind(1, habit) }
    var registers: [(key: EditKey, edits: FieldEdits)] = []
    while try rows.step() {
      let key = EditKey(
        habit: try rows.id(0), schedule: try rows.blob(1).isEmpty ? nil : try rows.id(1),
        field: rows.integer(2))
      if registers.last?.key != key { registers.append((key, FieldEdits())) }
      registers[registers.count - 1].edits.add(
        try rows.eventID(3), replacing: try rows.eventIDs(4))
    }
    return try registers.flatMap { try conflicts(of: $0.key, $0.edits) }
  }

  /// Returns a payload that states which events it replaces, if it edits a habit or a schedule.
  ///
  /// Any other payload, and one that states it already, is returned unchanged.
  package func statingReplaced(_ payload: Payload) throws -> Payload {
    switch payload {
    case .habitEdited(var fields) where fields.replaces.isEmpty:
      fields.replaces = try replaced(
        fields.values.keys.map {
          EditKey(habit: fields.habit, schedule: nil, field: Int64($0.rawValue))
        }, creation: creation(of: fields.habit))
      return .habitEdited(fields)
    case .scheduleSet(var set) where set.replaces.isEmpty:
      set.replaces = try replaced(
        set.fields.map {
          EditKey(habit: set.habit, schedule: set.schedule.id, field: Int64($0.number))
        }, creation: creation(of: set.schedule.id, in: set.habit))
      return .scheduleSet(set)
    default: return payload
    }
  }

  // MARK: - Parts

  /// Returns the events that an edit of some fields replaces: those that determine the fields, and
  /// concurrent ones; the creation if there are none.
  private func replaced(_ fields: [EditKey], creation: EventID?) throws -> [EventID] {
    var events: Set<EventID> = []
    for key in fields {
      if let event = try key.winner(connection) { events.insert(event) }
      let rows = try connection.query(
        """
        SELECT event, replaces FROM edit WHERE habit = ?1 AND schedule = ?2 AND field = ?3
        """, key.habit, key.schedule?.bytes ?? [], key.field)
      var edits = FieldEdits()
      while try rows.step() { edits.add(try rows.eventID(0), replacing: try rows.eventIDs(1)) }
      events.formUnion(edits.unreplaced)
    }
    if events.isEmpty, let creation { events.insert(creation) }
    return events.sorted().suffix(HabitFields.maxReplaced)
  }

  /// Returns the event that first set a schedule; nil if there is none.
  private func creation(of schedule: ScheduleID, in habit: HabitID) throws -> EventID? {
    let rows = try connection.query(
      "SELECT event FROM schedule_created WHERE habit = ?1 AND schedule = ?2", habit, schedule)
    return try rows.step() ? try rows.eventID(0) : nil
  }

  private func conflicts(of key: EditKey, _ edits: FieldEdits) throws -> [EditConflict] {
    guard edits.unreplaced.count > 1, try exists(key), let winner = try key.winner(connection),
      let field = key.editedField
    else { return [] }
    let lost = edits.lost(to: winner)
    guard !lost.isEmpty else { return [] }
    let kept = EditConflict.Edit(event: winner, value: try value(of: key, field, winner))
    return try lost.map { EditConflict.Edit(event: $0, value: try value(of: key, field, $0)) }
      .filter { $0.value != kept.value }
      .map { EditConflict(habit: key.habit, field: field, lost: $0, kept: kept) }
  }

  /// Whether the habit is created and not deleted, and the schedule is not removed.
  private func exists(_ key: EditKey) throws -> Bool {
    guard try creation(of: key.habit) != nil, try deletes(of: key.habit).isEmpty else {
      return false
    }
    guard let schedule = key.schedule else { return true }
    let rows = try connection.query(
      "SELECT removed FROM schedule WHERE habit = ?1 AND schedule = ?2", key.habit, schedule)
    return try rows.step() && rows.integer(0) == 0
  }

  private func value(
    of key: EditKey, _ field: EditConflict.Field, _ event: EventID
  ) throws -> EditConflict.Value {
    let rows = try connection.query(
      """
      SELECT value FROM edit WHERE habit = ?1 AND schedule = ?2 AND field = ?3 AND event = ?4
      """, key.habit, key.schedule?.bytes ?? [], key.field, event)
    guard try rows.step() else { throw Statement.damagedValue }
    switch field {
    case .habit: return .habit(rows.habitFieldValue(0))
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
}

/// A field of a habit or of one of its schedules.
private struct EditKey: Hashable {
  let habit: HabitID
  /// Nil for a field of the habit.
  let schedule: ScheduleID?
  /// The number of the field.
  let field: Int64

  /// The field; nil for the number of no field.
  var editedField: EditConflict.Field? {
    guard let schedule else {
      return UInt32(exactly: field).flatMap(HabitField.init(rawValue:)).map { .habit($0) }
    }
    return ScheduleField.allCases.first { $0.number == Int(field) }
      .map { .schedule(schedule, $0) }
  }

  /// Returns the event that determines the field's value; nil if none sets it.
  func winner(_ connection: Connection) throws -> EventID? {
    let rows =
      if let schedule {
        try connection.query(
          "SELECT event FROM schedule_field WHERE habit = ?1 AND schedule = ?2 AND field = ?3",
          habit, schedule, field)
      } else {
        try connection.query(
          "SELECT event FROM habit_field WHERE habit = ?1 AND field = ?2", habit, field)
      }
    return try rows.step() ? try rows.eventID(0) : nil
  }
}

extension Statement {
  /// Returns the event IDs that a column of concatenated IDs holds.
  fileprivate func eventIDs(_ index: Int) throws -> [EventID] {
    let bytes = try blob(index)
    guard bytes.count.isMultiple(of: EventID.byteCount) else { throw Self.damagedValue }
    return stride(from: 0, to: bytes.count, by: EventID.byteCount).map { start in
      EventID(loading: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
  }
}
