package import CarillonModel

extension ProjectionReader {
  /// Returns the devices of all replicas with facts about them.
  package func devices() throws -> [ReplicaID: Device] {
    try devices(where: { _ in "" })
  }

  /// Returns one replica's device; nil if there are no facts about it.
  package func device(_ replica: ReplicaID) throws -> Device? {
    try devices(where: { "WHERE \($0) = ?1" }, replica)[replica]
  }

  /// Returns what a replica last said about its device; nil if it said nothing.
  package func deviceDescription(of replica: ReplicaID) throws -> DeviceDescription? {
    let rows = try connection.query(
      "SELECT replica, \(Self.descriptionColumns) FROM device WHERE replica = ?1", replica)
    return try rows.step() ? try rows.deviceDescription() : nil
  }

  /// Returns the last logical date on which a person used the app on a replica's device.
  package func lastActive(of replica: ReplicaID) throws -> CivilDate? {
    let rows = try connection.query("SELECT day FROM activity WHERE replica = ?1", replica)
    return try rows.step() ? try rows.date(0) : nil
  }

  // MARK: - Parts

  private static let descriptionColumns =
    "name, role, zone, zone_data_version, capacity, predecessor"

  private func devices(
    where condition: (_ key: String) -> String, _ replica: ReplicaID? = nil
  ) throws -> [ReplicaID: Device] {
    var devices: [ReplicaID: Device] = [:]
    func visit(
      _ table: String, key: String = "replica", _ columns: String, order: String = "",
      _ body: (Statement, inout Device) throws -> Void
    ) throws {
      let rows = try connection.prepare(
        "SELECT \(key), \(columns) FROM \(table) \(condition(key)) \(order)")
      if let replica { rows.bind(1, replica) }
      while try rows.step() {
        let id: ReplicaID = try rows.id(0)
        try body(rows, &devices[id, default: Device(replica: id)])
      }
    }
    try visit("device", "\(Self.descriptionColumns), event") {
      $1.description = try $0.deviceDescription()
      $1.describedBy = try $0.eventID(7)
    }
    try visit("submission", "coverage_until, at") {
      $1.coverageUntil = $0.isNull(1) ? nil : $0.instant(1)
      $1.submittedAt = $0.instant(2)
    }
    try visit("permission", "status, options, at", order: "ORDER BY replica, event") {
      let options = UInt32(truncatingIfNeeded: $0.integer(2))
      $1.note(
        Permission(status: try $0.named(1), options: .init(rawValue: options)), at: $0.instant(3))
    }
    try visit("permission_asked", "step, outcome, event") {
      $1.note(
        PermissionAsked(step: try $0.named(1), outcome: try $0.named(2)),
        at: try $0.eventID(3).instant)
    }
    try visit("activity", "day") { $1.lastActive = try $0.date(1) }
    try visit("alerts", key: "device", "switch, value, event") {
      let name: AlertSwitch = try $0.named(1)
      $1.alerts.set(name, $0.integer(2) == 1)
      if name == .alerts { $1.alertsSince = try $0.eventID(3).instant }
    }
    var set: [ReplicaID: DeviceDecision] = [:]
    try visit("device_set", key: "device", "field, value, event") {
      try set[$1.replica, default: DeviceDecision()].read($0)
    }
    for (replica, decision) in set {
      devices[replica]?.note(
        name: decision.name, role: decision.role, retired: decision.retired)
    }
    for (replica, event) in try latestEvents() {
      devices[replica]?.lastSeen = Instant(milliseconds: event.timestamp.milliseconds)
    }
    return devices
  }
}

/// What a person decided about one device.
private struct DeviceDecision {
  var name: GivenName?
  var role: Device.Role?
  var retired: (value: Bool, since: Instant)?

  /// Reads a row of `device_set`, from the columns after the first.
  mutating func read(_ row: Statement) throws {
    switch try row.named(1) as DeviceField {
    case .name: name = GivenName(try row.text(2), by: try row.eventID(3))
    case .role: role = try row.named(2)
    case .retired: retired = (row.integer(2) == 1, try row.eventID(3).instant)
    }
  }
}

extension Statement {
  /// Returns the case that a text names.
  func named<Name: RawRepresentable<String>>(_ index: Int) throws -> Name {
    guard let name = Name(rawValue: try text(index)) else { throw Self.damagedValue }
    return name
  }

  /// Returns the description in a row of `device`, from the columns after the first.
  fileprivate func deviceDescription() throws -> DeviceDescription {
    DeviceDescription(
      name: try text(1), role: try named(2), zone: try text(3), zoneDataVersion: try text(4),
      capacity: Int(clamping: integer(5)), predecessor: try optionalID(6))
  }
}

extension Alerts {
  fileprivate mutating func set(_ name: AlertSwitch, _ value: Bool) {
    switch name {
    case .alerts: isOn = value
    case .badge: badgeIsOn = value
    case .sound: soundIsOn = value
    }
  }
}
