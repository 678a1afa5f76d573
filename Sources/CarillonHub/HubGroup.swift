#if Service
package import CarillonModel

/// A group of servers that holds the logs of some shards: a primary and its copies.
package struct HubGroup: Sendable {
  package let name: String
  /// Why the group cannot be used now; nil if it can.
  package let failure: LogError?
  /// The number of synchronous copies of each commit; nil if it is not known.
  package let copyCount: Int?
  /// The free space of the disk; nil if it is not known.
  package let freeByteCount: UInt64?
  /// The epochs of the shards that the group has rows of, also of those that are being moved, or
  /// were moved by a call that was killed before it removed the rows.
  package let heldShards: [Int: UInt64]

  package init(
    _ name: String, failure: (any Error)? = nil, copyCount: Int? = nil,
    freeByteCount: UInt64? = nil, heldShards: [Int: UInt64] = [:]
  ) {
    self.name = name
    self.failure = failure.map {
      $0 as? LogError ?? LogError(code: .io, message: "\($0)", cause: $0)
    }
    (self.copyCount, self.freeByteCount) = (copyCount, freeByteCount)
    self.heldShards = heldShards
  }
}

/// A part of the people of a hub, by their IDs.
package struct HubShard: Hashable, Sendable {
  package let number: Int
  /// The group that holds it.
  package let group: String
  /// Grows with each move, so that a process notices that it knows an old place.
  package let epoch: UInt64
  /// The group that it is being moved to; nil if it is not being moved.
  package let target: String?

  package init(_ number: Int, group: String, epoch: UInt64, target: String? = nil) {
    (self.number, self.group, self.epoch, self.target) = (number, group, epoch, target)
  }
}
#endif
