/// The occurrences of a habit that were shown on any device, by the revision that was.
struct ShownOccurrences {
  private struct Key: Hashable {
    let slot: SlotID
    let nominal: CivilDateTime
    let revision: String
  }

  private var keys: Set<Key> = []

  /// Takes those of a habit's receipts that tell a device by a moment that something is shown.
  ///
  /// What rings on both a phone and a watch, one is only presumed to have shown, is not shown for
  /// the other: taken west together, each would leave it to the other.
  init(
    _ receipts: Set<OccurrenceReceipt>, of owner: Habit.Owner, on devices: [ReplicaID: Device],
    for device: ReplicaID, now: Instant
  ) {
    for receipt in receipts {
      let isGranted = devices[receipt.replica]?.permission.isGranted ?? false
      let reached = Receipt.State(
        receipt.state, fireAt: receipt.fireAt, now: now, isGranted: isGranted)
      guard reached != .submitted else { continue }
      if reached == .presumed, owner == .both, receipt.replica != device { continue }
      keys.insert(Key(slot: receipt.slot, nominal: receipt.nominal, revision: receipt.revision))
    }
  }

  /// Whether nothing was shown.
  var isEmpty: Bool { keys.isEmpty }

  /// The occurrences of a slot that were shown in a revision, in no order.
  func nominals(of slot: SlotID, revision: String) -> [CivilDateTime] {
    keys.filter { $0.slot == slot && $0.revision == revision }.map(\.nominal)
  }

  /// Whether an occurrence was shown in a revision.
  func contains(_ slot: SlotID, _ nominal: CivilDateTime, revision: String) -> Bool {
    !keys.isEmpty && keys.contains(Key(slot: slot, nominal: nominal, revision: revision))
  }
}
