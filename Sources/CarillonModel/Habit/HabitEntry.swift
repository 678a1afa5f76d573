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
    let textCount = if case .imported(let source) = self { source.utf8.count } else { 0 }
    return withUnsafeTemporaryAllocation(
      byteCount: Self.maxSubjectBytes + textCount, alignment: 8
    ) { buffer in
      var subject = EntrySubject(buffer)
      subject.add(Self.domain)
      subject.add(number)
      switch self {
      case .mark:
        subject.add(habit)
        subject.add(date.rawValue)
      case .occurrence(let schedule, let time):
        subject.add(habit)
        subject.add(schedule)
        subject.add(date.rawValue)
        subject.add(time.minute)
      case .imported(let source):
        subject.add(UInt16(clamping: textCount))
        subject.add(source.utf8)
        subject.add(habit)
        subject.add(date.rawValue)
      case .amount:
        event.withUnsafeBytes { subject.add($0) }
      }
      return withUnsafeBytes(of: SHA2.digest(of: subject.bytes)) { EntryID(loading: $0) }
    }
  }

  private static let domain = Array("carillon.entry.v1".utf8)
  /// The maximum number of bytes that are hashed, without the name of a source.
  private static let maxSubjectBytes = 64
}

/// The bytes whose hash is an entry's ID, in memory that the caller provides.
private struct EntrySubject {
  private let buffer: UnsafeMutableRawBufferPointer
  private var count = 0

  init(_ buffer: UnsafeMutableRawBufferPointer) {
    self.buffer = buffer
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

  mutating func add(_ bytes: some Collection<UInt8>) {
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: bytes)
    count += bytes.count
  }

  mutating func add<Subject>(_ id: Identifier<Subject>) {
    id.withUnsafeBytes { add($0) }
  }

  /// Adds a number, most significant byte first.
  mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { add($0) }
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
