/// A value of a field that lost to a concurrent edit: neither writer had seen the other's edit.
package struct EditConflict: Hashable, Sendable {
  /// A field of a habit, or of one of its schedules.
  package enum Field: Hashable, Sendable {
    case habit(HabitField)
    case schedule(ScheduleID, ScheduleField)
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

  /// The value of the field.
  package enum Value: Hashable, Sendable {
    case habit(HabitFieldValue)
    /// A schedule with this value, whose other fields have their defaults.
    case schedule(Schedule)
  }

  /// The habit.
  package let habit: HabitID
  /// The field that both edits set.
  package let field: Field
  /// The edit whose value was lost.
  package let lost: Edit
  /// The edit whose value the field has.
  package let kept: Edit

  /// Creates a value from its parts.
  package init(habit: HabitID, field: Field, lost: Edit, kept: Edit) {
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

extension HabitFields {
  /// The greatest number of events that an edit states as replaced.
  package static let maxReplaced = 32
}
