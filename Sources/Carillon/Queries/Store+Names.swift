import CarillonModel
import CarillonSQLite
import CarillonWire
import Logging

/// Names of replicas, read without bringing the projections up to date.
extension Store {
  /// Returns the display names of all replicas.
  ///
  /// Builds and writes nothing. Reads the projections, if they are readable, as far as they have
  /// applied the log, and the rest from the log.
  ///
  /// - Complexity: O(replicas + events not yet applied); O(events) without projections.
  package func replicaNames() throws -> [ReplicaID: String] {
    try StoreError.translating {
      let byReplica = Dictionary(grouping: try log.branches(), by: \.replica)
      return try displayedNames(of: byReplica, described: describedNames())
    }
  }

  /// - Parameter described: The latest described name of each replica's device.
  func displayedNames(
    of branches: [ReplicaID: [Branch]], described: [ReplicaID: String]
  ) throws -> [ReplicaID: String] {
    let firstIDs = try branches.mapValues { try firstID(of: $0) }
    let names = DisplayNames(
      names: branches.keys.map { ($0, described[$0]) }, firstIDs: firstIDs)
    return Dictionary(uniqueKeysWithValues: branches.keys.map { ($0, names[$0]) })
  }

  /// Returns the latest described name of each replica's device.
  private func describedNames() throws -> [ReplicaID: String] {
    var (devices, position) = ([ReplicaID: Device](), LogPosition.start)
    do {
      (devices, position) = try unopenedProjections.devicesAsApplied()
    } catch let error as ProjectionError {
      logger.debug("reading names from the log: \(error)")
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

  /// Returns the device description in an event; nil for an event of another kind and for one that
  /// cannot be read.
  private static func deviceDescription(_ raw: RawEvent) -> DeviceDescription? {
    guard case .deviceDescribed(let description) = raw.payload(of: .deviceDescribed) else {
      return nil
    }
    return description
  }

  /// Returns the least event ID of a replica.
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
  /// Returns the decoded payload if the event is of `kind`; nil for any other kind.
  ///
  /// Also returns nil for a payload that cannot be read; the projections ignore such events too.
  /// For events of other kinds only the kind's number is decoded.
  func payload(of kind: Payload.Kind) -> Payload? {
    do throws(ModelError) {
      guard redacted == nil, try PayloadCoding.kind(of: payload) == kind else { return nil }
      return try PayloadCoding.decode(payload)
    } catch {
      return nil
    }
  }
}
