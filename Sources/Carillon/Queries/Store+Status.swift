public import CarillonModel
import CarillonSQLite
import Foundation

/// One replica, as this log knows it.
public struct ReplicaInfo: Hashable, Sendable {
  /// Its id.
  public let replica: ReplicaID
  /// Unique among the replicas of the log: a second `phone` is `phone.2`, by first event ID.
  public let name: String
  /// What kind of device it is; nil where it has not said.
  public let role: Device.Role?
  /// The sequence of its greatest event.
  public let sequence: SequenceNumber
  /// The ID of its greatest event.
  public let head: EventID
  /// Whose history it goes on from.
  public let predecessor: ReplicaID?
  /// More than one where its history forked; by ascending index.
  public let branches: [Branch]
}

/// How a store is.
public struct StoreStatus: Hashable, Sendable {
  /// The store's id.
  public let store: StoreID
  /// What keeps the log; nil for a store in memory, or on a log of one's own.
  public let storage: Store.Storage?
  /// This replica.
  public let replica: ReplicaID
  /// This replica's displayed name.
  public let name: String
  /// What kind of device it is; nil where it has not said.
  public let role: Device.Role?
  /// How many events the log holds.
  public let eventCount: UInt64
  /// All replicas, by name.
  public let replicas: [ReplicaInfo]
  /// How many events are of kinds that this build does not know.
  public let unknownEventCount: UInt64
  /// How many redacted events no held erasure confirms.
  public let unconfirmedEventCount: Int
  /// Of how many events only the ID is known, since their content was damaged where they came from.
  public let missingEventCount: Int
  /// How many events were damaged in this log before they were merged: they show nothing until a
  /// sync repairs them.
  public let damagedEventCount: Int
  /// Up to where the projections have applied the log.
  public let checkpoint: Position
  /// What all events come to; equal on replicas that hold the same.
  public let stateDigest: StateDigest
  /// Until when the kept plan misses nothing; nil without one.
  public let coverageUntil: Instant?
  /// By how many milliseconds a replica's latest event is ahead of this device's clock: of those
  /// whose own clock was ahead, by more than a minute.
  public let clockSkew: [ReplicaID: Int64]
  /// What somebody should look at, in sentences.
  public let health: [String]
}

extension Store {
  /// The replicas of this log, by name.
  public func replicas() async throws -> [ReplicaInfo] {
    try await read { try self.replicas($0.reader) }
  }

  /// How the store is.
  ///
  /// Plans nothing and writes no event.
  public func status() async throws -> StoreStatus {
    try await read { context in
      let reader = context.reader
      let replicas = try self.replicas(reader)
      let own = replicas.first { $0.replica == context.device }
      let device = try reader.device(context.device)?.description
      let skew = try self.clockSkew(replicas, now: context.now)
      let contentless = try reader.contentlessCounts()
      return StoreStatus(
        store: self.id, storage: self.storage, replica: context.replica,
        name: own?.name ?? device?.name ?? "new",
        role: own?.role, eventCount: reader.position.rawValue, replicas: replicas,
        unknownEventCount: reader.unknownEventCount,
        unconfirmedEventCount: try reader.unconfirmedCount(),
        missingEventCount: contentless.missing, damagedEventCount: contentless.damaged,
        checkpoint: reader.position,
        stateDigest: try reader.stateDigest(), coverageUntil: try reader.keptPlanCoverage(),
        clockSkew: skew,
        health: try self.health(
          reader, replicas: replicas, skew: skew, contentless: contentless))
    }
  }

  func replicas(_ reader: ProjectionReader) throws -> [ReplicaInfo] {
    let devices = try reader.devices()
    let byReplica = Dictionary(grouping: try log.branches(), by: \.replica)
    let names = try displayedNames(
      of: byReplica, described: devices.compactMapValues { $0.description?.name })
    return byReplica.compactMap { replica, branches -> ReplicaInfo? in
      guard let greatest = branches.max(by: { $0.headID < $1.headID }), let name = names[replica]
      else { return nil }
      let described = devices[replica]?.description
      return ReplicaInfo(
        replica: replica, name: name, role: described?.role,
        sequence: greatest.headSequence, head: greatest.headID,
        predecessor: described?.predecessor, branches: branches.sorted { $0.index < $1.index })
    }.sorted { ($0.name, $0.replica) < ($1.name, $1.replica) }
  }

  /// A duration of milliseconds in its largest whole unit: `1 day`, `3 h`, `2 min`.
  static func duration(_ milliseconds: Int64) -> String {
    let minutes = milliseconds / 60_000
    return switch minutes {
    case ..<60: "\(minutes) min"
    case ..<1440: "\(minutes / 60) h"
    case ..<2880: "1 day"
    default: "\(minutes / 1440) days"
    }
  }

  /// Replicas in use whose zone data differ from this system's: an offset that one of them does
  /// not know makes them remind at different moments.
  private static func zoneDataHealth(
    _ devices: [ReplicaID: Device], _ replicas: [ReplicaInfo], besides this: ReplicaID
  ) -> [String] {
    let own = TimeZone.timeZoneDataVersion
    let besides = Set(replicas.compactMap(\.predecessor)).union([this])
    return replicas.compactMap { replica in
      guard !besides.contains(replica.replica),
        let described = devices[replica.replica]?.description, described.role != .server,
        !described.zoneDataVersion.isEmpty, described.zoneDataVersion != own
      else { return nil }
      return "\(replica.name) has time zone data \(described.zoneDataVersion), this system \(own): "
        + "where they differ, reminders fire at different moments; update the older system"
    }
  }

  private func health(
    _ reader: ProjectionReader, replicas: [ReplicaInfo], skew: [ReplicaID: Int64],
    contentless: (missing: Int, damaged: Int)
  ) throws -> [String] {
    var health = try reader.health()
    for replica in replicas {
      let openCount = replica.branches.count { !$0.isClosed }
      guard openCount > 1 else { continue }
      health.append(
        "\(replica.name) has \(openCount) histories: "
          + "its directory was copied or rolled back; all are kept")
    }
    health += Self.zoneDataHealth(
      try reader.devices(), replicas, besides: try log.identity().device)
    for replica in replicas {
      if let ahead = skew[replica.replica] {
        health.append(
          "\(replica.name) wrote \(Self.duration(ahead)) ahead of this device's clock; set "
            + "the one of the two clocks that is wrong")
      }
    }
    let unconfirmed = try reader.unconfirmedCount()
    if unconfirmed > 0 {
      health.append(
        "\(unconfirmed) \(unconfirmed == 1 ? "event" : "events") came without content, and what "
          + "erased it has not come; sync again with the replicas that know more")
    }
    let (missing, damaged) = contentless
    if damaged > 0 {
      health.append(
        "\(damaged) \(damaged == 1 ? "event is" : "events are") damaged in this log and shown "
          + "as missing; to see which: carillon verify; to repair them: carillon sync A B --audit, "
          + "with a replica that has them")
    }
    if missing > 0 {
      health.append(
        "\(missing) \(missing == 1 ? "event" : "events") held by ID alone: the content was damaged "
          + "where it came from; sync with a replica that has it")
    }
    let heads = replicas.reduce(0) { $0 + $1.branches.count { !$0.isClosed } }
    if heads > 64 {
      health.append(
        "\(heads) heads; more than 64 make every sync larger; close replicas that write no more: "
          + "carillon replicas close --help")
    }
    return health
  }
}
