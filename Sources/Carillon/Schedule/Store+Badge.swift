import CarillonModel
import CarillonSQLite

extension Store {
  /// The number that the app's icon is to carry: how many reminders are due today, by now, and not
  /// done; 0 where the badge is off or may not be shown.
  ///
  /// It follows from the events and is absolute; nothing counts it up.
  public func badge() async throws -> Int {
    try await read { context in
      guard try context.ownDevice().showsBadge else { return 0 }
      let settings = self.planSettings(context)
      let state = try context.reader.planState(
        span: Planner.span(now: context.now, settings: settings))
      return Planner(
        state: state, settings: settings, device: context.replica, now: context.now
      ).badge()
    }
  }
}

extension Device {
  /// Whether its icon may carry a number, and the person wants it.
  fileprivate var showsBadge: Bool {
    blocked == nil && permission.options.contains(.badge) && alerts.badgeIsOn
  }
}
