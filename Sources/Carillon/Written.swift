/// What a verb wrote; empty if nothing had to change.
public struct Written: Hashable, Sendable {
  /// One written event.
  public struct Item: Hashable, Sendable {
    /// Its position in this log.
    public let position: LogPosition
    /// Its sequence in this replica's history.
    package let sequence: SequenceNumber
    /// Its ID.
    public let id: EventID
    /// Its kind.
    public let kind: Payload.Kind
  }

  /// The events in the order in which they were written.
  public let events: [Item]
  /// The date that the verb concerned; nil if the verb has none.
  public private(set) var date: CivilDate?

  init(events: [Item], date: CivilDate? = nil) {
    self.events = events
    self.date = date
  }

  /// The value for nothing written.
  static let nothing = Written(events: [])
}

/// A habit that was added, and the events that add it.
public struct AddedHabit: Hashable, Sendable {
  /// The habit's ID.
  public let id: HabitID
  /// The IDs of its schedules, in the order given.
  public let schedules: [ScheduleID]
  /// What was written.
  public let written: Written
}

/// A date, absolute or relative to now.
public enum HabitDate: Hashable, Sendable {
  /// The default date of a verb, for a person who names none.
  ///
  /// ``Store/markDone(_:on:amount:)``, ``Store/clear(_:on:)`` and ``Store/skip(_:on:)`` document
  /// it; for other functions it is ``today``.
  case due
  /// The current logical date, in the device's zone.
  case today
  case date(CivilDate)
}
