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

  /// The branch's own index.
  public let index: BranchIndex
  /// Who wrote it.
  public let replica: ReplicaID
  /// Nil for a branch that starts with sequence 1.
  public let parent: Parent?
  /// The sequence of the last event.
  public let headSequence: SequenceNumber
  /// The ID of the last event.
  public let headID: EventID

  /// Makes a value of its parts.
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

/// All heads of a log, by ascending ID.
///
/// Since each head commits to its whole history, equal vectors mean equal logs.
public struct VersionVector: Hashable, Sendable {
  /// The heads, by ascending ID.
  public let heads: [Head]

  /// The most heads that a vector holds when logs are compared.
  package static let maxHeads = 2_048
  /// The number of heads from which on a log takes in no run that opens one more branch.
  ///
  /// What lies between this and ``maxHeads`` is left for identities of the log's own.
  public static let maxTakenHeads = 1_984

  /// Sorts the heads by ID.
  public init(_ heads: some Collection<Head>) {
    self.heads = heads.sorted { $0.id < $1.id }
  }

  /// The heads of branches: since an event whose previous ID is a branch's head extends that
  /// branch, every branch's last event is a head.
  public init(branches: [Branch]) {
    self.init(branches.map(\.head))
  }
}
