package import Carillon
package import CarillonModel

/// The status of a store, with which device reminds.
package struct StatusDocument: Sendable {
  package let status: StoreStatus
  /// The digest of the state; nil if it was not asked for.
  package let digest: StateDigest?
  /// Which device reminds.
  ///
  /// Nil without the keys of a sealed store.
  package let reminders: String?
  /// Problems that need a person's attention, one sentence each, and what to do.
  package var health: [String]
  private let remindersJSON: JSON
  private let isSealed: Bool
  private let time: LocalTime

  /// Reads the status of a store.
  ///
  /// - Parameter withDigest: Whether to compute the digest, which reads all rows if anything
  ///   changed.
  package init(
    _ store: Store, _ time: LocalTime, _ terms: Terms = .plain, withDigest: Bool = false
  ) async throws {
    status = try await store.status()
    (isSealed, self.time) = (store.isSealed, time)
    guard store.hasContents else {
      (digest, reminders, remindersJSON) = (nil, nil, .null)
      health = status.health
      return
    }
    digest = withDigest ? try await store.stateDigest() : nil
    let words = try await DeliveryWords(store, time, terms)
    (reminders, remindersJSON) = (words.reminders(status), words.remindersJSON(status))
    health =
      (status.health + status.remedies(time, terms)).filter { !$0.isEmpty }
      + (words.pausedAll.map { [$0] } ?? [])
  }

  /// The status as `{store,replica{},storage,events,versionVector[],...,reminders{},health[]}`.
  package var json: JSON {
    let heads = status.replicas.flatMap { info in
      info.branches.filter { !$0.isClosed }.map { (info, $0) }
    }
    let ahead = status.replicas.filter { status.clockSkew[$0.replica] != nil }
    return [
      "store": .text(status.store.description), "replica": status.replicaJSON,
      "storage": .text(status.storage?.rawValue), "events": .integer(status.eventCount),
      "versionVector": .array(heads) { info, branch in
        [
          "replica": .text(info.replica.description), "name": .text(info.name),
          "sequence": .integer(branch.headSequence.rawValue),
          "head": .text(branch.headID.description),
        ]
      },
      "sealed": .bool(isSealed), "epoch": .text(status.sealingEpoch),
      "unknownEvents": .integer(status.unknownEventCount),
      "unconfirmed": .integer(status.unconfirmedEventCount),
      "missing": .integer(status.missingEventCount),
      "damaged": .integer(status.damagedEventCount),
      "checkpoint": .integer(status.checkpoint.rawValue),
      "stateDigest": .text(digest),
      "coverageUntil": .text(status.coverageUntil.map(time.rfc3339)),
      "clockSkew": .array(ahead) { info in
        [
          "replica": .text(info.replica.description), "name": .text(info.name),
          "ms": .integer(status.clockSkew[info.replica, default: 0]),
        ]
      },
      "leftOut": status.leftOut.json(time), "reminders": remindersJSON,
      "health": .array(health) { .text($0) },
    ]
  }
}

extension StoreStatus {
  /// This replica as `{id,name,role,retired}`.
  package var replicaJSON: JSON {
    [
      "id": .text(replica.description), "name": .text(name), "role": .text(role?.rawValue),
      "retired": .bool(isRetired),
    ]
  }

  /// Returns what to do about the problems.
  fileprivate func remedies(_ time: LocalTime, _ terms: Terms) -> [String] {
    var lines: [String] = []
    if hasReminders, deliverer == nil, role != .server {
      switch blocked {
      case .notDetermined:
        lines.append(terms("once the system allows notifications", .grantPermission))
      case .denied:
        lines.append(
          "allow notifications in the system's settings" + terms(", then", .grantPermission))
      case .alertsOff: lines.append(terms("to turn them on", .turnAlertsOn))
      case nil: break
      }
    }
    if hasReminders, deliverer == replica, coverageUntil.map({ $0 <= time.now }) ?? false {
      lines.append(terms("to plan again", .plan))
    }
    if damagedEventCount > 0 { lines.append(terms("to see the damage", .repair)) }
    if hasManyHeads {
      lines.append("close replicas that no longer write" + terms("", .closeReplicas))
    }
    return lines
  }
}
