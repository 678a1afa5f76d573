/// A habit's identity in another app's data, so that importing the data again finds the same habit.
package enum ImportKey: Hashable, Sendable {
  /// The permanent identifier that the other app assigned.
  case uuid(String)
  /// A row of a database without permanent identifiers: its number, its title, and the first
  /// repetition in milliseconds since 1970, if there is one.
  case row(Int64, title: String, first: Int64?)
  /// A title and the index among the habits with that title, starting with 0.
  case title(String, ordinal: UInt32)

  /// The encoding defined in `protocol/EVENTS.md`: the kind's byte, followed by the kind's values.
  fileprivate var bytes: [UInt8] {
    switch self {
    case .uuid(let text):
      [0] + Array(text.utf8)
    case .row(let number, let title, let first):
      [1] + number.bigEndianBytes + (first.map { [1] + $0.bigEndianBytes } ?? [0])
        + Array(title.utf8)
    case .title(let title, let ordinal):
      [2] + ordinal.bigEndianBytes + Array(title.utf8)
    }
  }
}

extension Identifier where Subject == Habit {
  /// Returns the ID of a habit from another app: the first 16 bytes of SHA-256 over
  /// `"carillon.import.habit.v1"`, the source (preceded by its length in 2 bytes) and the key.
  package static func imported(from source: String, _ key: ImportKey) -> HabitID {
    let name = Array(source.utf8)
    let bytes =
      Array("carillon.import.habit.v1".utf8) + UInt16(clamping: name.count).bigEndianBytes + name
      + key.bytes
    return Swift.withUnsafeBytes(of: SHA2.digest(of: bytes)) { HabitID(loading: $0) }
  }
}

extension Identifier where Subject == Schedule {
  /// Returns the ID of the only schedule of an imported habit: the first 16 bytes of SHA-256 over
  /// `"carillon.import.schedule.v1"` and the habit's ID.
  package static func imported(of habit: HabitID) -> ScheduleID {
    imported(of: habit, named: "")
  }

  /// Returns the ID of one of several schedules of an imported habit: the first 16 bytes of SHA-256
  /// over `"carillon.import.schedule.v1"`, the habit's ID and the schedule's name.
  package static func imported(of habit: HabitID, named name: String) -> ScheduleID {
    let bytes = Array("carillon.import.schedule.v1".utf8) + habit.bytes + Array(name.utf8)
    return Swift.withUnsafeBytes(of: SHA2.digest(of: bytes)) { ScheduleID(loading: $0) }
  }
}

extension Identifier where Subject == HabitEntry {
  /// Returns the ID of an entry from another app, which has one entry per habit and date.
  ///
  /// The first 16 bytes of SHA-256 over `"carillon.entry.v1"`, the kind's byte 2, the source
  /// (preceded by its length in 2 bytes), the habit's ID and the day.
  package static func imported(from source: String, habit: HabitID, date: CivilDate) -> EntryID {
    // Only the ID of an amount depends on the event.
    let event = EventID(words: (0, 0, 0, 0))
    return EntryKind.imported(source: source).entryID(habit: habit, date: date, event: event)
  }
}
