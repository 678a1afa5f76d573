/// The outcome of a `record`.
public enum RecordOutcome: Hashable, Sendable {
  case recorded(Recorded)
  /// The log's last position is this one, not the one expected; nothing was written.
  case headMoved(LogPosition)
}

/// The events that one call of `record` wrote, in the order given.
public struct Recorded: Hashable, Sendable {
  /// The identity that wrote them.
  public let replica: ReplicaID
  /// The caller's events, without the announcement of a new identity that may precede them.
  public let events: [RecordedEvent]

  /// Creates a value from its parts.
  public init(replica: ReplicaID, events: [RecordedEvent]) {
    self.replica = replica
    self.events = events
  }
}

/// The place and the ID of a recorded event.
public struct RecordedEvent: Hashable, Sendable {
  /// Its position in this log.
  public let position: LogPosition
  /// Its place in this replica's history.
  public let sequence: SequenceNumber
  /// The ID it was given.
  public let id: EventID

  /// Creates a value from its parts.
  public init(position: LogPosition, sequence: SequenceNumber, id: EventID) {
    self.position = position
    self.sequence = sequence
    self.id = id
  }
}

/// The outcome of one run of an `append`.
public enum AppendOutcome: Hashable, Sendable {
  /// The events at these positions are new; the first `held` events of the run were already held.
  case appended(ClosedRange<LogPosition>, held: Int)
  /// All events of the run were already held; `repaired` is the number of them that were repaired.
  case duplicate(repaired: Int)
  /// The log does not hold the event before the run, or an event at which the run closes a branch.
  /// `expected` is the sequence after the greatest one held of the run's replica.
  case gap(expected: SequenceNumber)
  /// The log has the maximum number of heads, so it opens no further branch for events of others.
  case headsFull
}
