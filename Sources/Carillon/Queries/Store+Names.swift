import CarillonModel
import CarillonSQLite
import CarillonWire
import Logging

/// The names of replicas, without projections that are up to date.
extension Store {
  /// The displayed names of all replicas.
  ///
  /// Nothing is built or written: projections are read where they can be, as far as they have
  /// applied the log, and the log from there on.
  ///
  /// - Complexity: O(replicas + events that are not applied); O(events) without projections.
  package func replicaNames() throws -> [ReplicaID: String] {
    try translatingLogErrors {
      let byReplica = Dictionary(grouping: try log.branches(), by: \.replica)
      return try displayedNames(of: byReplica, described: describedNames())
    }
  }

  /// - Parameter described: The name that each replica's device was last given.
  func displayedNames(
    of branches: [ReplicaID: [Branch]], described: [ReplicaID: String]
  ) throws -> [ReplicaID: String] {
    let firstIDs = try branches.mapValues { try firstID(of: $0) }
    let names = DisplayNames(
      names: branches.keys.map { ($0, described[$0]) }, firstIDs: firstIDs)
    return Dictionary(uniqueKeysWithValues: branches.keys.map { ($0, names[$0]) })
  }

  /// The name that each replica's device was last given.
  private func describedNames() throws -> [ReplicaID: String] {
    var (devices, position) = ([ReplicaID: Device](), Position.start)
    do {
      (devices, position) = try tables.devicesAsApplied()
    } catch let error as ProjectionError {
      logger.debug("names are read from the log: \(error)")
    }
    var names = devices.compactMapValues { device in
      device.description.map { (by: device.describedBy, name: $0.name) }
    }
    try log.scanIntact(after: position) { raw in
      guard let description = Self.deviceDescription(raw) else { return true }
      if let by = names[raw.replica]?.by, by > raw.id { return true }
      names[raw.replica] = (raw.id, description.name)
      return true
    }
    return names.mapValues(\.name)
  }

  /// What an event says of its device; nil for any other event, and for one that cannot be read.
  private static func deviceDescription(_ raw: RawEvent) -> DeviceDescription? {
    guard case .deviceDescribed(let description) = raw.payload(of: .deviceDescribed) else {
      return nil
    }
    return description
  }

  /// The least event ID of a replica.
  private func firstID(of branches: [Branch]) throws -> EventID {
    let ids = try branches.filter { $0.parent == nil }.compactMap {
      try log.id(on: $0.index, at: .first)
    }
    guard let least = ids.min() else {
      throw StoreError(code: .corrupt, message: "a replica has no first event; run verify")
    }
    return least
  }
}

extension RawEvent {
  /// What the event says, where it is of a kind; nil for any other.
  ///
  /// It is also nil for what cannot be read, which is projected as nothing too. Of other kinds only
  /// the number is read.
  func payload(of kind: Payload.Kind) -> Payload? {
    do throws(ModelError) {
      guard redacted == nil, try PayloadCoding.kind(of: payload) == kind else { return nil }
      return try PayloadCoding.decode(payload)
    } catch {
      return nil
    }
  }
}
