package import CarillonModel
internal import CarillonSQLite

/// Edits of one field by two writers that had not seen each other's edit.
extension Store {
  /// Returns the edits that lost to concurrent ones and that no later edit replaced.
  ///
  /// The list is the same on every replica that holds the same events. An edit of a version that
  /// does not state what it replaces is not in it.
  ///
  /// - Parameters:
  ///   - habit: The habit; nil for all habits.
  ///   - position: If given, only conflicts of which this log holds an event after the position.
  /// - Complexity: O(edits of the habit, or of all habits).
  package func conflicts(
    of habit: HabitID? = nil, after position: LogPosition? = nil
  ) async throws(StoreError) -> [EditConflict] {
    try await read { context in
      let conflicts = try context.reader.conflicts(of: habit)
      guard let position else { return conflicts }
      return try conflicts.filter { conflict in
        try [conflict.lost, conflict.kept].contains { edit in
          try self.log.position(of: edit.event).map { $0 > position } ?? false
        }
      }
    }
  }

  /// Ends the conflicts in which an edit of a habit lost: writes its values, or confirms the values
  /// that the fields have.
  ///
  /// - Parameters:
  ///   - habit: The habit.
  ///   - event: The event of the lost edit.
  ///   - isTaken: Whether the fields get the values of the lost edit.
  /// - Throws: `notFound` if the event lost in no field of the habit.
  @discardableResult
  package func endConflicts(
    of habit: HabitID, with event: EventID, takingLost isTaken: Bool
  ) async throws(StoreError) -> Written {
    try await write { context in
      let title = try context.habit(habit).title
      let conflicts = try context.reader.conflicts(of: habit).filter { $0.lost.event == event }
      guard !conflicts.isEmpty else {
        throw StoreError(
          code: .notFound, message: "no value of the edit \(event) of \(title) was lost",
          hint: "it may be taken back already, or replaced by a later edit")
      }
      return Decision(
        payloads: conflicts.edits(of: habit, takingLost: isTaken), needsState: true)
    }
  }
}

extension [EditConflict] {
  /// Returns the edits of a habit that set each field to one of its two values.
  fileprivate func edits(of habit: HabitID, takingLost isTaken: Bool) -> [Payload] {
    var fields = HabitFields(habit: habit, values: [:])
    var schedules: [ScheduleID: (schedule: Schedule, fields: [ScheduleField])] = [:]
    for conflict in self {
      switch (conflict.field, (isTaken ? conflict.lost : conflict.kept).value) {
      case (.habit(let field), .habit(let value)): fields.values[field] = value
      case (.schedule(let id, let field), .schedule(let other)):
        schedules[id, default: (.standard(id), [])].schedule.set(field, from: other)
        schedules[id, default: (.standard(id), [])].fields.append(field)
      default: preconditionFailure("a value of another kind than its field")
      }
    }
    return (fields.values.isEmpty ? [] : [.habitEdited(fields)])
      + schedules.values.map {
        .scheduleSet(ScheduleSet(habit: habit, schedule: $0.schedule, fields: $0.fields))
      }
  }
}
