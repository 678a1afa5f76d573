internal import CarillonModel

extension Table {
  /// The created habits, with the first event that created each.
  ///
  /// An edit may arrive before that event, and has no visible effect until then.
  static let habit = Table("habit", .leastEvent, erasedWith: .habit, key: [.id("habit")], [.event])

  /// The fields of habits.
  static let habitField = Table(
    "habit_field", .greatestEvent, erasedWith: .habit,
    // The field's number in carillon.v1.HabitFields.
    key: [.id("habit"), .number("field")],
    // Missing: the field was cleared.
    [.event, .any("value").optional],
    // For the habits with a title.
    indexes: ["habit_title ON habit_field (value) WHERE \(isTitle)"])

  /// The condition that a field of a habit is its title.
  static let isTitle = "field = \(HabitField.title.rawValue)"

  /// Whether a habit is archived.
  static let habitArchived = Table(
    "habit_archived", .greatestEvent, erasedWith: .habit, key: [.id("habit")],
    [.event, .flag("archived")])

  /// Deletes of habits.
  ///
  /// A habit is deleted while one of its deletes is not restored. A restore may arrive before the
  /// delete that it names.
  static let habitDelete = Table(
    "habit_delete", .greatestValues, erasedWith: .habit,
    // The event of the delete.
    key: [.id("habit"), .event],
    // Whether the delete itself was applied, and whether a restore names it.
    [.flag("deleted"), .flag("restored")])

  /// Schedules, set or removed: whether the last of a schedule's events removes it.
  static let schedule = Table(
    "schedule", .greatestEvent, erasedWith: .habit, key: [.id("habit"), .id("schedule")],
    [.event, .flag("removed")])

  /// The first event that set each schedule.
  static let scheduleCreated = Table(
    "schedule_created", .leastEvent, erasedWith: .habit, key: [.id("habit"), .id("schedule")],
    [.event])

  /// The fields of schedules.
  static let scheduleField = Table(
    "schedule_field", .greatestEvent, erasedWith: .habit,
    // The field's number in carillon.v1.ScheduleSet; 32 for every rule.
    key: [.id("habit"), .id("schedule"), .number("field")],
    // The field of the event's payload, byte for byte and with its tag; missing: the field was
    // cleared.
    [.event, .bytes("value").optional])

  /// Pauses.
  ///
  /// Of a pause's rows, the one with the greatest event applies.
  ///
  /// There is one row for each habit that the pause ever named, so that erasing a habit restores
  /// what the pause said before.
  static let pause = Table(
    "pause", .greatestEvent, erasedWith: .habit,
    // An empty habit means all habits.
    key: [.id("pause"), .id("habit")],
    // Missing: the pause is open-ended.
    [.event, .date("first"), .date("last").optional])
}
