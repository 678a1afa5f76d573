/// A completion or an amount that was recorded for a habit and a date.
///
/// An entry's ID is not random. It is derived from the entry's subject, so two devices that record
/// the same thing record the same entry. Undoing and repeating refer to an entry by its ID.
public struct HabitEntry: Hashable, Sendable, Identifiable {
  /// The ID, derived from the entry's subject.
  public let id: EntryID
  /// The habit.
  public let habit: HabitID
  /// The date for which the entry counts.
  public let date: CivilDate
  /// The amount; 1 means done once.
  public let amount: Amount
  /// The events that recorded the entry and were not voided, by ascending ID.
  ///
  /// Never empty.
  package let recordings: [EventID]

  /// Creates a value from its parts.
  package init(
    id: EntryID, habit: HabitID, date: CivilDate, amount: Amount, recordings: [EventID]
  ) {
    self.id = id
    self.habit = habit
    self.date = date
    self.amount = amount
    self.recordings = recordings
  }
}

/// The kind of an entry's subject, which determines its ID.
public enum EntryKind: Hashable, Sendable {
  /// The date was done, without further details.
  case mark
  /// One occurrence was done, from its notification.
  case occurrence(schedule: ScheduleID, time: TimeOfDay)
  /// The entry comes from another app's data.
  ///
  /// The source's name has at most 200 bytes.
  case imported(source: String)
  /// An amount was added.
  ///
  /// Each amount is an entry of its own.
  case amount

  /// The kind's byte in the hash and its number in the payload.
  package var number: UInt8 {
    switch self {
    case .mark: 0
    case .occurrence: 1
    case .imported: 2
    case .amount: 3
    }
  }

  /// Returns the ID of the entry that an event records: the first 16 bytes of SHA-256 over
  /// `"carillon.entry.v1"`, the kind (1 byte) and the kind's values, as `protocol/EVENTS.md`
  /// defines them.
  package func entryID(habit: HabitID, date: CivilDate, event: EventID) -> EntryID {
    var bytes = Array("carillon.entry.v1".utf8) + [number]
    let day = date.rawValue.bigEndianBytes
    switch self {
    case .mark:
      bytes += habit.bytes + day
    case .occurrence(let schedule, let time):
      bytes += habit.bytes + schedule.bytes + day + time.minute.bigEndianBytes
    case .imported(let source):
      return .imported(from: source, habit: habit, date: date)
    case .amount:
      bytes += event.bytes
    }
    return withUnsafeBytes(of: SHA2.digest(of: bytes)) { EntryID(loading: $0) }
  }
}

/// The person's mark for a date on which the habit is not done.
public enum DayMark: String, Hashable, Sendable, CaseIterable {
  /// The mark is removed.
  case clear
  /// The date is skipped and does not count as due.
  case skip
  /// The habit was not done.
  case no
}

/// A range of dates without notifications, for one habit or for all.
public struct Pause: Hashable, Sendable, Identifiable {
  /// The pause's ID, equal on every replica.
  public let id: PauseID
  /// The paused habit, or nil for all habits.
  public var habit: HabitID?
  /// The first paused date.
  public var first: CivilDate
  /// The last paused date, or nil until the pause is ended.
  ///
  /// A date before `first` means that the pause has no effect.
  public var last: CivilDate?

  /// Creates a value from its parts.
  package init(id: PauseID = .random(), habit: HabitID?, first: CivilDate, last: CivilDate?) {
    self.id = id
    self.habit = habit
    self.first = first
    self.last = last
  }

  /// Whether the pause covers a date of a habit.
  package func covers(_ date: CivilDate, of habit: HabitID) -> Bool {
    (self.habit == nil || self.habit == habit) && date >= first && last.map { date <= $0 } ?? true
  }
}
