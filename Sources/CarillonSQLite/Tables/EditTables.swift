extension Table {
  /// The edits that state which events they replace, for each field that they set.
  static let edit = Table(
    "edit", .all, erasedWith: .habit,
    // An empty schedule means the habit itself; the field's number as in `habit_field` and
    // `schedule_field`.
    key: [.id("habit"), .id("schedule"), .number("field"), .event],
    // The value as in these tables; the IDs of the replaced events, 32 bytes each.
    [.any("value").optional, .bytes("replaces")])
}
