public import CarillonModel
internal import CarillonSQLite

extension Store {
  /// Returns this device: its description, permission and switches.
  public func device() async throws(StoreError) -> Device {
    try await query { try $0.device() }
  }

  /// Records the system's current permission.
  ///
  /// Writes nothing if it is already recorded.
  @discardableResult
  public func setPermission(_ permission: Permission) async throws(StoreError) -> Written {
    try await write { context in
      let device = try context.ownDevice()
      // A value with a timestamp ahead of now comes from a wrong clock and does not count.
      let isKnown =
        device.permission == permission && device.permissionSince ?? context.now <= context.now
      guard !isKnown else { return Decision(payloads: []) }
      return Decision(
        payloads: [.permissionChanged(PermissionChanged(permission))], needsState: true)
    }
  }

  /// Records that the system's permission prompt was shown.
  ///
  /// The system shows it only once.
  ///
  /// - Returns: Nil, with nothing written, if the prompt was shown before or the system already has
  ///   an answer.
  @discardableResult
  public func recordAsked() async throws(StoreError) -> Written? {
    guard try await device().mayBeAsked else { return nil }
    let written = try await write { context in
      guard try context.ownDevice().mayBeAsked else { return Decision(payloads: []) }
      return Decision(
        payloads: [.permissionAsked(PermissionAsked(step: .prompted))], needsState: true)
    }
    return written.events.contains { $0.kind == .permissionAsked } ? written : nil
  }

  /// Records that the app's own screen, which precedes the system's prompt, was shown.
  ///
  /// - Parameter outcome: The person's answer. After each "no", the screen may not be shown again
  ///   for a number of days that doubles each time.
  /// - Returns: Nil, with nothing written, if the screen may not be shown now. See
  ///   ``Device/mayBePrimed(after:in:)`` for when it may be, and ``Device/mayBeAsked`` for whether
  ///   it ever may be.
  @discardableResult
  public func recordPrimed(_ outcome: PermissionAsked.Outcome) async throws(StoreError) -> Written?
  {
    guard try await read({ try $0.mayPrime() }) else { return nil }
    let written = try await write { context in
      guard try context.mayPrime() else { return Decision(payloads: []) }
      return Decision(
        payloads: [.permissionAsked(PermissionAsked(step: .primed, outcome: outcome))],
        needsState: true)
    }
    return written.events.contains { $0.kind == .permissionAsked } ? written : nil
  }

  /// Sets this device's switches.
  ///
  /// A nil parameter leaves its switch unchanged.
  ///
  /// - Parameters:
  ///   - isOn: Whether notifications are delivered.
  ///   - badge: Whether the app's icon shows a number.
  ///   - sound: Whether notifications play a sound.
  @discardableResult
  public func setAlerts(
    _ isOn: Bool? = nil, badge: Bool? = nil, sound: Bool? = nil
  ) async throws(StoreError) -> Written {
    try await write { context in
      let device = try context.ownDevice()
      let known = device.alerts
      var change = AlertsSet(device: context.replica)
      // Without a first event, a switch that was off from the start would be unrecorded.
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
    let from = device.mayBePrimed(after: settings, in: zone)
    return device.mayBeAsked && from.map { $0 <= now } ?? true
  }
}
