import CarillonModel
import CarillonSQLite
import Foundation

extension ReplicaIdentity {
  /// The device that the replica is: one whose new identity is not stated yet is still that of its
  /// predecessor, with its switches and its permission, and no other device beside it.
  var device: ReplicaID { isAnnounced ? replica : predecessor ?? replica }
}

/// What a new identity says first: its device, naming its predecessor, then the switches as the
/// predecessor left them.
enum NewIdentity {
  static func payloads(
    of identity: ReplicaIdentity, projections: SQLiteProjections, options: StoreOptions
  ) throws -> [NewEvent] {
    guard let predecessor = identity.predecessor else { return [] }
    let device =
      try projections.readSynchronously { try $0.device(predecessor) }
      ?? Device(replica: predecessor)
    let description = DeviceDescription(
      name: device.description?.name ?? String(predecessor.description.prefix(8)),
      role: device.description?.role ?? .phone, zone: options.zone().ianaName,
      zoneDataVersion: TimeZone.timeZoneDataVersion, capacity: options.capacity,
      predecessor: predecessor)
    let alerts = AlertsSet(
      device: identity.replica, isOn: device.alerts.isOn, badgeIsOn: device.alerts.badgeIsOn,
      soundIsOn: device.alerts.soundIsOn)
    let asked =
      Array(
        repeating: PermissionAsked(step: .primed, outcome: .no), count: device.priming.refusalCount)
      + (device.wasAsked ? [PermissionAsked(step: .prompted)] : [])
    let payloads: [Payload] =
      [
        .deviceDescribed(description), .alertsSet(alerts),
        .permissionChanged(PermissionChanged(device.permission)),
      ]
      + asked.map { .permissionAsked($0) }
    let now = options.clock()
    return try payloads.map { try NewEvent($0, at: now) }
  }
}
