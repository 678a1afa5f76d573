public import CarillonModel
import CarillonSQLite
import CarillonSealing
import Foundation

/// One replica, as this log knows it.
public struct ReplicaInfo: Hashable, Sendable {
  /// The replica's ID.
  public let replica: ReplicaID
  /// The display name, unique within the log: a second `phone` is `phone.2`, ordered by first event
  /// ID.
  public let name: String
  /// The kind of device; nil if the replica has not described itself.
  public let role: Device.Role?
  /// Whether a person retired it: it delivers nothing, and no other replica waits for it.
  package let isRetired: Bool
  /// Whether its device was revoked, and gets no newer key of a sealed store.
  package let isRevoked: Bool
  /// The sequence of its greatest event.
  package let sequence: SequenceNumber
  /// The ID of its greatest event.
  package let head: EventID
  /// The replica whose history it continues; nil if it started its own.
  package let predecessor: ReplicaID?
  /// The branches by ascending index; more than one if its history forked.
  package let branches: [Branch]

  /// Whether a sync with it is expected.
  package var isInUse: Bool { !isRetired && !isRevoked }
}

/// A snapshot of a store's status.
public struct StoreStatus: Hashable, Sendable {
  /// The store's ID.
  package let store: StoreID
  /// How the log is stored; nil for a store in memory or with a custom log.
  package let storage: Store.Storage?
  /// This replica's ID.
  public let replica: ReplicaID
  /// This replica's display name.
  public let name: String
  /// The kind of this device; nil if it has not been described.
  package let role: Device.Role?
  /// The number of events in the log.
  public let eventCount: UInt64
  /// All replicas, by name.
  public let replicas: [ReplicaInfo]
  /// The epoch with whose key this device seals, such as `2-9f01c2aa`; nil if the store is plain.
  package let sealingEpoch: String?
  /// The number of events whose kind this build does not know.
  package let unknownEventCount: UInt64
  /// The number of redacted events whose erasing event is not held.
  package let unconfirmedEventCount: Int
  /// The number of events known only by ID, because their content was damaged at the replica they
  /// came from.
  package let missingEventCount: Int
  /// The number of events that were damaged in this log before they were merged.
  ///
  /// They have no effect until a sync repairs them.
  package let damagedEventCount: Int
  /// The position up to which the projections have applied the log.
  package let checkpoint: LogPosition
  /// The instant up to which the plan that this device submitted last is complete.
  ///
  /// If it submitted none, or the same requests as those of the kept plan, it is that of the kept
  /// plan; nil without either.
  public let coverageUntil: Instant?
  /// The schedules of the requests that do not fit the kept plan, places first, then by instant.
  public let leftOut: [LeftOutSchedule]
  /// The device that delivers the reminders of habits whose owner is `phoneFirst`; nil if none may.
  package let deliverer: ReplicaID?
  /// The numbers of habits with reminders, by owner, for the owners that any habit has.
  package let owners: [OwnerDelivery]
  /// Whether this device is retired.
  package let isRetired: Bool
  /// The reason why this device may not deliver reminders; nil if it may.
  package let blocked: Blocked?
  /// Whether a habit has reminders.
  package let hasReminders: Bool
  /// By how many milliseconds each replica's latest event is ahead of this device's clock.
  ///
  /// Contains only replicas whose own clock was more than a minute ahead.
  package let clockSkew: [ReplicaID: Int64]
  /// Problems that need a person's attention, one sentence each.
  public let health: [String]

  /// The number of heads above which ``health`` suggests closing replicas.
  static let manyHeads = 64

  /// Whether ``health`` suggests closing replicas.
  package var hasManyHeads: Bool {
    replicas.reduce(0) { $0 + $1.branches.count { !$0.isClosed } } > Self.manyHeads
  }
}

extension Store {
  /// Returns the replicas of this log, by name.
  ///
  /// Without keys, names and roles are not known.
  package func replicas() async throws -> [ReplicaInfo] {
    guard hasContents else { return try replicas(described: [:]) }
    return try await query { try $0.replicas() }
  }

  /// Returns the status of the store.
  ///
  /// Computes no plan and writes no event. Without the keys of a sealed store, it has what the log
  /// shows without them.
  public func status() async throws(StoreError) -> StoreStatus {
    guard hasContents else { return try StoreError.translating { try self.statusWithoutKeys() } }
    return try await query { try $0.status() }
  }

  /// Returns by how many events the projections are behind the log, without applying any.
  ///
  /// - Complexity: O(1).
  package func projectionLag() async throws(StoreError) -> UInt64 {
    try await StoreError.translating {
      let last = try self.log.lastPosition().rawValue
      let applied = try await self.projections.appliedPosition().rawValue
      return last > applied ? last - applied : 0
    }
  }

  /// Returns the digest of the merged state; equal on replicas that hold the same events.
  ///
  /// - Complexity: O(1) if nothing changed since the last call, otherwise O(rows).
  package func stateDigest() async throws(StoreError) -> StateDigest {
    try await read { try $0.reader.stateDigest() }
  }

  func status(_ context: Context) throws -> StoreStatus {
    let reader = context.reader
    let replicas = try replicas(reader)
    let own = replicas.first { $0.replica == context.device }
    let device = try reader.deviceDescription(of: context.device)
    let delivery = try delivery(context)
    let skew = try clockSkew(replicas, now: context.now)
    let contentless = try reader.contentlessCounts()
    return StoreStatus(
      store: id, storage: storage, replica: context.replica,
      name: own?.name ?? device?.name ?? "new",
      role: own?.role, eventCount: reader.position.rawValue, replicas: replicas,
      sealingEpoch: keys.map { $0.epochs.writing?.description ?? "none" },
      unknownEventCount: reader.unknownEventCount
        - min(reader.unknownEventCount, UInt64(keys?.statementCount ?? 0)),
      unconfirmedEventCount: try reader.unconfirmedCount(),
      missingEventCount: contentless.missing, damagedEventCount: contentless.damaged,
      checkpoint: reader.position,
      coverageUntil: delivery.coverageUntil,
      leftOut: try reader.keptPlanLeftOut(), deliverer: delivery.deliverer,
      owners: delivery.owners, isRetired: delivery.isRetired,
      blocked: delivery.blocked, hasReminders: delivery.hasReminders, clockSkew: skew,
      health: try health(reader, replicas: replicas, skew: skew, contentless: contentless)
        + (try deliveryHealth(delivery, replicas, context)) + sealingHealth)
  }

  func replicas(_ reader: ProjectionReader) throws -> [ReplicaInfo] {
    try replicas(described: try reader.devices())
  }

  func replicas(described devices: [ReplicaID: Device]) throws -> [ReplicaInfo] {
    let byReplica = Dictionary(grouping: try log.branches(), by: \.replica)
    let names = try displayedNames(
      of: byReplica, described: devices.compactMapValues(\.name))
    let epochs = keys?.epochs
    return byReplica.compactMap { replica, branches -> ReplicaInfo? in
      guard let greatest = branches.max(by: { $0.headID < $1.headID }), let name = names[replica]
      else { return nil }
      let described = devices[replica]?.description
      return ReplicaInfo(
        replica: replica, name: name, role: described?.role,
        isRetired: devices[replica]?.retiredSince != nil,
        isRevoked: epochs?.isRevoked(replica) ?? false,
        sequence: greatest.headSequence, head: greatest.headID,
        predecessor: described?.predecessor, branches: branches.sorted { $0.index < $1.index })
    }.sorted { ($0.name, $0.replica) < ($1.name, $1.replica) }
  }

  /// Returns a duration in milliseconds as text, in its largest whole unit: `2 min`, `3 h`,
  /// `1 day`.
  static func duration(_ milliseconds: Int64) -> String {
    let minutes = milliseconds / 60_000
    return switch minutes {
    case ..<60: "\(minutes) min"
    case ..<1440: "\(minutes / 60) h"
    case ..<2880: "1 day"
    default: "\(minutes / 1440) days"
    }
  }

  /// Returns a warning for each replica in use whose time zone data differ from this system's.
  ///
  /// If the data disagree about an offset, the two fire reminders at different instants.
  private static func zoneDataHealth(
    _ devices: [ReplicaID: Device], _ replicas: [ReplicaInfo], besides this: ReplicaID
  ) -> [String] {
    let own = TimeZone.timeZoneDataVersion
    let besides = Set(replicas.compactMap(\.predecessor)).union([this])
    return replicas.compactMap { replica in
      guard !besides.contains(replica.replica), replica.isInUse,
        let described = devices[replica.replica]?.description, described.role != .server,
        !described.zoneDataVersion.isEmpty, described.zoneDataVersion != own
      else { return nil }
      return "\(replica.name) has time zone data \(described.zoneDataVersion), this system \(own): "
        + "reminders may fire at different times; update the older system"
    }
  }

  /// Content that this log lacks and that no erasure explains, one sentence for each problem.
  package func contentHealth() async throws -> [String] {
    try await read { try self.contentHealth($0.reader) }
  }

  private func contentHealth(_ reader: ProjectionReader) throws -> [String] {
    var problems: [String] = []
    if lacksStart {
      problems.append(
        "this log lacks the start of the sealed store: events were lost, or are withheld, where it "
          + "came from; sync with another device")
    }
    let unconfirmed = try reader.unconfirmedCount()
    if unconfirmed > 0 {
      problems.append(
        "\(unconfirmed) \(unconfirmed == 1 ? "event" : "events") arrived without content, and "
          + "the erasing event has not arrived; sync with a replica that holds it")
    }
    return problems
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
          + "its directory was copied or rolled back; all histories are kept")
    }
    health += Self.zoneDataHealth(
      try reader.devices(), replicas, besides: try log.identity().device)
    for replica in replicas {
      if let ahead = skew[replica.replica] {
        health.append(Self.clockHealth(replica, ahead, own: try log.identity().replica))
      }
    }
    health += try contentHealth(reader)
    let (missing, damaged) = contentless
    if damaged > 0 {
      health.append(
        "\(damaged) \(damaged == 1 ? "event is" : "events are") damaged in this log and shown "
          + "as missing; an audit with a replica that has them repairs them")
    }
    if missing > 0 {
      health.append(
        "\(missing) \(missing == 1 ? "event" : "events") known only by ID: the content was damaged "
          + "at the replica it came from; sync with a replica that holds it")
    }
    let heads = replicas.reduce(0) { $0 + $1.branches.count { !$0.isClosed } }
    if heads > StoreStatus.manyHeads {
      health.append(
        "\(heads) heads; more than \(StoreStatus.manyHeads) make every sync larger; close replicas "
          + "that no longer write")
    }
    return health
  }
}
