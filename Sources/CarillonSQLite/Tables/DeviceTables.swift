extension Table {
  /// The last logical date on which somebody used the app.
  static let activity = Table("activity", .greatestValues, key: [.replica], [.date("day")])

  /// What replicas say of their devices.
  static let device = Table(
    "device", .greatestEvent, key: [.replica],
    [
      .event, .text("name"),
      // phone, tablet, watch, desktop or server.
      .text("role"),
      // The zone's name in the IANA database, and the database's version.
      .text("zone"), .text("zone_data_version"),
      // How many requests the device's system keeps.
      .number("capacity"),
      // The replica whose history this one goes on from.
      .id("predecessor").optional,
    ])

  /// What the devices' systems allowed, one change after another.
  ///
  /// The last one holds.
  static let permission = Table(
    "permission", .newest(by: 1), key: [.replica, .event],
    // notDetermined, denied, authorized, provisional or ephemeral; bits: 1 alert, 2 sound, 4 badge.
    [.text("status"), .number("options"), .instant("at")])

  /// How persons were asked, each time.
  ///
  /// Prompted once is for ever.
  static let permissionAsked = Table(
    "permission_asked", .all, key: [.replica, .event],
    // primed or prompted; unknown, yes or no.
    [.text("step"), .text("outcome")])

  /// The person's switches for devices.
  static let alerts = Table(
    "alerts", .greatestEvent,
    // alerts, badge or sound.
    key: [.id("device"), .text("switch")], [.event, .flag("value")])
}
