/// The name under which a log writes.
public struct ReplicaIdentity: Hashable, Sendable {
  /// The name itself.
  public let replica: ReplicaID
  /// Whose history this replica goes on from; nil for one made by `init` or `clone`.
  public let predecessor: ReplicaID?
  /// False while a new identity has not yet written its first event.
  public let isAnnounced: Bool

  /// Makes a value of its parts.
  public init(replica: ReplicaID, predecessor: ReplicaID?, isAnnounced: Bool) {
    self.replica = replica
    self.predecessor = predecessor
    self.isAnnounced = isAnnounced
  }
}

/// It is given the new identity: its own `replica`, its `predecessor`, and `isAnnounced` false.
public typealias IdentityAnnouncement = @Sendable (ReplicaIdentity) throws -> [NewEvent]
