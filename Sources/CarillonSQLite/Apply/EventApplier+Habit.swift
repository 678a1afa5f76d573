internal import CarillonModel
internal import CarillonWire

/// Applies habits, their schedules and pauses.
extension EventApplier {
  func apply(created fields: HabitFields, _ event: RawEvent) throws {
    if registers.admit(event.id, to: .init(table: .habit, habit: fields.habit)) {
      try insert(.habit, fields.habit, event.id)
    }
    try apply(fields, event)
  }

  func apply(_ fields: HabitFields, _ event: RawEvent) throws {
    for (field, value) in fields.values {
      let register = WrittenRegisters.Key(
        table: .habitField, habit: fields.habit, field: field.rawValue)
      guard registers.admit(event.id, to: register) else { continue }
      try insert(.habitField, fields.habit, field.rawValue, event.id, value)
    }
  }

  func apply(edited fields: HabitFields, _ event: RawEvent) throws {
    try apply(fields, event)
    for (field, value) in fields.values {
      try insertEdit(
        EditKey(fields.habit, nil, Int64(field.rawValue)), event, value, fields.replaces)
    }
  }

  func apply(_ set: HabitArchivedSet, _ event: RawEvent) throws {
    try insert(.habitArchived, set.habit, event.id, set.isArchived)
    try insertEdit(
      EditKey(set.habit, nil, EditKey.archived), event, set.isArchived, set.replaces)
  }

  func apply(_ deleted: HabitDeleted, _ event: RawEvent) throws {
    try insert(.habitDelete, deleted.habit, event.id, true, false)
    try insertEdit(
      EditKey(deleted.habit, nil, EditKey.deleted), event, nil as Bool?, deleted.replaces)
  }

  func apply(_ restored: HabitRestored) throws {
    for delete in restored.deletes {
      try insert(.habitDelete, restored.habit, delete, false, true)
    }
  }

  func apply(_ set: ScheduleSet, _ event: RawEvent) throws {
    let (habit, schedule) = (set.habit, set.schedule.id)
    func admits(_ table: ProjectedTable, _ field: UInt32 = 0) -> Bool {
      registers.admit(
        event.id, to: .init(table: table, habit: habit, schedule: schedule, field: field))
    }
    if admits(.schedule) { try insert(.schedule, habit, schedule, event.id, false) }
    if admits(.scheduleCreated) { try insert(.scheduleCreated, habit, schedule, event.id) }
    let winning = set.fields.filter { admits(.scheduleField, UInt32($0.number)) }
    let shown = set.replaces.isEmpty ? winning : set.fields
    guard !shown.isEmpty else { return }
    let encoded = try PayloadCoding.encodedFields(event.payload)
    for field in shown {
      let bytes = encoded.filter { field.numbers.contains($0.number) }.flatMap(\.bytes)
      let value = bytes.isEmpty ? nil : bytes
      if winning.contains(field) {
        try insert(.scheduleField, habit, schedule, field.number, event.id, value)
      }
      try insertEdit(
        EditKey(habit, schedule, Int64(field.number)), event, value, set.replaces)
    }
  }

  func apply(_ removed: ScheduleRemoved, _ event: RawEvent) throws {
    try insert(.schedule, removed.habit, removed.schedule, event.id, true)
    try insertEdit(
      EditKey(removed.habit, removed.schedule, EditKey.removed), event, nil as Bool?,
      removed.replaces)
  }

  func apply(_ noted: NoteRecorded, _ event: RawEvent) throws {
    try insert(.note, noted.habit, noted.date, event.id, noted.text)
    try insertEdit(.note(noted.habit, noted.date), event, noted.text, noted.replaces)
  }

  /// Inserts a row in `edit` for an event that states what it replaces.
  private func insertEdit(
    _ key: EditKey, _ event: RawEvent, _ value: some ParameterValue, _ replaces: [EventID]
  ) throws {
    guard !replaces.isEmpty else { return }
    try insert(
      .edit, key.habit, key.schedule?.bytes ?? [], key.number, event.id, value,
      replaces.flatMap(\.bytes))
  }

  func apply(_ pause: Pause, _ event: RawEvent) throws {
    try insert(.pause, pause.id, pause.habit?.bytes ?? [], event.id, pause.first, pause.last)
  }
}

extension HabitFieldValue: ParameterValue {
  func bind(to statement: Statement, _ index: Int32) {
    switch self {
    case .text(let text): statement.bind(index, text)
    case .integer(let integer): statement.bind(index, integer)
    case .none: statement.bindNull(index)
    }
  }
}
