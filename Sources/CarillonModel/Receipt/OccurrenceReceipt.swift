/// One recorded delivery state of an occurrence on one device, as far as the planner needs it.
package struct OccurrenceReceipt: Hashable, Sendable {
  /// The occurrence, in the delivered revision.
  package let occurrence: OccurrenceID
  /// The recorded state.
  package let state: ReceiptState
  /// The instant at which the system delivers or delivered the notification, if it is known.
  package let fireAt: Instant?
  /// The replica of the device.
  package let replica: ReplicaID
  /// The instant at which the device recorded the state.
  package let recordedAt: Instant

  /// Creates a value from its parts.
  ///
  /// By default it is recorded before any other instant.
  package init(
    _ occurrence: OccurrenceID, _ state: ReceiptState, fireAt: Instant?, replica: ReplicaID,
    recordedAt: Instant = Instant(milliseconds: .min)
  ) {
    self.occurrence = occurrence
    self.state = state
    self.fireAt = fireAt
    self.replica = replica
    self.recordedAt = recordedAt
  }

  /// Hashes what distinguishes most receipts of a habit.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(occurrence.schedule)
    hasher.combine(occurrence.nominal.date)
    hasher.combine(state.rank)
  }
}
