/// The index of a branch in one log, in the order in which the log received the branches.
///
/// Indices are never sent: the same branch may have another index on another replica.
public struct BranchIndex: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt32

  /// Creates a value from a raw value.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Compares the numbers.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One line of a replica's history.
///
/// A replica has one branch, and more only after a fork.
public struct Branch: Hashable, Sendable {
  /// The place where a branch left another: the last event that both share.
  public struct Parent: Hashable, Sendable {
    /// The branch that was left.
    public let branch: BranchIndex
    /// The sequence of the last shared event.
    public let sequence: SequenceNumber

    /// Creates a value from its parts.
    public init(branch: BranchIndex, sequence: SequenceNumber) {
      self.branch = branch
      self.sequence = sequence
    }
  }

  /// An event on the branch that closes other branches.
  public struct Closing: Hashable, Sendable {
    /// Its position in the log, which orders the closing events of all branches.
    public let position: LogPosition
    /// Its sequence on the branch.
    public let sequence: SequenceNumber
    /// The heads that it names; no more events are expected after them.
    public let closed: [Place]

    /// Creates a value from its parts.
    public init(position: LogPosition, sequence: SequenceNumber, closed: [Place]) {
      self.position = position
      self.sequence = sequence
      self.closed = closed
    }
  }

  /// The place of an event: a branch and a sequence on it.
  public struct Place: Hashable, Sendable {
    /// The branch of the event.
    public let branch: BranchIndex
    /// The event's sequence on the branch.
    public let sequence: SequenceNumber

    /// Creates a value from its parts.
    public init(branch: BranchIndex, sequence: SequenceNumber) {
      self.branch = branch
      self.sequence = sequence
    }
  }

  /// The branch's own index.
  public let index: BranchIndex
  /// The replica that wrote the branch.
  public let replica: ReplicaID
  /// The place where the branch left another; nil for a branch that starts with sequence 1.
  public let parent: Parent?
  /// The sequence of the last event.
  public package(set) var headSequence: SequenceNumber
  /// The ID of the last event.
  public package(set) var headID: EventID
  /// The events on the branch itself that close branches, by ascending sequence.
  public package(set) var closings: [Closing] = []
  /// Whether an event of the log closes the branch at its head.
  ///
  /// Version vectors leave out the heads of closed branches. Another event after the head opens the
  /// branch again.
  public package(set) var isClosed = false

  /// Creates an open branch from its parts.
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

  /// The sequence of the first event on this branch itself.
  public var firstSequence: SequenceNumber { parent?.sequence.next ?? .first }

  /// The branch's head, as it is listed in a version vector.
  public var head: Head { Head(replica: replica, sequence: headSequence, id: headID) }
}

/// An event without a successor: its replica, sequence and ID.
public struct Head: Hashable, Sendable {
  /// The replica that wrote the event.
  public let replica: ReplicaID
  /// The event's sequence on its branch.
  public let sequence: SequenceNumber
  /// The event's ID.
  public let id: EventID

  /// Creates a value from its parts.
  public init(replica: ReplicaID, sequence: SequenceNumber, id: EventID) {
    self.replica = replica
    self.sequence = sequence
    self.id = id
  }
}

/// The heads of a log's open branches, by ascending ID.
///
/// Each head commits to its whole history. An event that closes branches commits to the heads it
/// names, which a log must hold before it accepts that event. So equal vectors mean equal logs.
package struct VersionVector: Hashable, Sendable {
  /// The heads, by ascending ID.
  public let heads: [Head]

  /// The maximum number of heads in a vector that is compared in a sync.
  package static let maxHeads = 2_048
  /// The number of heads at which a log refuses runs that open another branch, even a closed one.
  ///
  /// The range from here to ``maxHeads`` is reserved for the log's own new identities.
  package static let maxTakenHeads = 1_984

  /// Creates a vector, sorting the heads by ID.
  package init(_ heads: some Collection<Head>) {
    self.heads = heads.sorted { $0.id < $1.id }
  }

  /// Creates the vector of the open branches.
  ///
  /// Every branch's last event is a head, because an event whose previous ID is a branch's head
  /// extends that branch.
  package init(branches: [Branch]) {
    self.init(branches.filter { !$0.isClosed }.map(\.head))
  }
}
