import CarillonModel
import CarillonSQLite

extension Store {
  /// Returns the number for the app's icon: the reminders that became due today and are not done.
  ///
  /// Returns 0 if the badge is off or not allowed.
  ///
  /// The number is computed from the events on each call; it is not a counter.
  public func badge() async throws(StoreError) -> Int {
    try await query { try $0.badge() }
  }

  /// Returns the IDs of answered notifications that this device may still show, if it showed any
  /// recently.
  func deliveredRemovals() async throws -> [RequestID] {
    try await read { context in
      try self.hasDelivered(context)
        ? try self.deliveredRemovals(self.planner(context), context) : []
    }
  }

  /// Returns removals and badge from one snapshot.
  ///
  /// The state is read only if one of them needs it.
  func screen() async throws -> (removals: [RequestID], badge: Int) {
    try await read { context in
      let showsBadge = try context.ownDevice().showsBadge
      let hasDelivered = try self.hasDelivered(context)
      guard showsBadge || hasDelivered else { return ([], 0) }
      let planner = try self.planner(context)
      return (
        hasDelivered ? try self.deliveredRemovals(planner, context) : [],
        showsBadge ? planner.badge() : 0
      )
    }
  }

  private func deliveredRemovals(_ planner: Planner, _ context: Context) throws -> [RequestID] {
    planner.deliveredRemovals(planned: try context.reader.plannedRepeats())
  }

  /// Whether any occurrence around now was given to this device's system.
  private func hasDelivered(_ context: Context) throws -> Bool {
    let range = Planner.range(now: context.now)
    return try context.reader.occurrenceReceipts(range: range).values.joined()
      .contains { $0.replica == context.device }
  }

  func planner(_ context: Context) throws -> Planner {
    let settings = planSettings(context)
    let state = try context.planState(range: Planner.range(now: context.now))
    return Planner(state: state, settings: settings, device: context.device, now: context.now)
  }
}

extension Device {
  /// Whether the icon may show a number and the person wants it.
  var showsBadge: Bool {
    blocked == nil && permission.options.contains(.badge) && alerts.badgeIsOn
  }
}
