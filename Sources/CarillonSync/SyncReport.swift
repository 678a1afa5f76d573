package import CarillonModel

/// The result of a sync, as its initiator sees it.
public struct SyncReport: Hashable, Sendable, Codable {
  /// The way the difference was found.
  package enum Method: String, Hashable, Sendable, Codable {
    /// Both logs were equal.
    case equal
    /// The version vectors showed the difference.
    case vector
    /// A replica's history had forked.
    case fork
  }

  /// The side whose state does not match its events.
  package enum StateDifference: String, Hashable, Sendable, Codable {
    /// This side's state does not match; rebuild it.
    case here
    /// The peer's state does not match; rebuild it there.
    case there
    /// Both states match a fresh rebuild: one side lacks a payload that the other has.
    case both
  }

  /// The way the difference was found.
  package var method = Method.equal
  /// The number of messages in both directions, including repeated ones.
  package var messages = 0
  /// The length of the longest chain of messages in which each waited for the previous answer.
  package var roundTrips = 0
  /// The bytes of all messages sent.
  public var bytesSent = 0
  /// The bytes of all messages received.
  public var bytesReceived = 0
  /// The number of events that the peer lacked and now holds.
  public var eventsSent = 0
  /// The number of events that this side lacked and now holds.
  public var eventsReceived = 0
  /// The number of events that this side holds only as IDs at the end.
  ///
  /// Their content is damaged or missing on the peer too. A session counts the events that it
  /// received this way; a store counts all of them.
  package var missingHere = 0
  /// The number of events that the peer holds only as IDs at the end, as far as known.
  ///
  /// For a replica behind a transport, this counts the events that were sent this way.
  package var missingThere = 0
  /// The number of damaged or missing events that were repaired on this side.
  public var repaired = 0
  /// The number of damaged or missing events that were repaired on the peer.
  package var repairedThere = 0
  /// The damaged events that an audit found on either side and that could not be repaired.
  package var unrepaired: [SyncDamage] = []
  /// Whether both sides hold the same intact events, but their state digests differ.
  ///
  /// Only an audit compares state digests.
  package var statesDiffer = false
  /// The side whose state does not match its events; nil if the states do not differ.
  package var stateDifference: StateDifference?
  /// Forks that were found.
  package var forks: [SyncFork] = []
  /// New identities that were taken because unknown events of the old ReplicaID arrived.
  package var newIdentities: [SyncNewIdentity] = []
  /// What was refused, and why; everything else was exchanged.
  ///
  /// Refusals by the peer begin with `the peer: `.
  public var refused: [String] = []
  /// Whether one side still holds events that the other lacks, because they were refused or did not
  /// arrive.
  package var headsDiffer = false
  /// Conditions that need attention, even if the sync is complete.
  public var warnings: [String] = []

  /// Whether both sides hold the same events with their content, and no audit found different
  /// states.
  public var isComplete: Bool {
    refused.isEmpty && !headsDiffer && unrepaired.isEmpty && missingHere + missingThere == 0
      && stateDifference == nil
  }

  /// Creates an empty report.
  package init() {}

  /// Adds the numbers of another sync with the same peer.
  package mutating func add(_ other: SyncReport) {
    messages += other.messages
    roundTrips += other.roundTrips
    bytesSent += other.bytesSent
    bytesReceived += other.bytesReceived
    eventsSent += other.eventsSent
    eventsReceived += other.eventsReceived
    missingHere += other.missingHere
    missingThere += other.missingThere
    repaired += other.repaired
    repairedThere += other.repairedThere
    statesDiffer = other.statesDiffer
    newIdentities += other.newIdentities
    refused += other.refused
  }
}

/// A history that two copies of one replica continued separately.
package struct SyncFork: Hashable, Sendable, Codable {
  /// The replica whose history forked.
  package let replica: ReplicaID
  /// The first sequence at which the histories differ.
  package let sequence: UInt64
  /// The replica's heads, by ascending ID.
  package let heads: [EventID]

  /// Creates a value from its parts.
  package init(replica: ReplicaID, sequence: UInt64, heads: [EventID]) {
    self.replica = replica
    self.sequence = sequence
    self.heads = heads
  }
}

/// An event whose content does not hash to its ID and that could not be repaired.
package struct SyncDamage: Hashable, Sendable, Codable {
  /// The replica that wrote the event.
  package let replica: ReplicaID
  /// The event's sequence in that replica's history.
  package let sequence: UInt64
  /// Whether the peer's copy is damaged; otherwise this side's copy is.
  package let isRemote: Bool

  /// Creates a value from its parts.
  package init(replica: ReplicaID, sequence: UInt64, isRemote: Bool) {
    self.replica = replica
    self.sequence = sequence
    self.isRemote = isRemote
  }
}

/// A replica that took a new identity.
package struct SyncNewIdentity: Hashable, Sendable, Codable {
  /// The new ReplicaID.
  package let replica: ReplicaID
  /// The previous ReplicaID.
  package let predecessor: ReplicaID

  /// Creates a value from its parts.
  package init(replica: ReplicaID, predecessor: ReplicaID) {
    self.replica = replica
    self.predecessor = predecessor
  }
}

/// The progress of a sync.
public struct SyncProgress: Hashable, Sendable {
  /// The number of events that the peer has confirmed.
  public var eventsSent = 0
  /// The number of events appended here.
  public var eventsReceived = 0
  /// The total number of events to send, as far as known from the vectors.
  public var eventsToSend = 0
  /// The total number of events to receive, as far as known from the vectors.
  public var eventsToReceive = 0

  /// Creates a value with nothing done.
  package init() {}
}
