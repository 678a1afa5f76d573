import CarillonModel
import CarillonSQLite
import Foundation

extension ReplicaIdentity {
  /// The device that the replica belongs to.
  ///
  /// Until a new identity is announced, this is its predecessor, with its switches and permission,
  /// so that it does not count as a second device.
  var device: ReplicaID { isAnnounced ? replica : predecessor ?? replica }
}

/// The identity announcement: the first events of a new identity.
///
/// They describe its device, which names its predecessor, and repeat the predecessor's switches and
/// permission.
enum NewIdentity {
  static func payloads(
    of identity: ReplicaIdentity, projections: SQLiteProjections, options: StoreOptions
  ) throws -> [NewEvent] {
    guard let predecessor = identity.predecessor else { return [] }
    let device =
      try projections.readSynchronously { try $0.device(predecessor) }
      ?? Device(replica: predecessor)
    let description = DeviceDescription(
      name: device.description?.name ?? String(identity.replica.description.prefix(8)),
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
