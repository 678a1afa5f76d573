/// The name under which a log writes.
public struct ReplicaIdentity: Hashable, Sendable {
  /// The name itself.
  public let replica: ReplicaID
  /// Whose history this replica goes on from; nil for one made by `init` or `clone`.
  public let predecessor: ReplicaID?
  /// False while a new identity has not yet written its first event.
  public let isStated: Bool

  /// Makes a value of its parts.
  public init(replica: ReplicaID, predecessor: ReplicaID?, isStated: Bool) {
    self.replica = replica
    self.predecessor = predecessor
    self.isStated = isStated
  }
}

/// It is given the new identity: its own `replica`, its `predecessor`, and `isStated` false.
public typealias Restatement = @Sendable (ReplicaIdentity) throws -> [NewEvent]
