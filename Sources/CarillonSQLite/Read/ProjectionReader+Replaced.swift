package import CarillonModel

/// What new events state in `replaces`.
extension ProjectionReader {
  /// Returns payloads that are written together, in which edits, notes, settings, deletions,
  /// archivals and removals state the events that they replace or had seen.
  ///
  /// Payloads that state it already are unchanged. No event can name one that is written with it.
  /// So of those that set the same field, only the first states anything, and of edits of a habit
  /// or schedule and its deletion, archival or removal only those before the other.
  ///
  /// - Parameter replica: The replica that writes.
  package func statingReplaced(
    _ payloads: [Payload], by replica: ReplicaID
  ) throws -> [Payload] {
    var batch = EditBatch()
    return try payloads.map { payload in
      switch payload {
      case .habitEdited(var fields):
        let keys = fields.values.keys.map { EditKey(fields.habit, nil, Int64($0.rawValue)) }
        guard batch.isFirst(of: keys), fields.replaces.isEmpty else { return payload }
        fields.replaces = try replaced(keys, creation: creation(of: fields.habit))
        return .habitEdited(fields)
      case .scheduleSet(var set):
        let keys = set.fields.map { EditKey(set.habit, set.schedule.id, Int64($0.number)) }
        // A schedule that was never set has nothing to replace.
        guard batch.isFirst(of: keys), set.replaces.isEmpty,
          let creation = try creation(of: set.schedule.id, in: set.habit)
        else { return payload }
        set.replaces = try replaced(keys, creation: creation)
        return .scheduleSet(set)
      case .scheduleRemoved(var removed):
        let key = EditKey(removed.habit, removed.schedule, EditKey.removed)
        guard batch.isFirst(removing: key), removed.replaces.isEmpty else { return payload }
        removed.replaces = try edits(of: removed.habit, removed.schedule)
        return .scheduleRemoved(removed)
      case .noteRecorded(var noted):
        let keys = [EditKey.note(noted.habit, noted.date)]
        guard batch.isFirst(of: keys), noted.replaces.isEmpty else { return payload }
        noted.replaces = try replaced(keys, creation: creation(of: noted.habit))
        return .noteRecorded(noted)
      case .habitArchivedSet(var set) where set.isArchived:
        guard batch.isFirst(ending: set.habit), set.replaces.isEmpty else { return payload }
        set.replaces = try edits(of: set.habit)
        return .habitArchivedSet(set)
      case .habitDeleted(var deleted):
        guard batch.isFirst(ending: deleted.habit), deleted.replaces.isEmpty else {
          return payload
        }
        deleted.replaces = try edits(of: deleted.habit)
        return .habitDeleted(deleted)
      case .settingsSet(var set):
        guard batch.isFirst(of: set.name), set.replaces.isEmpty else { return payload }
        set.replaces = try replaced(setting: set.name, by: replica)
        return .settingsSet(set)
      default: return payload
      }
    }
  }

  /// Returns the events that an edit of some fields of a habit replaces: those that determine the
  /// fields, and concurrent ones; the creation if there are none.
  ///
  /// The event that archived the habit is also one, and the removals of the schedule that no edit
  /// of it names.
  private func replaced(_ keys: [EditKey], creation: EventID?) throws -> [EventID] {
    var events: Set<EventID> = []
    for key in keys {
      if let event = try key.winner(connection) { events.insert(event) }
      let rows = try connection.query(
        """
        SELECT event, replaces FROM edit WHERE habit = ?1 AND schedule = ?2 AND field = ?3
        """, key.habit, key.schedule?.bytes ?? [], key.number)
      var edits = FieldEdits()
      while try rows.step() { edits.add(try rows.eventID(0), replacing: try rows.eventIDs(1)) }
      events.formUnion(edits.unreplaced)
    }
    if events.isEmpty, let creation { events.insert(creation) }
    if !events.isEmpty, let key = keys.first {
      if let end = try archival(of: key.habit) { events.insert(end) }
      if let schedule = key.schedule {
        events.formUnion(try unnamedRemovals(of: schedule, in: key.habit))
      }
    }
    return events.sorted().suffix(HabitFields.maxReplaced)
  }

  /// Returns the removals of a schedule that no edit of the schedule names.
  private func unnamedRemovals(
    of schedule: ScheduleID, in habit: HabitID
  ) throws -> Set<EventID> {
    let rows = try connection.query(
      "SELECT field, event, replaces FROM edit WHERE habit = ?1 AND schedule = ?2", habit, schedule)
    var (removals, named) = (Set<EventID>(), Set<EventID>())
    while try rows.step() {
      if rows.integer(0) == EditKey.removed {
        removals.insert(try rows.eventID(1))
      } else {
        named.formUnion(try rows.eventIDs(2))
      }
    }
    return removals.subtracting(named)
  }

  /// Returns the events that a setting replaces: the one that determines it, and concurrent ones.
  ///
  /// If there are none, it is one of the writer's own.
  private func replaced(setting name: String, by replica: ReplicaID) throws -> [EventID] {
    var events = Set(try settingEdits(name).edits.unreplaced)
    if let event = try setting(name) { events.insert(event) }
    if events.isEmpty {
      let rows = try connection.query("SELECT event FROM device WHERE replica = ?1", replica)
      if try rows.step() { events.insert(try rows.eventID(0)) }
    }
    return events.sorted().suffix(HabitFields.maxReplaced)
  }

  /// Returns the edits that determine a field of a habit or of one of its schedules, and state what
  /// they replace; the habit's creation if there are none.
  private func edits(of habit: HabitID) throws -> [EventID] {
    let rows = try connection.query(
      """
      SELECT event FROM edit JOIN habit_field USING (habit, field, event)
      WHERE habit = ?1 AND schedule = x''
      UNION SELECT event FROM edit JOIN schedule_field USING (habit, schedule, field, event)
      WHERE habit = ?1 ORDER BY event
      """, habit)
    var events: [EventID] = []
    while try rows.step() { events.append(try rows.eventID(0)) }
    if events.isEmpty, let creation = try creation(of: habit) { events.append(creation) }
    return events.suffix(HabitFields.maxReplaced)
  }

  /// Returns the edits that determine a field of a schedule, and state what they replace; the event
  /// that first set it if there are none.
  private func edits(of habit: HabitID, _ schedule: ScheduleID) throws -> [EventID] {
    let rows = try connection.query(
      """
      SELECT DISTINCT event FROM edit JOIN schedule_field USING (habit, schedule, field, event)
      WHERE habit = ?1 AND schedule = ?2 ORDER BY event
      """, habit, schedule)
    var events: [EventID] = []
    while try rows.step() { events.append(try rows.eventID(0)) }
    if events.isEmpty, let creation = try creation(of: schedule, in: habit) {
      events.append(creation)
    }
    return events.suffix(HabitFields.maxReplaced)
  }

  /// Returns the event that first set a schedule; nil if there is none.
  private func creation(of schedule: ScheduleID, in habit: HabitID) throws -> EventID? {
    let rows = try connection.query(
      "SELECT event FROM schedule_created WHERE habit = ?1 AND schedule = ?2", habit, schedule)
    return try rows.step() ? try rows.eventID(0) : nil
  }
}

/// What the payloads before one set, of those that are written together.
private struct EditBatch {
  private var keys: Set<EditKey> = []
  private var edited: Set<HabitID> = []
  private var ended: Set<HabitID> = []
  private var removed: Set<EditKey> = []
  private var settings: Set<String> = []

  /// Adds an edit of fields of a habit; returns whether it can name all events before it.
  mutating func isFirst(of new: [EditKey]) -> Bool {
    guard let first = new.first else { return false }
    let habit = first.habit
    let isRemoved = removed.contains(EditKey(habit, first.schedule, EditKey.removed))
    let isFirst = keys.isDisjoint(with: new) && !ended.contains(habit) && !isRemoved
    keys.formUnion(new)
    edited.insert(habit)
    return isFirst
  }

  /// Adds a deletion or an archival; returns whether it can name all edits before it.
  mutating func isFirst(ending habit: HabitID) -> Bool {
    ended.insert(habit)
    return !edited.contains(habit)
  }

  /// Adds a removal of a schedule; returns whether it can name all edits before it.
  mutating func isFirst(removing key: EditKey) -> Bool {
    edited.insert(key.habit)
    removed.insert(key)
    return !keys.contains { $0.habit == key.habit && $0.schedule == key.schedule }
  }

  /// Adds a setting; returns whether it can name all events before it.
  mutating func isFirst(of setting: String) -> Bool { settings.insert(setting).inserted }
}
