/// A period during which a device's system allowed notifications.
package struct PermissionGrant: Hashable, Sendable {
  /// The start of the period.
  package let since: Instant
  /// The end of the period, excluded, or nil if the permission is still granted.
  package internal(set) var until: Instant?

  /// Whether the period contains an instant.
  func contains(_ moment: Instant) -> Bool { since <= moment && until.map { moment < $0 } ?? true }
}

extension Device {
  /// Whether the system allowed notifications at an instant.
  ///
  /// If the start of the current permission is not known, the current permission applies to all
  /// times.
  package func isGranted(at moment: Instant) -> Bool {
    permissionSince == nil ? permission.isGranted : grants.contains { $0.contains(moment) }
  }

  /// Whether the device can have shown a notification at an instant: the system allowed it, and the
  /// device was not retired.
  package func mayShow(at moment: Instant) -> Bool {
    isGranted(at: moment) && retiredSince.map { moment < $0 } ?? true
  }

  /// Returns the instant since which the system has allowed notifications without interruption.
  ///
  /// - Returns: Nil if it does not allow them, or if the instant is not known: a clock that was
  ///   ahead of `now` recorded it, for example.
  package func grantedSince(by now: Instant) -> Instant? {
    guard let last = grants.last, last.until == nil, last.since <= now.lastKnown else { return nil }
    return last.since
  }

  /// Records the system's permission from an instant on.
  ///
  /// Call it in the order of the event IDs.
  ///
  /// Permissions recorded earlier for later instants, by a clock that was ahead, are removed.
  package mutating func note(_ permission: Permission, at moment: Instant) {
    grants.removeAll { $0.since >= moment }
    if let last = grants.last, last.contains(moment) {
      grants[grants.count - 1].until = permission.isGranted ? nil : moment
    } else if permission.isGranted {
      grants.append(PermissionGrant(since: moment, until: nil))
    }
    self.permission = permission
    permissionSince = moment
  }
}
