import CarillonModel
import CarillonSQLite

extension Store {
  /// Whether a request that fell due may still be shown on this device, and is not shown again.
  ///
  /// False while nothing may be shown; for an occurrence that is done, skipped or otherwise silent
  /// by now; and for one that this device showed, or another one showed or must have shown.
  ///
  /// - Parameters:
  ///   - id: The request's id; one of nothing that is known is not shown.
  ///   - firedAt: When it fell due.
  package func mayShow(_ id: String, firedAt: Instant) async throws -> Bool {
    try await read { context in
      guard try context.ownDevice().blocked == nil else { return false }
      if id.hasPrefix("c1d.") || id.hasPrefix("c1o.") { return true }
      let due = context.at(firedAt)
      guard let found = try self.notifications(id, due).first else { return false }
      guard case .occurrence(let habit, _, let nominal) = found.subject else { return true }
      let settings = self.planSettings(context)
      return try [-1, 0, 1].contains { days in
        let date = nominal.date.adding(days: days)
        var state = try context.reader.planState(
          span: Planner.span(now: context.now, settings: settings, including: date))
        // That it was given to this system, and is due, is what it is shown for.
        state.receipts[habit] = state.receipts[habit]?.filter {
          $0.replica != context.replica || $0.state != .submitted
        }
        return Planner(
          state: state, settings: settings, device: context.replica, now: context.now
        ).explain(habit, on: date).contains {
          [id, found.subject.key].contains($0.id) && $0.reason == .past
        }
      }
    }
  }
}
