package import Carillon
package import CarillonModel

/// The replicas of a store, by name.
package struct ReplicasDocument: Sendable {
  package let replicas: [ReplicaInfo]
  private let time: LocalTime

  /// Reads the replicas of a store.
  package init(_ store: Store, _ time: LocalTime) async throws {
    replicas = try await store.replicas()
    self.time = time
  }

  /// `{replicas[{replica,name,role,retired,revoked,sequence,head,lastEvent,predecessor,heads}]}`.
  package var json: JSON {
    [
      "replicas": .array(replicas) { info in
        [
          "replica": .text(info.replica.description), "name": .text(info.name),
          "role": .text(info.role?.rawValue), "retired": .bool(info.isRetired),
          "revoked": .bool(info.isRevoked), "sequence": .integer(info.sequence.rawValue),
          "head": .text(info.head.description),
          "lastEvent": .text(time.rfc3339(info.lastEvent)),
          "predecessor": .text(info.predecessor), "heads": .integer(info.headCount),
        ]
      }
    ]
  }
}

extension ReplicaInfo {
  /// When the replica last wrote, by its own clock or a later one that it has synced with.
  package var lastEvent: Instant { Instant(milliseconds: head.timestamp.milliseconds) }

  /// The number of branches that are not closed.
  package var headCount: Int { branches.count { !$0.isClosed } }

  /// `{replica,name,role,retired}`.
  package var deviceJSON: JSON {
    [
      "replica": .text(replica.description), "name": .text(name), "role": .text(role?.rawValue),
      "retired": .bool(isRetired),
    ]
  }
}
