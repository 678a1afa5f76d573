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

  /// Returns the name of each replica's device: the latest one that a person gave it, else the
  /// latest described one.
  private func describedNames() throws -> [ReplicaID: String] {
    var (devices, position) = ([ReplicaID: Device](), LogPosition.start)
    do {
      (devices, position) = try unopenedProjections.devicesAsApplied()
    } catch let error as ProjectionError {
      logger.debug("reading names from the log: \(error)")
    }
    var described = devices.compactMapValues { device in
      device.describedBy.flatMap { by in device.name.map { GivenName($0, by: by) } }
    }
    var given = devices.compactMapValues(\.givenName)
    try log.scanIntact(after: position) { raw in
      if case .deviceDescribed(let description) = raw.payload(of: .deviceDescribed) {
        described.set(raw.replica, description.name, by: raw.id)
      } else if case .deviceSet(let set) = raw.payload(of: .deviceSet), let name = set.name {
        given.set(set.device, name, by: raw.id)
      }
      return true
    }
    return described.merging(given) { $1 }.mapValues(\.text)
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

extension [ReplicaID: GivenName] {
  /// Sets a replica's name, unless an event with a greater ID already set it.
  fileprivate mutating func set(_ replica: ReplicaID, _ name: String, by event: EventID) {
    if let known = self[replica], known.by > event { return }
    self[replica] = GivenName(name, by: event)
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
