/// What became of a `record`.
public enum RecordOutcome: Hashable, Sendable {
  case recorded(Recorded)
  /// The log's last position is this one, not the one expected; nothing was written.
  case headMoved(Position)
}

/// What one call of `record` wrote, in the order given.
public struct Recorded: Hashable, Sendable {
  /// Under which name.
  public let replica: ReplicaID
  /// The caller's events; what a new identity said before them is not among them.
  public let events: [RecordedEvent]

  /// Makes a value of its parts.
  public init(replica: ReplicaID, events: [RecordedEvent]) {
    self.replica = replica
    self.events = events
  }
}

/// Where an event of one call was written.
public struct RecordedEvent: Hashable, Sendable {
  /// Its place in this log.
  public let position: Position
  /// Its place in this replica's history.
  public let sequence: SequenceNumber
  /// The ID it was given.
  public let id: EventID

  /// Makes a value of its parts.
  public init(position: Position, sequence: SequenceNumber, id: EventID) {
    self.position = position
    self.sequence = sequence
    self.id = id
  }
}

/// What became of one run of an `append`.
public enum AppendOutcome: Hashable, Sendable {
  /// These positions are new; the first `held` events of the run were there already.
  case appended(ClosedRange<Position>, held: Int)
  /// All events of the run were there already; so many of them were repaired.
  case duplicate(repaired: Int)
  /// The event before the run is not held, or one at which the run closes a branch. `expected` is
  /// the sequence after the greatest that is held of the run's replica.
  case gap(expected: SequenceNumber)
  /// The log has so many heads that it opens no further branch for events of others.
  case headsFull
}
