/// The occurrences of a habit that were shown on any device, in the revision in force.
struct ShownOccurrences {
  private var bySlot: [SlotID: Set<CivilDateTime>] = [:]

  /// Takes those of a habit's receipts that tell by a moment that something is shown.
  init(_ receipts: Set<OccurrenceReceipt>, on devices: [ReplicaID: Device], now: Instant) {
    for receipt in receipts {
      let isGranted = devices[receipt.replica]?.permission.isGranted ?? false
      let reached = Receipt.State(
        receipt.state, fireAt: receipt.fireAt, now: now, isGranted: isGranted)
      guard receipt.revision == ReceiptSubject.firstRevision, reached != .submitted else {
        continue
      }
      bySlot[receipt.slot, default: []].insert(receipt.nominal)
    }
  }

  /// The nominal times of a slot.
  subscript(slot: SlotID) -> Set<CivilDateTime> {
    bySlot.isEmpty ? [] : bySlot[slot] ?? []
  }
}
