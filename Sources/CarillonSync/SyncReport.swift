public import CarillonModel

/// What a sync did, as the side sees it that led.
public struct SyncReport: Hashable, Sendable, Codable {
  /// How the difference was found.
  public enum Method: String, Hashable, Sendable, Codable {
    /// Both were equal.
    case equal
    /// The vectors told it.
    case vector
    /// A replica's history had been continued twice.
    case fork
  }

  /// Which side's state is not what its events come to.
  public enum StateDifference: String, Hashable, Sendable, Codable {
    /// This side's: rebuild it.
    case here
    /// The other side's: rebuild it there.
    case there
    /// Neither, as far as a fresh build of each tells: one side lacks a payload that the other has.
    case both
  }

  /// How the difference was found.
  public var method = Method.equal
  /// Messages in both directions, repeated ones included.
  public var messages = 0
  /// The longest chain of messages and answers in which each waited for the one before.
  public var roundTrips = 0
  /// Bytes of the messages sent.
  public var bytesSent = 0
  /// Bytes of the messages received.
  public var bytesReceived = 0
  /// Events that the other side lacked and now holds.
  public var eventsSent = 0
  /// Events that this side lacked and now holds.
  public var eventsReceived = 0
  /// Events that this side holds as their IDs alone at the end.
  ///
  /// Their content is damaged or missing on the other side too. A session counts those that came
  /// so, a store all.
  public var missingHere = 0
  /// Events that the other side holds as their IDs alone at the end, as far as this side knows.
  ///
  /// Of a replica behind a link that is those that were sent so.
  public var missingThere = 0
  /// Events that were damaged, or whose payload was missing, and are whole again on this side.
  public var repaired = 0
  /// Events that were damaged on the other side, or lacked their payload there, and got it back.
  public var repairedThere = 0
  /// Events that an audit found damaged on either side and that the other could not give.
  public var unrepaired: [SyncDamage] = []
  /// Whether both hold the same events, all of them whole, and yet their state digests differ; only
  /// an audit compares them.
  public var statesDiffer = false
  /// Where the state is not what the events come to; nil where the states do not differ.
  public var stateDifference: StateDifference?
  /// Forks that came to light.
  public var forks: [SyncFork] = []
  /// New names that were taken, since events under the old one came back from elsewhere.
  public var newIdentities: [SyncNewIdentity] = []
  /// What was left out, and why; the rest was exchanged.
  ///
  /// What the other side refused begins with `the other side: `.
  public var refused: [String] = []
  /// Whether one side still holds events that the other lacks, since they were refused or did not
  /// come.
  public var headsDiffer = false
  /// What somebody should look at, though the sync may be complete.
  public var warnings: [String] = []

  /// Whether both sides hold the same events with their content, and an audit found equal states.
  public var isComplete: Bool {
    refused.isEmpty && !headsDiffer && unrepaired.isEmpty && missingHere + missingThere == 0
      && stateDifference == nil
  }

  /// Makes an empty report.
  public init() {}

  /// Adds what a further sync with the same side did.
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

/// A history that two copies of one replica continued apart.
public struct SyncFork: Hashable, Sendable, Codable {
  /// Whose history.
  public let replica: ReplicaID
  /// The first sequence at which the histories differ.
  public let sequence: UInt64
  /// The replica's heads, by ascending ID.
  public let heads: [EventID]

  /// Makes a value of its parts.
  public init(replica: ReplicaID, sequence: UInt64, heads: [EventID]) {
    self.replica = replica
    self.sequence = sequence
    self.heads = heads
  }
}

/// An event that does not come to its ID and could not be repaired.
public struct SyncDamage: Hashable, Sendable, Codable {
  /// Whose history it belongs to.
  public let replica: ReplicaID
  /// Its place there.
  public let sequence: UInt64
  /// Whether it is the other side's copy that is damaged; else it is this side's.
  public let isRemote: Bool

  /// Makes a value of its parts.
  public init(replica: ReplicaID, sequence: UInt64, isRemote: Bool) {
    self.replica = replica
    self.sequence = sequence
    self.isRemote = isRemote
  }
}

/// A replica that took a new name.
public struct SyncNewIdentity: Hashable, Sendable, Codable {
  /// The new name.
  public let replica: ReplicaID
  /// The one before.
  public let predecessor: ReplicaID

  /// Makes a value of its parts.
  public init(replica: ReplicaID, predecessor: ReplicaID) {
    self.replica = replica
    self.predecessor = predecessor
  }
}

/// How far a sync is.
public struct SyncProgress: Hashable, Sendable {
  /// Events that the other side has confirmed.
  public var eventsSent = 0
  /// Events that were appended here.
  public var eventsReceived = 0
  /// What is to be sent in all, as far as the vectors tell.
  public var eventsToSend = 0
  /// What is to be received in all, as far as the vectors tell.
  public var eventsToReceive = 0

  /// Makes a value with nothing done.
  public init() {}
}
