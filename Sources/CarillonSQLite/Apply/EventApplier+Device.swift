internal import CarillonModel

/// Applies what replicas report about their devices, and the person's switches.
extension EventApplier {
  func apply(_ active: AppActive, _ event: RawEvent) throws {
    try insert(.activity, event.replica, active.date)
  }

  func apply(_ description: DeviceDescription, _ event: RawEvent) throws {
    try insert(
      .device, event.replica, event.id, description.name, description.role.rawValue,
      description.zone, description.zoneDataVersion, description.capacity, description.predecessor)
  }

  func apply(_ changed: PermissionChanged, _ event: RawEvent) throws {
    let permission = changed.permission
    try insertFact(
      in: FactScope(table: .permission, replica: event.replica), event.replica, event.id,
      permission.status.rawValue, permission.options.rawValue, changed.at ?? event.instant)
  }

  func apply(_ asked: PermissionAsked, _ event: RawEvent) throws {
    try insert(
      .permissionAsked, event.replica, event.id, asked.step.rawValue, asked.outcome.rawValue)
  }

  func apply(_ alerts: AlertsSet, _ event: RawEvent) throws {
    let switches = [
      (AlertSwitch.alerts, alerts.isOn), (.badge, alerts.badgeIsOn), (.sound, alerts.soundIsOn),
    ]
    for (name, value) in switches {
      if let value { try insert(.alerts, alerts.device, name.rawValue, event.id, value) }
    }
  }

  func apply(_ set: DeviceSet, _ event: RawEvent) throws {
    if let name = set.name {
      try insert(.deviceSet, set.device, DeviceField.name.rawValue, event.id, name)
    }
    if let role = set.role {
      try insert(.deviceSet, set.device, DeviceField.role.rawValue, event.id, role.rawValue)
    }
    if let isRetired = set.isRetired {
      try insert(.deviceSet, set.device, DeviceField.retired.rawValue, event.id, isRetired)
    }
  }
}

/// What a person decides about a device, as named in rows.
enum DeviceField: String {
  case name, role, retired
}

/// A switch that a person sets for a device, as named in rows.
enum AlertSwitch: String {
  case alerts, badge, sound
}
