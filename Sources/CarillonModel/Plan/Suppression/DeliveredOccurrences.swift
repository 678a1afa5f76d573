/// The occurrences of a habit that were delivered on any device, with the delivered revision.
struct DeliveredOccurrences {
  /// An occurrence of the habit, which is hashed by what distinguishes most of them.
  private struct Key: Hashable {
    let occurrence: OccurrenceID

    func hash(into hasher: inout Hasher) {
      hasher.combine(occurrence.schedule)
      hasher.combine(occurrence.nominal.date)
    }
  }

  private var keys: Set<Key> = []

  /// Collects the occurrences that, at a moment, a habit's receipts report or presume as delivered.
  ///
  /// A presumed delivery on another device does not count in two cases, because two devices that
  /// travelled west together would leave the notification to each other: if both devices deliver
  /// the habit, and if the other device yields to this one, which had already left the other's zone
  /// when the notification was to fire.
  init(
    _ receipts: Set<OccurrenceReceipt>, of habit: borrowing Habit,
    on devices: [ReplicaID: Device], for device: ReplicaID, now: Instant
  ) {
    for receipt in receipts {
      if receipt.state == .submitted {
        let other = devices[receipt.replica]
        let reached = Receipt.State(
          receipt.state, fireAt: receipt.fireAt, now: now, on: other)
        guard reached == .presumed else { continue }
        if receipt.replica != device {
          if habit.owner == .both { continue }
          if let own = devices[device], let other, let fireAt = receipt.fireAt,
            own.hasLeft(other, before: fireAt), habit.floats(receipt)
          {
            continue
          }
        }
      }
      keys.insert(Key(occurrence: receipt.occurrence))
    }
  }

  /// Whether nothing was delivered.
  var isEmpty: Bool { keys.isEmpty }

  /// Returns the occurrences of a schedule that were delivered in a revision, in no particular
  /// order.
  func nominals(of schedule: ScheduleID, in revision: OccurrenceID.Revision) -> [CivilDateTime] {
    keys.lazy.map(\.occurrence).filter { $0.schedule == schedule && $0.revision == revision }
      .map(\.nominal)
  }

  /// Whether an occurrence was delivered in its revision.
  func contains(_ occurrence: OccurrenceID) -> Bool {
    keys.contains(Key(occurrence: occurrence))
  }
}

extension Device {
  /// Whether this device was, before a moment, in another zone than the last known zone of a device
  /// that yields to it.
  ///
  /// If the other device was taken along, it had not delivered notifications in local time by then.
  /// It cancels its requests as soon as it learns that this device delivers again.
  fileprivate func hasLeft(_ other: Device, before moment: Instant) -> Bool {
    guard rank < other.rank, let described = describedBy, let zone = description?.zone,
      let left = other.description?.zone
    else { return false }
    return zone != left && described.timestamp.milliseconds <= moment.milliseconds
  }
}

extension Habit {
  /// Whether the occurrence of a receipt follows the device's zone, in the receipt's revision.
  fileprivate func floats(_ receipt: OccurrenceReceipt) -> Bool {
    guard let schedule = schedules.first(where: { $0.id == receipt.occurrence.schedule }),
      schedule.civilZone == .floating
    else { return false }
    if case .interval = schedule.rule { return false }
    return switch receipt.occurrence.revision {
    case .first, .repeat: true
    // The end of a snooze is an instant, which does not follow the zone.
    case .snoozed, .unknown: false
    }
  }
}
