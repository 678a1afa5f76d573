internal import CarillonModel

/// Devices: what their replicas say of them, and the person's switches.
extension EventApplier {
  func apply(_ active: AppActive, _ event: RawEvent) throws {
    let statement = try statement(.activity)
    statement.bind(1, event.replica)
    statement.bind(2, active.date)
    try statement.run()
  }

  func apply(_ description: DeviceDescription, _ event: RawEvent) throws {
    let statement = try statement(.device)
    statement.bind(1, event.replica)
    statement.bind(2, event.id)
    statement.bind(3, description.name)
    statement.bind(4, description.role.rawValue)
    statement.bind(5, description.zone)
    statement.bind(6, description.zoneDataVersion)
    statement.bind(7, Int64(description.capacity))
    statement.bind(8, description.predecessor)
    try statement.run()
  }

  func apply(_ changed: PermissionChanged, _ event: RawEvent) throws {
    let statement = try statement(.permission)
    statement.bind(1, event.replica)
    statement.bind(2, event.id)
    statement.bind(3, changed.permission.status.rawValue)
    statement.bind(4, Int64(changed.permission.options.rawValue))
    statement.bind(5, (changed.at ?? event.instant).milliseconds)
    try statement.run()
    let trim = try self.statement(.permissionTrim)
    trim.bind(1, event.replica)
    trim.bind(2, Int64(KeptFacts.perSource))
    try trim.run()
  }

  func apply(_ asked: PermissionAsked, _ event: RawEvent) throws {
    let statement = try statement(.permissionAsked)
    statement.bind(1, event.replica)
    statement.bind(2, event.id)
    statement.bind(3, asked.step.rawValue)
    statement.bind(4, asked.outcome.rawValue)
    try statement.run()
  }

  func apply(_ alerts: AlertsSet, _ event: RawEvent) throws {
    let statement = try statement(.alerts)
    statement.bind(1, alerts.device)
    statement.bind(3, event.id)
    let switches = [
      (AlertSwitch.alerts, alerts.isOn), (.badge, alerts.badgeIsOn), (.sound, alerts.soundIsOn),
    ]
    for (name, value) in switches {
      guard let value else { continue }
      statement.bind(2, name.rawValue)
      statement.bind(4, value ? 1 : 0)
      try statement.run()
    }
  }
}

/// The person's switches for a device, as rows name them.
enum AlertSwitch: String {
  case alerts, badge, sound
}
