package import Foundation

extension PlannedRequest {
  /// An occurrence, and the instant at which the request fired for it.
  package typealias Fired = (occurrence: OccurrenceID, fireAt: Instant)

  /// Returns the occurrence for which the request fired last, and when.
  ///
  /// The request may have been planned for a later occurrence since. If it repeats at a civil time,
  /// the one before follows from its ID, whatever its schedule is now.
  ///
  /// - Parameter calendar: The civil time of the device.
  /// - Returns: Nil if the request fires at a place, if it is not known to have fired, and if it
  ///   follows the civil time of another zone.
  package func lastFiring(by now: Instant, _ calendar: CivilCalendar) -> Fired? {
    guard let fireAt else { return nil }
    return fireAt <= now ? (occurrence, fireAt) : civilFiring(by: now, calendar)
  }

  /// Returns the occurrences for which a request that the system holds fired after an instant, and
  /// when, the latest first.
  ///
  /// A request that does not repeat at a civil time of the device is only known to have fired for
  /// the occurrence for which it was planned last.
  ///
  /// - Complexity: O(days).
  package func firings(after start: Instant, by now: Instant, _ calendar: CivilCalendar) -> [Fired]
  {
    var firings: [Fired] = []
    var moment = now
    while let last = civilFiring(by: moment, calendar), last.fireAt > start {
      firings.append(last)
      moment = Instant(milliseconds: last.fireAt.milliseconds - 1)
    }
    if firings.isEmpty, let fireAt, fireAt > start, fireAt <= now { return [(occurrence, fireAt)] }
    return firings
  }

  /// Returns the last firing of a request that repeats at a civil time of the device.
  private func civilFiring(by now: Instant, _ calendar: CivilCalendar) -> Fired? {
    let (planned, moment) = (occurrence.nominal, calendar.dateTime(at: now))
    guard calendar.instant(of: planned) == fireAt,
      let trigger = RequestTrigger.Shape.repeating(at: planned).first(where: { isOne(of: [$0]) })
    else { return nil }
    let date = planned.time > moment.time ? moment.date.adding(days: -1) : moment.date
    let nominal = CivilDateTime(date: trigger.lastDate(by: date), time: planned.time)
    return calendar.instant(of: nominal).flatMap { last in
      guard last <= now else { return nil }
      return (
        OccurrenceID(habit: occurrence.habit, schedule: occurrence.schedule, nominal: nominal), last
      )
    }
  }
}

extension StoreState {
  /// Adds what a device's repeating requests fired since its system holds them, where the device
  /// recorded nothing yet.
  ///
  /// The device records such firings when it submits its next plan. Until then, they count as
  /// deliveries that nobody reported.
  ///
  /// - Parameter requests: The repeating requests that the device planned lately.
  package mutating func add(
    firings requests: [PlannedRequest], on device: ReplicaID, in zone: TimeZone, by now: Instant
  ) {
    let calendar = CivilCalendar(zone: zone)
    for request in requests {
      guard let since = request.heldSince, habits[request.occurrence.habit] != nil else { continue }
      let recorded = (receipts[request.occurrence.habit] ?? []).filter { $0.replica == device }
      for (occurrence, fireAt) in request.firings(after: since, by: now, calendar)
      where !recorded.contains(where: { $0.occurrence == occurrence }) {
        receipts[occurrence.habit, default: []].insert(
          OccurrenceReceipt(
            occurrence, .submitted, fireAt: fireAt, replica: device, recordedAt: since))
      }
    }
  }
}
