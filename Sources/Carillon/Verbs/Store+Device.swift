public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// This device: its description, permission and switches.
  public func device() async throws -> Device {
    try await read { try $0.ownDevice() }
  }

  /// Records what the system says about permission now.
  @discardableResult
  public func setPermission(_ permission: Permission) async throws -> Written {
    try await write { _ in Decision(payloads: [.permissionChanged(permission)]) }
  }

  /// Records that the system's prompt was shown, which it is once for ever.
  ///
  /// - Returns: Nil where it had been shown before; then nothing is written.
  @discardableResult
  public func recordAsked() async throws -> Written? {
    guard try await !device().wasAsked else { return nil }
    let written = try await write { context in
      guard try !context.ownDevice().wasAsked else { return Decision(payloads: []) }
      return Decision(
        payloads: [.permissionAsked(PermissionAsked(step: .prompted))], needsState: true)
    }
    return written.events.contains { $0.type == "permission.asked" } ? written : nil
  }

  /// Turns this device's reminders on or off.
  @discardableResult
  public func setAlerts(_ isOn: Bool) async throws -> Written {
    try await write { context in
      guard try context.ownDevice().alerts.isOn != isOn else { return Decision(payloads: []) }
      return Decision(
        payloads: [.alertsSet(AlertsSet(device: context.replica, isOn: isOn))], needsState: true)
    }
  }
}

extension Context {
  func ownDevice() throws -> Device {
    try reader.device(replica) ?? Device(replica: replica)
  }
}
