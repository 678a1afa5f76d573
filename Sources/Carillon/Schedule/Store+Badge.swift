import CarillonModel
import CarillonSQLite

extension Store {
  /// The number that the app's icon is to carry: how many reminders are due today, by now, and not
  /// done; 0 where the badge is off or may not be shown.
  ///
  /// It follows from the events and is absolute; nothing counts it up.
  public func badge() async throws -> Int {
    try await read { context in
      try context.ownDevice().showsBadge ? try self.planner(context).badge() : 0
    }
  }

  /// What this device shows though it is answered, where it showed anything lately.
  func deliveredRemovals() async throws -> [String] {
    try await read { context in
      try self.hasShown(context) ? try self.planner(context).deliveredRemovals() : []
    }
  }

  /// Both of one moment, from one state; which is not read where neither needs it.
  func screen() async throws -> (removals: [String], badge: Int) {
    try await read { context in
      let showsBadge = try context.ownDevice().showsBadge
      let hasShown = try self.hasShown(context)
      guard showsBadge || hasShown else { return ([], 0) }
      let planner = try self.planner(context)
      return (
        hasShown ? planner.deliveredRemovals() : [], showsBadge ? planner.badge() : 0
      )
    }
  }

  /// Whether anything around now was given to this device's system.
  private func hasShown(_ context: Context) throws -> Bool {
    let range = Planner.range(now: context.now, settings: planSettings(context))
    return try context.reader.occurrenceReceipts(range: range).values.joined()
      .contains { $0.replica == context.device }
  }

  private func planner(_ context: Context) throws -> Planner {
    let settings = planSettings(context)
    let state = try context.reader.planState(
      range: Planner.range(now: context.now, settings: settings))
    return Planner(state: state, settings: settings, device: context.device, now: context.now)
  }
}

extension Device {
  /// Whether its icon may carry a number, and the person wants it.
  fileprivate var showsBadge: Bool {
    blocked == nil && permission.options.contains(.badge) && alerts.badgeIsOn
  }
}
