/// A time in which a device's system let it show reminders.
public struct PermissionGrant: Hashable, Sendable {
  /// From when on.
  public let since: Instant
  /// Until when, exclusively; nil where it still does.
  public internal(set) var until: Instant?

  /// Whether a moment lies in it.
  func contains(_ moment: Instant) -> Bool { since <= moment && until.map { moment < $0 } ?? true }
}

extension Device {
  /// Whether its system let it show reminders at a moment.
  ///
  /// Where it is not known since when, what it allows now is taken for all times.
  public func isGranted(at moment: Instant) -> Bool {
    permissionSince == nil ? permission.isGranted : grants.contains { $0.contains(moment) }
  }

  /// Since when its system lets it show reminders without a break; nil where it does not, or where
  /// that is not known.
  public var grantedSince: Instant? { grants.last.flatMap { $0.until == nil ? $0.since : nil } }

  /// Takes in what the system allows from a moment on, in the order of the event IDs.
  ///
  /// What was said before of later moments, by a clock that was ahead, no longer holds.
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
