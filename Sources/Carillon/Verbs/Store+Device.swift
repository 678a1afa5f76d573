public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// This device: its description, permission and switches.
  public func device() async throws -> Device {
    try await read { try $0.ownDevice() }
  }

  /// Records what the system says about permission now; nothing where that is known.
  @discardableResult
  public func setPermission(_ permission: Permission) async throws -> Written {
    try await write { context in
      let device = try context.ownDevice()
      // What a clock ahead of now recorded does not hold yet.
      let isKnown =
        device.permission == permission && device.permissionSince ?? context.now <= context.now
      guard !isKnown else { return Decision(payloads: []) }
      return Decision(
        payloads: [.permissionChanged(PermissionChanged(permission))], needsState: true)
    }
  }

  /// Records that the system's prompt was shown, which it is once for ever.
  ///
  /// - Returns: Nil where it had been shown before, or the system has an answer already; then
  ///   nothing is written.
  @discardableResult
  public func recordAsked() async throws -> Written? {
    guard try await device().mayBeAsked else { return nil }
    let written = try await write { context in
      guard try context.ownDevice().mayBeAsked else { return Decision(payloads: []) }
      return Decision(
        payloads: [.permissionAsked(PermissionAsked(step: .prompted))], needsState: true)
    }
    return written.events.contains { $0.kind == .permissionAsked } ? written : nil
  }

  /// Records that the app's own screen was shown, which asks before the system's prompt does.
  ///
  /// - Parameter outcome: What the person answered; a "no" keeps the screen away for some days,
  ///   twice as many with each.
  /// - Returns: Nil where it may not be shown now: ``Device/mayBePrimed(after:)`` says when, and
  ///   ``Device/mayBeAsked`` whether ever. Then nothing is written.
  @discardableResult
  public func recordPrimed(_ outcome: PermissionAsked.Outcome) async throws -> Written? {
    guard try await read({ try $0.mayPrime() }) else { return nil }
    let written = try await write { context in
      guard try context.mayPrime() else { return Decision(payloads: []) }
      return Decision(
        payloads: [.permissionAsked(PermissionAsked(step: .primed, outcome: outcome))],
        needsState: true)
    }
    return written.events.contains { $0.kind == .permissionAsked } ? written : nil
  }

  /// Turns this device's switches; what is nil stays as it is.
  ///
  /// - Parameters:
  ///   - isOn: Whether reminders are shown.
  ///   - badge: Whether the icon carries a number.
  ///   - sound: Whether reminders sound.
  @discardableResult
  public func setAlerts(
    _ isOn: Bool? = nil, badge: Bool? = nil, sound: Bool? = nil
  ) async throws -> Written {
    try await write { context in
      let device = try context.ownDevice()
      let known = device.alerts
      var change = AlertsSet(device: context.replica)
      // That it was off all along is told by an event alone.
      if isOn != known.isOn || device.alertsSince == nil { change.isOn = isOn }
      if badge != known.badgeIsOn { change.badgeIsOn = badge }
      if sound != known.soundIsOn { change.soundIsOn = sound }
      guard change != AlertsSet(device: context.replica) else { return Decision(payloads: []) }
      return Decision(payloads: [.alertsSet(change)], needsState: true)
    }
  }
}

extension Context {
  func ownDevice() throws -> Device {
    try reader.device(device) ?? Device(replica: device)
  }

  fileprivate func mayPrime() throws -> Bool {
    let device = try ownDevice()
    let from = device.mayBePrimed(after: settings)
    return device.mayBeAsked && from.map { $0 <= now } ?? true
  }
}
