/// The index of a branch in one log, in the order in which the log met them.
///
/// Indices never travel: the same branch may have another index on another replica.
public struct BranchIndex: RawRepresentable, Hashable, Comparable, Sendable {
  /// The value itself.
  public let rawValue: UInt32

  /// Takes the value as it is.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Compares the values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One line of a replica's history; a replica has one, more only after a fork.
public struct Branch: Hashable, Sendable {
  /// Where a branch left another: the last event they share.
  public struct Parent: Hashable, Sendable {
    /// The branch that was left.
    public let branch: BranchIndex
    /// The place of the last event they share.
    public let sequence: SequenceNumber

    /// Makes a value of its parts.
    public init(branch: BranchIndex, sequence: SequenceNumber) {
      self.branch = branch
      self.sequence = sequence
    }
  }

  /// An event on the branch that closes others.
  public struct Closing: Hashable, Sendable {
    /// Its place in the log, which orders the closings of all branches.
    public let position: Position
    /// Its place on the branch.
    public let sequence: SequenceNumber
    /// The events that it names: nothing more is written behind them.
    public let closed: [Place]

    /// Makes a value of its parts.
    public init(position: Position, sequence: SequenceNumber, closed: [Place]) {
      self.position = position
      self.sequence = sequence
      self.closed = closed
    }
  }

  /// An event by the branch on which it stands.
  public struct Place: Hashable, Sendable {
    /// The branch.
    public let branch: BranchIndex
    /// The event's place on it.
    public let sequence: SequenceNumber

    /// Makes a value of its parts.
    public init(branch: BranchIndex, sequence: SequenceNumber) {
      self.branch = branch
      self.sequence = sequence
    }
  }

  /// The branch's own index.
  public let index: BranchIndex
  /// Who wrote it.
  public let replica: ReplicaID
  /// Nil for a branch that starts with sequence 1.
  public let parent: Parent?
  /// The sequence of the last event.
  public package(set) var headSequence: SequenceNumber
  /// The ID of the last event.
  public package(set) var headID: EventID
  /// The events on the branch itself that close branches, by ascending sequence.
  public package(set) var closings: [Closing] = []
  /// Whether an event of the log closes the branch at its head.
  ///
  /// The head of such a branch is in no version vector. An event behind it opens the branch again.
  public package(set) var isClosed = false

  /// Makes an open branch of its parts.
  public init(
    index: BranchIndex, replica: ReplicaID, parent: Parent?, headSequence: SequenceNumber,
    headID: EventID
  ) {
    self.index = index
    self.replica = replica
    self.parent = parent
    self.headSequence = headSequence
    self.headID = headID
  }

  /// The sequence of the first event that stands on this branch itself.
  public var firstSequence: SequenceNumber { parent?.sequence.next ?? .first }

  /// The branch's head as it stands in a version vector.
  public var head: Head { Head(replica: replica, sequence: headSequence, id: headID) }
}

/// An event without a successor: its replica, sequence and ID.
public struct Head: Hashable, Sendable {
  /// Who wrote the event.
  public let replica: ReplicaID
  /// The event's place on its branch.
  public let sequence: SequenceNumber
  /// The event's ID.
  public let id: EventID

  /// Makes a value of its parts.
  public init(replica: ReplicaID, sequence: SequenceNumber, id: EventID) {
    self.replica = replica
    self.sequence = sequence
    self.id = id
  }
}

/// The heads of a log's open branches, by ascending ID.
///
/// Each head commits to its whole history, and an event that closes branches to the heads that it
/// names, which a log holds before it takes the event in. So equal vectors mean equal logs.
public struct VersionVector: Hashable, Sendable {
  /// The heads, by ascending ID.
  public let heads: [Head]

  /// The most heads that a vector holds when logs are compared.
  package static let maxHeads = 2_048
  /// The number of heads from which on a log takes in no run that opens one more branch, be it a
  /// closed one.
  ///
  /// What lies between this and ``maxHeads`` is left for identities of the log's own.
  public static let maxTakenHeads = 1_984

  /// Sorts the heads by ID.
  public init(_ heads: some Collection<Head>) {
    self.heads = heads.sorted { $0.id < $1.id }
  }

  /// The heads of the branches that are open: since an event whose previous ID is a branch's head
  /// extends that branch, every branch's last event is a head.
  public init(branches: [Branch]) {
    self.init(branches.filter { !$0.isClosed }.map(\.head))
  }
}
