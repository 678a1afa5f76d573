/// What a writing verb wrote; empty where nothing had to change.
public struct Written: Hashable, Sendable {
  /// One event: where it stands, and its kind.
  public struct Item: Hashable, Sendable {
    /// Its place in this log.
    public let position: Position
    /// Its place in this replica's history.
    public let sequence: SequenceNumber
    /// Its ID.
    public let id: EventID
    /// Its kind.
    public let kind: Payload.Kind
  }

  /// In the order in which they were written.
  public let events: [Item]
  /// The date that was meant, of a verb that is said of one; else nil.
  public private(set) var date: CivilDate?

  init(events: [Item], date: CivilDate? = nil) {
    self.events = events
    self.date = date
  }

  /// Nothing was written.
  static let nothing = Written(events: [])
}

/// A habit that was added, and what was written for it.
public struct AddedHabit: Hashable, Sendable {
  /// The habit.
  public let id: HabitID
  /// Its schedules, in the order given.
  public let schedules: [ScheduleID]
  /// What was written.
  public let written: Written
}

/// A date as people name it.
public enum Day: Hashable, Sendable {
  /// What a person means who names no date; ``Store/markDone(_:on:amount:)``,
  /// ``Store/undo(_:on:)`` and ``Store/skip(_:on:)`` say which that is. Elsewhere as ``today``.
  case due
  /// The logical date of the store's clock, in the device's zone.
  case today
  case date(CivilDate)
}
