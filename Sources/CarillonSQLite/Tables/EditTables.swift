internal import CarillonModel

extension Table {
  /// The edits and other events of a habit that state which events they replace or had seen.
  static let edit = Table(
    "edit", .all, erasedWith: .habit,
    // An empty schedule means the habit itself; the number is that of ``EditKey``.
    key: [.id("habit"), .id("schedule"), .number("field"), .event],
    // The value as in the table of the field; the IDs of the stated events, 32 bytes each.
    [.any("value").optional, .bytes("replaces")])

  /// The events that set a setting and state which events they replace.
  static let settingEdit = Table(
    "setting_edit", .all, erasedWith: .nothing,
    key: [.text("name"), .event],
    // The value as in `setting`; the IDs of the replaced events, 32 bytes each.
    [.text("value").optional, .bytes("replaces")])
}

/// What an event of a habit sets: the key of its row in `edit`, without the event.
struct EditKey: Hashable {
  let habit: HabitID
  /// Nil for what belongs to the habit itself.
  let schedule: ScheduleID?
  /// The number of the field, as in `schedule_field` or `habit_field`; or one of those below.
  let number: Int64

  init(_ habit: HabitID, _ schedule: ScheduleID? = nil, _ number: Int64) {
    (self.habit, self.schedule, self.number) = (habit, schedule, number)
  }

  /// Returns the key of the note on a date.
  static func note(_ habit: HabitID, _ date: CivilDate) -> EditKey {
    EditKey(habit, nil, firstNote + Int64(date.rawValue))
  }

  /// Whether the habit is archived.
  static let archived: Int64 = 20
  /// A delete of the habit.
  static let deleted: Int64 = 21
  /// A removal of the schedule.
  static let removed: Int64 = 64
  /// The note on 1970-01-01; those of later dates follow.
  private static let firstNote: Int64 = 1_000

  /// The field that an edit sets; nil for other events and for the number of no field.
  var field: EditConflict.Field? {
    if let schedule {
      return ScheduleField.allCases.first { $0.number == Int(number) }
        .map { .schedule(schedule, $0) }
    }
    if number >= Self.firstNote {
      return Int32(exactly: number - Self.firstNote).map { .note(CivilDate(rawValue: $0)) }
    }
    return UInt32(exactly: number).flatMap(HabitField.init(rawValue:)).map { .habit($0) }
  }

  /// Returns the event that determines the field's value; nil if none sets it.
  func winner(_ connection: Connection) throws -> EventID? {
    let rows =
      switch field {
      case .schedule(let schedule, _):
        try connection.query(
          "SELECT event FROM schedule_field WHERE habit = ?1 AND schedule = ?2 AND field = ?3",
          habit, schedule, number)
      case .note(let date):
        try connection.query("SELECT event FROM note WHERE habit = ?1 AND day = ?2", habit, date)
      default:
        try connection.query(
          "SELECT event FROM habit_field WHERE habit = ?1 AND field = ?2", habit, number)
      }
    return try rows.step() ? try rows.eventID(0) : nil
  }
}
