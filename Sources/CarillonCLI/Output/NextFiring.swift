import Carillon

extension NotificationPlan {
  /// Returns the time at which a habit's next notification fires, or nil if none is planned.
  func nextFiring(of habit: HabitID) -> Instant? {
    requests.compactMap { request in
      request.occurrences.contains { $0.habit == habit } ? request.fireAt : nil
    }.min()
  }
}

extension Store {
  /// Returns `; it next fires on Mon 23 Nov 17:00`, or an empty text if nothing is planned or
  /// delivered on this device.
  func nextFiringText(of habit: HabitID, _ time: LocalTime) async throws -> String {
    let plan = try await plan()
    guard plan.blocked == nil else { return "" }
    return plan.nextFiring(of: habit).map { "; it next fires on \(time.text($0))" } ?? ""
  }
}
