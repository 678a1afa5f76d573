package import CarillonModel
internal import CarillonSQLite

/// Edits that lost to an event of a writer that had not seen them.
extension Store {
  /// Returns the edits that lost to concurrent events and that no later edit replaced.
  ///
  /// The list is the same on every replica that holds the same events. An edit of a version that
  /// does not state what it replaces is not in it.
  ///
  /// - Parameters:
  ///   - habit: The habit; nil for all habits and the settings.
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
  /// If the habit was archived or deleted instead, it is shown or restored, or archived or deleted
  /// once more; likewise a schedule that was removed.
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
      let deletes = try context.reader.deletes(of: habit)
      return Decision(
        payloads: conflicts.edits(of: habit, takingLost: isTaken, restoring: deletes),
        needsState: true)
    }
  }
}

extension [EditConflict] {
  /// Returns the edits of a habit that set each field to one of its two values, and what archives
  /// or deletes the habit or removes a schedule once more, or takes that back.
  fileprivate func edits(
    of habit: HabitID, takingLost isTaken: Bool, restoring deletes: [EventID]
  ) -> [Payload] {
    var fields = HabitFields(habit: habit, values: [:])
    var schedules: [ScheduleID: (schedule: Schedule, fields: [ScheduleField])] = [:]
    var removed: [ScheduleID] = []
    var (notes, isArchived): ([Payload], Bool) = ([], false)
    for conflict in self {
      if conflict.kept.value == .deleted {
        return isTaken
          ? HabitRestored.payloads(of: habit, deletes: deletes)
          : [.habitDeleted(HabitDeleted(habit: habit))]
      }
      if conflict.kept.value == .archived {
        isArchived = true
        continue
      }
      switch (conflict.field, (isTaken ? conflict.lost : conflict.kept).value) {
      case (.habit(let field), .habit(let value)): fields.values[field] = value
      case (.schedule(let id, let field), .schedule(let other)):
        schedules[id, default: (.standard(id), [])].schedule.set(field, from: other)
        schedules[id, default: (.standard(id), [])].fields.append(field)
      case (.schedule(let id, _), .removed): if !removed.contains(id) { removed.append(id) }
      case (.note(let date), .text(let text)):
        notes.append(.noteRecorded(NoteRecorded(habit: habit, date: date, text: text)))
      default: preconditionFailure("a value of another kind than its field")
      }
    }
    return
      (isArchived ? [.habitArchivedSet(HabitArchivedSet(habit: habit, isArchived: !isTaken))] : [])
      + notes + (fields.values.isEmpty ? [] : [.habitEdited(fields)])
      + schedules.values.map {
        .scheduleSet(ScheduleSet(habit: habit, schedule: $0.schedule, fields: $0.fields))
      }
      + removed.map { .scheduleRemoved(ScheduleRemoved(habit: habit, schedule: $0)) }
  }
}
