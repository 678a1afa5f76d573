/// One recorded delivery state of an occurrence on one device, as far as the planner needs it.
package struct OccurrenceReceipt: Hashable, Sendable {
  /// The schedule of the occurrence.
  package let schedule: ScheduleID
  /// The civil date and time that identify the occurrence.
  package let nominal: CivilDateTime
  /// The delivered revision.
  ///
  /// See ``ReceiptAdvanced/revision``.
  package let revision: String
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
    schedule: ScheduleID, nominal: CivilDateTime, revision: String, state: ReceiptState,
    fireAt: Instant?,
    replica: ReplicaID, recordedAt: Instant = Instant(milliseconds: .min)
  ) {
    self.schedule = schedule
    self.nominal = nominal
    self.revision = revision
    self.state = state
    self.fireAt = fireAt
    self.replica = replica
    self.recordedAt = recordedAt
  }
}
