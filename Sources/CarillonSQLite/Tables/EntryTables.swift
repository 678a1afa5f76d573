extension Table {
  /// Recordings of entries.
  static let entry = Table(
    "entry", .all, erasedWith: .habit,
    // The entry's ID is computed from its kind and what identifies an entry of that kind.
    key: [.id("habit"), .date("day"), .id("entry"), .event],
    // In thousandths; 1000 means done once.
    [.number("value"), .instant("at"), .text("note").optional])

  /// Recordings that were withdrawn.
  ///
  /// An entry is live while one of its recordings is not in this table. A void may arrive before
  /// the recording that it names.
  static let entryVoid = Table(
    "entry_void", .all, erasedWith: .nothing, key: [.id("entry"), .event], [])

  /// The condition that a recording of an entry was not withdrawn.
  ///
  /// A subquery with `EXISTS` would be started again for each row, and `NOT IN` with several
  /// columns looks for a missing value in each row of the other table.
  static let isLive = "iif((entry, event) IN (SELECT entry, event FROM entry_void), FALSE, TRUE)"

  /// The person's marks of dates.
  static let dayMark = Table(
    "day_mark", .greatestEvent, erasedWith: .habit, key: [.id("habit"), .date("day")],
    // skip, no or clear.
    [.event, .text("mark")])

  /// Notes on dates.
  ///
  /// A row without text means that the note was removed.
  static let note = Table(
    "note", .greatestEvent, erasedWith: .habit, key: [.id("habit"), .date("day")],
    [.event, .text("text").optional])
}
