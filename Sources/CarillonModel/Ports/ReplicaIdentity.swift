/// The identity under which a log writes.
public struct ReplicaIdentity: Hashable, Sendable {
  /// The replica's ID.
  public let replica: ReplicaID
  /// The replica that this one continues; nil for a replica created by `init` or `clone`.
  public let predecessor: ReplicaID?
  /// Whether this identity has written its first event.
  public let isAnnounced: Bool

  /// Creates a value from its parts.
  public init(replica: ReplicaID, predecessor: ReplicaID?, isAnnounced: Bool) {
    self.replica = replica
    self.predecessor = predecessor
    self.isAnnounced = isAnnounced
  }
}

/// Provides the first events of a new identity.
///
/// Its argument has the new `replica`, its `predecessor`, and false for `isAnnounced`.
public typealias IdentityAnnouncement = @Sendable (ReplicaIdentity) throws -> [NewEvent]
