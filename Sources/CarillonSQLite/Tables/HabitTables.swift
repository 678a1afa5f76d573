extension Table {
  /// The created habits, with the first event that created each.
  ///
  /// An edit may arrive before that event, and has no visible effect until then.
  static let habit = Table("habit", .leastEvent, key: [.id("habit")], [.event])

  /// The fields of habits.
  static let habitField = Table(
    "habit_field", .greatestEvent,
    // The field's number in carillon.v1.HabitFields.
    key: [.id("habit"), .number("field")],
    // Missing: the field was cleared.
    [.event, .any("value").optional])

  /// Whether a habit is archived.
  static let habitArchived = Table(
    "habit_archived", .greatestEvent, key: [.id("habit")], [.event, .flag("archived")])

  /// Deletes of habits.
  ///
  /// A habit is deleted while one of its deletes is not restored. A restore may arrive before the
  /// delete that it names.
  static let habitDelete = Table(
    "habit_delete", .greatestValues,
    // The event of the delete.
    key: [.id("habit"), .event],
    // Whether the delete itself was applied, and whether a restore names it.
    [.flag("deleted"), .flag("restored")])

  /// Schedules, set or removed.
  static let schedule = Table(
    "schedule", .greatestEvent, key: [.id("habit"), .id("schedule")],
    // The payload of the schedule.set event, byte for byte; missing: the schedule was removed.
    [.event, .bytes("payload").optional])

  /// Pauses.
  ///
  /// Of a pause's rows, the one with the greatest event applies.
  ///
  /// There is one row for each habit that the pause ever named, so that erasing a habit restores
  /// what the pause said before.
  static let pause = Table(
    "pause", .greatestEvent,
    // An empty habit means all habits.
    key: [.id("pause"), .id("habit")],
    // Missing: the pause is open-ended.
    [.event, .date("first"), .date("last").optional])
}
