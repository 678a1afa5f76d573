package import Carillon
package import CarillonModel

/// The notifications that the system should have scheduled now.
package struct PendingDocument: Sendable {
  /// The plan.
  package let plan: NotificationPlan
  private let time: LocalTime

  /// Reads the plan of a store.
  ///
  /// - Parameters:
  ///   - limit: The most requests; nil for the device's own capacity.
  ///   - days: The days in which the requests fire, today included; nil for the device's own
  ///     horizon.
  /// - Throws: `invalidValue` if a number is out of range.
  package init(
    _ store: Store, limit: Int? = nil, days: Int? = nil, _ time: LocalTime
  ) async throws {
    let plan = try await store.plan(capacity: limit, horizonDays: days)
    self.plan = days.map { plan.firing(before: time.end(ofDays: $0)) } ?? plan
    self.time = time
  }

  /// The document of the plan.
  package var json: JSON { plan.json(time) }
}

extension LocalTime {
  /// The first instant after a number of civil days, of which today is the first.
  fileprivate func end(ofDays days: Int) -> Instant {
    let calendar = CivilCalendar(zone: zone)
    return calendar.firstInstant(of: calendar.dateTime(at: now).date.adding(days: days))
  }
}
