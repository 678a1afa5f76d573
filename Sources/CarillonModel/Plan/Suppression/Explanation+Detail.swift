extension Explanation {
  /// The values behind a reason.
  package enum Detail: Hashable, Sendable {
    /// The reason has no values.
    case none
    /// The habit's start or end.
    case date(CivilDate)
    /// The instant at which the schedule was first set.
    case created(Instant)
    /// The first and the last date of the pause; no last date if it has no end.
    case paused(first: CivilDate, last: CivilDate?, ofAll: Bool)
    /// The instant until which a recent entry suppresses the schedule.
    case doneRecently(until: Instant)
    /// The quota, and what counts towards it in its period.
    case quota(Quota, done: Int)
    /// The last date on which the app was used, and the days after which the schedule stops.
    case inactive(since: CivilDate, days: Int)
    /// The recorded delivery.
    case delivery(Delivery)
    /// The device that submitted the occurrence, and could not deliver it when it was due.
    case notDelivered(by: ReplicaID)
    /// The end of the quiet hours, at which another request represents the occurrence, or nil if
    /// the schedule drops it.
    case quietHours(until: Instant?)
    /// The device that delivers the habit's notifications.
    case device(ReplicaID)
    /// The owner policy for which no device is in use.
    case owner(Habit.Owner)
    /// The end of the horizon.
    case coverage(until: Instant)
    /// The end of the coverage, and the first reminder of the schedule that does not fit; no first
    /// reminder for a place, or if it is not known.
    case overCapacity(until: Instant, since: Instant?)
    /// What moves the occurrence to another time than its own.
    case moved(by: Mover)
  }

  /// What moves an occurrence that will fire.
  package enum Mover: String, Hashable, Sendable {
    case snooze, quietHours, digest
  }

  /// A delivery that a device recorded, or that follows from what it submitted.
  package struct Delivery: Hashable, Sendable {
    /// The state that the notification reached.
    package let state: Receipt.State
    /// The device.
    package let replica: ReplicaID
    /// The instant of the delivery, or nil if it was not recorded.
    package let at: Instant?
  }
}

extension Planner {
  /// Returns the delivery of an occurrence in one of some revisions, or nil if none is recorded.
  ///
  /// A reported delivery takes precedence over a presumed one, then the earliest one.
  func delivery(
    of occurrence: Occurrence, _ schedule: SchedulePlan, in revisions: [OccurrenceID.Revision]
  ) -> Explanation.Delivery? {
    let suppression = schedule.suppression
    let found = suppression.receipts(of: occurrence, in: revisions).compactMap(delivery)
    return found.min { left, right in
      let (first, second) = (left.state == .presumed, right.state == .presumed)
      guard first == second else { return second }
      return (left.at?.milliseconds ?? .max, left.replica)
        < (right.at?.milliseconds ?? .max, right.replica)
    }
  }

  /// Returns the device that recorded, at or after an instant, that its system still held an
  /// occurrence in one of some revisions without having delivered it; nil if none did.
  func refusal(
    of occurrence: Occurrence, _ schedule: SchedulePlan, in revisions: [OccurrenceID.Revision],
    at fireAt: Instant
  ) -> ReplicaID? {
    schedule.suppression.receipts(of: occurrence, in: revisions).filter { receipt in
      receipt.state == .submitted && receipt.fireAt == nil && receipt.recordedAt >= fireAt
    }.map(\.replica).min()
  }

  private func delivery(_ receipt: OccurrenceReceipt) -> Explanation.Delivery? {
    let reached = Receipt.State(
      receipt.state, fireAt: receipt.fireAt, now: now, on: state.devices[receipt.replica])
    guard reached != .submitted else { return nil }
    let recordedAt = receipt.recordedAt.milliseconds == .min ? nil : receipt.recordedAt
    return Explanation.Delivery(
      state: reached, replica: receipt.replica, at: receipt.fireAt ?? recordedAt)
  }

  /// Returns the device that delivers the notifications of habits with an owner policy, or nil if
  /// none may.
  package func deliverer(_ owner: Habit.Owner) -> ReplicaID? {
    election.deliverer(owner)
  }

  /// Whether this device may deliver notifications beside another one, but the other devices no
  /// longer count on it, because it wrote nothing for long.
  package var isForgotten: Bool { election.isForgotten }

  var election: DeviceElection {
    DeviceElection(state: state, device: device, staleHours: settings.store.staleHours, now: now)
  }
}
