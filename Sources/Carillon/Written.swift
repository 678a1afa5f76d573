public import CarillonModel

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
  /// The dates that were not skipped because they are done.
  package internal(set) var keptDone: [CivilDate] = []
  /// The time that was recorded for an earlier date instead of now, since none was given.
  package internal(set) var assumedMoment: Instant?
  /// The entry that was recorded.
  package internal(set) var entry: EntryID?

  init(events: [Item], date: CivilDate? = nil) {
    self.events = events
    self.date = date
  }

  /// Sets ``entry`` to the ID of a recorded entry.
  mutating func nameEntry(_ recorded: EntryRecorded?) {
    guard let recorded, let event = events.first(where: { $0.kind == .entryRecorded }) else {
      return
    }
    entry = recorded.kind.entryID(habit: recorded.habit, date: recorded.date, event: event.id)
  }

  /// The value for nothing written.
  static let nothing = Written(events: [])
}
