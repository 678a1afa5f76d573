internal import Crypto

/// What somebody did on a date, by name: what undoing and repeating an entry refer to.
///
/// An entry has no random id. Its id follows from what it is of, so that two devices that record
/// the same thing record the same entry.
public struct Entry: Hashable, Sendable, Identifiable {
  /// Follows from what the entry is of.
  public let id: EntryID
  /// The habit that was done.
  public let habit: HabitID
  /// The date for which it counts.
  public let date: CivilDate
  /// Thousandths; 1000 is done once.
  public let value: Int64
  /// The recordings that no void names, by ascending ID; never empty.
  public let recordings: [EventID]

  /// Makes a value of its parts.
  public init(
    id: EntryID, habit: HabitID, date: CivilDate, value: Int64, recordings: [EventID]
  ) {
    self.id = id
    self.habit = habit
    self.date = date
    self.value = value
    self.recordings = recordings
  }
}

/// What an entry is of; decides its id.
public enum EntryKind: Hashable, Sendable {
  /// The date was done, without more.
  case mark
  /// One occurrence was done, from its notification.
  case occurrence(schedule: ScheduleID, time: TimeOfDay)
  /// It came from another app's data; the source's name has at most 200 bytes.
  case imported(source: String)
  /// An amount was added; each one is an entry of its own.
  case amount

  /// The kind's byte in the hash, and its number in the payload.
  package var number: UInt8 {
    switch self {
    case .mark: 0
    case .occurrence: 1
    case .imported: 2
    case .amount: 3
    }
  }

  /// The id of the entry that an event records: the first 16 bytes of SHA-256 over
  /// `"carillon.entry.v1"`, the kind (1 byte) and what the kind names (`notes` of `EVENTS.md`).
  package func entryID(habit: HabitID, date: CivilDate, event: EventID) -> EntryID {
    var hash = SHA256()
    hash.update(data: Array("carillon.entry.v1".utf8) + [number])
    let day = date.rawValue.bigEndianBytes
    switch self {
    case .mark:
      hash.update(data: habit.bytes + day)
    case .occurrence(let schedule, let time):
      hash.update(data: habit.bytes + schedule.bytes + day + time.minute.bigEndianBytes)
    case .imported(let source):
      return .imported(from: source, habit: habit, date: date)
    case .amount:
      hash.update(data: event.bytes)
    }
    return hash.finalize().withUnsafeBytes { EntryID(loading: $0) }
  }
}

/// What somebody says of a date without doing the habit.
public enum DayMark: String, Hashable, Sendable, CaseIterable {
  /// The mark is taken back.
  case clear
  /// The date is not due.
  case skip
  /// It was not done.
  case no
}

/// A range of dates without reminders, of one habit or of all.
public struct Pause: Hashable, Sendable, Identifiable {
  /// Names the pause on every replica.
  public let id: PauseID
  /// Nil: all habits.
  public var habit: HabitID?
  /// The first date without reminders.
  public var first: CivilDate
  /// Nil: until it is resumed.
  ///
  /// A date before `first` is a pause that never was.
  public var last: CivilDate?

  /// Makes a value of its parts.
  public init(id: PauseID = .random(), habit: HabitID?, first: CivilDate, last: CivilDate?) {
    self.id = id
    self.habit = habit
    self.first = first
    self.last = last
  }

  /// Whether a date of a habit is paused by it.
  public func covers(_ date: CivilDate, of habit: HabitID) -> Bool {
    (self.habit == nil || self.habit == habit) && date >= first && last.map { date <= $0 } ?? true
  }
}
