extension Table {
  /// The last logical date on which a person used the app.
  static let activity = Table(
    "activity", .greatestValues, erasedWith: .nothing, key: [.replica], [.date("day")])

  /// The descriptions that replicas give of their devices.
  static let device = Table(
    "device", .greatestEvent, erasedWith: .nothing, key: [.replica],
    [
      .event, .text("name"),
      // phone, tablet, watch, desktop or server.
      .text("role"),
      // The zone's name in the IANA database, and the database's version.
      .text("zone"), .text("zone_data_version"),
      // The number of requests that the device's system keeps.
      .number("capacity"),
      // The replica whose history this one continues.
      .id("predecessor").optional,
    ])

  /// The permissions of the devices' systems, one row for each change.
  ///
  /// The last one applies.
  static let permission = Table(
    "permission", .newest(by: 1), erasedWith: .nothing, key: [.replica, .event],
    // notDetermined, denied, authorized, provisional or ephemeral; bits: 1 alert, 2 sound, 4 badge.
    [.text("status"), .number("options"), .instant("at")])

  /// The requests for a person's permission, one row for each.
  ///
  /// A recorded prompt is permanent.
  static let permissionAsked = Table(
    "permission_asked", .all, erasedWith: .nothing, key: [.replica, .event],
    // primed or prompted; unknown, yes or no.
    [.text("step"), .text("outcome")])

  /// The switches that a person sets for a device.
  static let alerts = Table(
    "alerts", .greatestEvent, erasedWith: .nothing,
    // alerts, badge or sound.
    key: [.id("device"), .text("switch")], [.event, .flag("value")])

  /// What a person decided about a device.
  static let deviceSet = Table(
    "device_set", .greatestEvent, erasedWith: .nothing,
    // name, role or retired.
    key: [.id("device"), .text("field")],
    // The name; phone, tablet, watch, desktop or server; 1 or 0.
    [.event, .any("value")])
}
