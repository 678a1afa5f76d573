internal import CarillonModel

/// Devices, their permission and their switches.
extension PayloadReader {
  static func permissionChanged(_ bytes: Bytes) throws(ModelError) -> Permission {
    var permission = Permission()
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): permission.status = try field.named("status")
      case (2, .varint): permission.options = Permission.Options(rawValue: field.uint32)
      default: break
      }
    }
    return permission
  }

  static func permissionAsked(_ bytes: Bytes) throws(ModelError) -> PermissionAsked {
    var step: PermissionAsked.Step?
    var outcome = PermissionAsked.Outcome.unknown
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .varint): step = try field.named("step")
      case (2, .varint): outcome = try field.named("outcome")
      default: break
      }
    }
    return PermissionAsked(step: try step.required("step"), outcome: outcome)
  }

  static func alertsSet(_ bytes: Bytes) throws(ModelError) -> AlertsSet {
    var device: ReplicaID?
    var switches: (on: Bool?, badge: Bool?, sound: Bool?) = (nil, nil, nil)
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): device = try field.identifier("device")
      case (2, .varint): switches.on = field.bool
      case (3, .varint): switches.badge = field.bool
      case (4, .varint): switches.sound = field.bool
      default: break
      }
    }
    return AlertsSet(
      device: try device.required("device"), isOn: switches.on, badgeIsOn: switches.badge,
      soundIsOn: switches.sound)
  }

  static func deviceDescribed(_ bytes: Bytes) throws(ModelError) -> DeviceDescription {
    var role: Device.Role?
    var texts = (name: "", zone: "", zoneDataVersion: "")
    var capacity = 0
    var predecessor: ReplicaID?
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.type) {
      case (1, .bytes): texts.name = try field.text("name")
      case (2, .varint): role = try field.named("role")
      case (3, .bytes): texts.zone = try field.text("zone")
      case (4, .bytes): texts.zoneDataVersion = try field.text("zoneDataVersion")
      case (5, .varint): capacity = field.integer
      case (6, .bytes): predecessor = try field.identifier("predecessor")
      default: break
      }
    }
    return DeviceDescription(
      name: texts.name, role: try role.required("role"), zone: texts.zone,
      zoneDataVersion: texts.zoneDataVersion, capacity: capacity, predecessor: predecessor)
  }
}
