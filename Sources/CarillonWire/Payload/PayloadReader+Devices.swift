internal import CarillonModel

/// Devices, their permission and their switches.
extension PayloadReader {
  static func permissionChanged(_ bytes: Bytes) throws(ModelError) -> PermissionChanged {
    var changed = PermissionChanged(Permission())
    var status = 0
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): status = field.enumerationNumber
      case (2, .varint): changed.permission.options = Permission.Options(rawValue: field.uint32)
      case (3, .varint): changed.at = Instant(milliseconds: field.int64)
      default: break
      }
    }
    changed.permission.status = try named(status, "status")
    return changed
  }

  static func permissionAsked(_ bytes: Bytes) throws(ModelError) -> PermissionAsked {
    var (step, outcome) = (0, 0)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): step = field.enumerationNumber
      case (2, .varint): outcome = field.enumerationNumber
      default: break
      }
    }
    return PermissionAsked(step: try named(step, "step"), outcome: try named(outcome, "outcome"))
  }

  static func alertsSet(_ bytes: Bytes) throws(ModelError) -> AlertsSet {
    var device: Bytes?
    var switches: (on: Bool?, badge: Bool?, sound: Bool?) = (nil, nil, nil)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): device = field.bytes
      case (2, .varint): switches.on = field.bool
      case (3, .varint): switches.badge = field.bool
      case (4, .varint): switches.sound = field.bool
      default: break
      }
    }
    return AlertsSet(
      device: try identifier(device, "device"), isOn: switches.on, badgeIsOn: switches.badge,
      soundIsOn: switches.sound)
  }

  static func deviceDescribed(_ bytes: Bytes) throws(ModelError) -> DeviceDescription {
    var role = 0
    var texts = (name: "", zone: "", zoneDataVersion: "")
    var capacity = 0
    var predecessor: Bytes?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): texts.name = try field.text("name")
      case (2, .varint): role = field.enumerationNumber
      case (3, .bytes): texts.zone = try field.text("zone")
      case (4, .bytes): texts.zoneDataVersion = try field.text("zoneDataVersion")
      case (5, .varint): capacity = field.integer
      case (6, .bytes): predecessor = field.bytes
      default: break
      }
    }
    return DeviceDescription(
      name: texts.name, role: try named(role, "role"), zone: texts.zone,
      zoneDataVersion: texts.zoneDataVersion, capacity: capacity,
      predecessor: try optionalIdentifier(predecessor, "predecessor"))
  }
}
