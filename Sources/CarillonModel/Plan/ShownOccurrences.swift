/// The occurrences of a habit that were shown on any device, by the revision that was.
struct ShownOccurrences {
  private struct Key: Hashable {
    let schedule: ScheduleID
    let nominal: CivilDateTime
    let revision: String
  }

  private var keys: Set<Key> = []

  /// Takes those of a habit's receipts that tell a device by a moment that something is shown.
  ///
  /// What fires on both a phone and a watch, one is only presumed to have shown, is not shown for
  /// the other: taken west together, each would leave it to the other. So it is with what a device
  /// that yields to this one was given in a zone that both have left since.
  init(
    _ receipts: Set<OccurrenceReceipt>, of habit: borrowing Habit,
    on devices: [ReplicaID: Device], for device: ReplicaID, now: Instant
  ) {
    guard !receipts.isEmpty else { return }
    let (owner, own) = (habit.owner, devices[device])
    for receipt in receipts {
      let other = devices[receipt.replica]
      let reached = Receipt.State(
        receipt.state, fireAt: receipt.fireAt, now: now, on: other)
      guard reached != .submitted else { continue }
      if reached == .presumed, receipt.replica != device {
        if owner == .both { continue }
        if let own, let other, let fireAt = receipt.fireAt, own.hasLeft(other, before: fireAt),
          habit.floats(receipt)
        {
          continue
        }
      }
      keys.insert(
        Key(schedule: receipt.schedule, nominal: receipt.nominal, revision: receipt.revision))
    }
  }

  /// Whether nothing was shown.
  var isEmpty: Bool { keys.isEmpty }

  /// The occurrences of a schedule that were shown in a revision, in no order.
  func nominals(of schedule: ScheduleID, revision: String) -> [CivilDateTime] {
    keys.filter { $0.schedule == schedule && $0.revision == revision }.map(\.nominal)
  }

  /// Whether an occurrence was shown in a revision.
  func contains(_ schedule: ScheduleID, _ nominal: CivilDateTime, revision: String) -> Bool {
    !keys.isEmpty && keys.contains(Key(schedule: schedule, nominal: nominal, revision: revision))
  }
}

extension Device {
  /// Whether it was in another zone by a moment than one that yields to it was last heard of in.
  ///
  /// What follows local time that one, taken along, had not shown by then; and it takes it back as
  /// soon as it hears that this one reminds again.
  fileprivate func hasLeft(_ other: Device, before moment: Instant) -> Bool {
    guard rank < other.rank, let described = describedBy, let zone = description?.zone,
      let left = other.description?.zone
    else { return false }
    return zone != left && described.timestamp.milliseconds <= moment.milliseconds
  }
}

extension Habit {
  /// Whether an occurrence follows the zone of the device, in the revision of a receipt.
  fileprivate func floats(_ receipt: OccurrenceReceipt) -> Bool {
    guard let schedule = schedules.first(where: { $0.id == receipt.schedule }),
      schedule.civilZone == .floating
    else { return false }
    if case .interval = schedule.rule { return false }
    // Of a snooze it is the instant.
    return receipt.revision == "0" || receipt.revision.hasPrefix("r")
  }
}
