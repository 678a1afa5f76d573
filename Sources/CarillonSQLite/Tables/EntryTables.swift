extension Table {
  /// Recordings of entries.
  static let entry = Table(
    "entry", .all,
    // The entry's id is computed from what the entry is of.
    key: [.id("habit"), .date("day"), .id("entry"), .event],
    // Thousandths; 1000 is done once.
    [.number("value"), .instant("at"), .text("note").optional])

  /// Recordings that were taken back.
  ///
  /// An entry lives while one recording of it is not here; a void may come before the recording
  /// that it names.
  static let entryVoid = Table("entry_void", .all, key: [.id("entry"), .event], [])

  /// What the person said of dates.
  static let dayMark = Table(
    "day_mark", .greatestEvent, key: [.id("habit"), .date("day")],
    // skip, no or clear.
    [.event, .text("mark")])

  /// Notes on dates.
  ///
  /// Without a text the note was removed.
  static let note = Table(
    "note", .greatestEvent, key: [.id("habit"), .date("day")],
    [.event, .text("text").optional])
}
