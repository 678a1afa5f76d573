extension Table {
  /// The habits that were created, by the first event that did.
  ///
  /// An edit may come before it, and shows nothing until.
  static let habit = Table("habit", .leastEvent, key: [.id("habit")], [.event])

  /// The fields of habits.
  static let habitField = Table(
    "habit_field", .greatestEvent,
    // The field's number in carillon.v1.HabitFields.
    key: [.id("habit"), .number("field")],
    // Missing: the field is cleared.
    [.event, .any("value").optional])

  /// Whether a habit is archived.
  static let habitArchived = Table(
    "habit_archived", .greatestEvent, key: [.id("habit")], [.event, .flag("archived")])

  /// Deletes of habits.
  ///
  /// A habit is deleted while one delete is not restored; a restore may come before the delete that
  /// it names.
  static let habitDelete = Table(
    "habit_delete", .greatestValues,
    // The event of the delete.
    key: [.id("habit"), .event],
    // Whether the delete itself was seen, and whether a restore names it.
    [.flag("deleted"), .flag("restored")])

  /// Schedules, set and removed.
  static let schedule = Table(
    "schedule", .greatestEvent, key: [.id("habit"), .id("schedule")],
    // The payload of the schedule.set, byte for byte; missing: the schedule is removed.
    [.event, .bytes("payload").optional])

  /// Pauses: of a pause's rows the one with the greatest event holds.
  ///
  /// There is a row for each habit that it ever named, so that erasing one brings back what was
  /// said before.
  static let pause = Table(
    "pause", .greatestEvent,
    // No bytes for the habit: all habits.
    key: [.id("pause"), .id("habit")],
    // Missing: it is open.
    [.event, .date("first"), .date("last").optional])
}
