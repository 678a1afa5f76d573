internal import CarillonModel

/// Habits, their slots and pauses.
extension EventApplier {
  func apply(created fields: HabitFields, _ event: RawEvent) throws {
    let statement = try statement(.habit)
    statement.bind(1, fields.habit)
    statement.bind(2, event.id)
    try statement.run()
    try apply(fields, event)
  }

  func apply(_ fields: HabitFields, _ event: RawEvent) throws {
    let statement = try statement(.habitField)
    statement.bind(1, fields.habit)
    statement.bind(3, event.id)
    for (field, value) in fields.values {
      statement.bind(2, Int64(field.rawValue))
      switch value {
      case .text(let text): statement.bind(4, text)
      case .integer(let integer): statement.bind(4, integer)
      case .none: statement.bindNull(4)
      }
      try statement.run()
    }
  }

  func apply(_ set: HabitArchivedSet, _ event: RawEvent) throws {
    let statement = try statement(.habitArchived)
    statement.bind(1, set.habit)
    statement.bind(2, event.id)
    statement.bind(3, set.isArchived ? 1 : 0)
    try statement.run()
  }

  func apply(_ deleted: HabitDeleted, _ event: RawEvent) throws {
    let statement = try statement(.habitDeleted)
    statement.bind(1, deleted.habit)
    statement.bind(2, event.id)
    try statement.run()
  }

  func apply(_ restored: HabitRestored) throws {
    let statement = try statement(.habitRestored)
    statement.bind(1, restored.habit)
    for delete in restored.deletes {
      statement.bind(2, delete)
      try statement.run()
    }
  }

  func apply(
    slot: SlotID, of habit: HabitID, _ event: RawEvent, payload: UnsafeRawBufferPointer?
  ) throws {
    let statement = try statement(.slot)
    statement.bind(1, habit)
    statement.bind(2, slot)
    statement.bind(3, event.id)
    if let payload { statement.bind(4, unowned: payload) } else { statement.bindNull(4) }
    try statement.run()
  }

  func apply(_ pause: Pause, _ event: RawEvent) throws {
    let statement = try statement(.pause)
    statement.bind(1, pause.id)
    if let habit = pause.habit { statement.bind(2, habit) } else { statement.bindEmpty(2) }
    statement.bind(3, event.id)
    statement.bind(4, pause.first)
    statement.bind(5, pause.last)
    try statement.run()
  }
}
