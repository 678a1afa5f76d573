package import Carillon
package import CarillonModel

/// The displayed names of replicas, looked up again if a replica is not known.
package struct ReplicaNames: Sendable {
  private var names: [ReplicaID: String]

  /// Reads the names from a store.
  package init(_ store: Store) throws {
    names = try store.replicaNames()
  }

  /// The name of a replica, or the beginning of its ID if it is not known.
  package subscript(replica: ReplicaID) -> String {
    names[replica] ?? String(replica.description.prefix(8))
  }

  /// Returns the name of a replica.
  package mutating func name(of replica: ReplicaID, in store: Store) throws -> String {
    if names[replica] == nil { names = try store.replicaNames() }
    return self[replica]
  }
}
