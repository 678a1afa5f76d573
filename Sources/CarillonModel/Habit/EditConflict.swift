/// An edit that lost to a concurrent event: neither writer had seen the other's event.
///
/// The other event sets the same field, archives or deletes the habit, or removes the schedule. A
/// removal can also lose to an edit of the schedule.
package struct EditConflict: Hashable, Sendable {
  /// What the edit sets; for a lost removal, what the edit of the schedule sets that it lost to.
  package enum Field: Hashable, Sendable {
    case habit(HabitField)
    case schedule(ScheduleID, ScheduleField)
    /// The note on a date.
    case note(CivilDate)
    /// A setting of the store.
    case setting(SettingName)
  }

  /// An edit of the field.
  package struct Edit: Hashable, Sendable {
    /// The event.
    package let event: EventID
    /// The value that it set.
    package let value: Value

    /// Creates a value from its parts.
    package init(event: EventID, value: Value) {
      self.event = event
      self.value = value
    }
  }

  /// The value of the field, or what became of the habit or the schedule instead.
  package enum Value: Hashable, Sendable {
    case habit(HabitFieldValue)
    /// A schedule with this value, whose other fields have their defaults.
    case schedule(Schedule)
    /// A note or a setting; nil: no note, or the default.
    case text(String?)
    /// The habit is archived.
    case archived
    /// The habit is deleted.
    case deleted
    /// The schedule is removed.
    case removed
  }

  /// The habit; nil for a setting.
  package let habit: HabitID?
  /// The field that the lost edit sets.
  package let field: Field
  /// The edit or the removal that was lost.
  package let lost: Edit
  /// The edit whose value the field has, or the event that archived or deleted the habit or removed
  /// the schedule.
  package let kept: Edit

  /// Creates a value from its parts.
  package init(habit: HabitID?, field: Field, lost: Edit, kept: Edit) {
    self.habit = habit
    self.field = field
    self.lost = lost
    self.kept = kept
  }
}

/// The edits of one field, with what each replaced.
package struct FieldEdits: Hashable, Sendable {
  /// The events that each edit replaced, by the edit's event.
  package private(set) var replaced: [EventID: [EventID]] = [:]

  /// Creates a value without edits.
  package init() {}

  /// Adds an edit, in any order.
  package mutating func add(_ event: EventID, replacing events: [EventID]) {
    replaced[event] = events
  }

  /// The edits that no other edit replaces, ascending.
  ///
  /// Several are concurrent: the greatest determines the field's value, and the others are lost.
  package var unreplaced: [EventID] {
    let all = Set(replaced.values.joined())
    return replaced.keys.filter { !all.contains($0) }.sorted()
  }

  /// Returns the edits that lost to the edit that determines the field's value, ascending.
  ///
  /// Nothing is lost to an event that does not state what it replaces, because that event may have
  /// been written with knowledge of every edit before it.
  package func lost(to kept: EventID) -> [EventID] {
    guard replaced[kept] != nil else { return [] }
    return unreplaced.filter { $0 < kept }
  }
}

extension [EventID] {
  /// Whether events that an event states in `replaces` show that its writer had seen an edit.
  ///
  /// A full list names only the greatest events, so that a lesser one counts as seen.
  package func states(_ edit: EventID) -> Bool {
    contains(edit) || count == HabitFields.maxReplaced && allSatisfy { edit < $0 }
  }
}

extension HabitFields {
  /// The greatest number of events that an edit states as replaced.
  package static let maxReplaced = 32
}
