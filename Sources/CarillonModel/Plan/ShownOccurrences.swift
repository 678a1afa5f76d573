/// The occurrences of a habit that were shown on any device, in the revision in force.
struct ShownOccurrences {
  private var bySlot: [SlotID: Set<CivilDateTime>] = [:]

  /// Takes those of a habit that are known to be shown by a moment.
  init(of habit: HabitID, state: State, now: Instant) {
    for receipt in state.receipts[habit] ?? [] {
      let isGranted = state.devices[receipt.replica]?.permission.isGranted ?? false
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
