/// One recorded delivery state of an occurrence on one device, as far as the planner needs it.
public struct OccurrenceReceipt: Hashable, Sendable {
  /// The schedule of the occurrence.
  public let schedule: ScheduleID
  /// The civil date and time that identify the occurrence.
  public let nominal: CivilDateTime
  /// The delivered revision.
  ///
  /// See ``ReceiptAdvanced/revision``.
  public let revision: String
  /// The recorded state.
  public let state: ReceiptState
  /// The instant at which the system delivers or delivered the notification, if it is known.
  public let fireAt: Instant?
  /// The replica of the device.
  public let replica: ReplicaID
  /// The instant at which the device recorded the state.
  public let recordedAt: Instant

  /// Creates a value from its parts.
  ///
  /// By default it is recorded before any other instant.
  public init(
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
