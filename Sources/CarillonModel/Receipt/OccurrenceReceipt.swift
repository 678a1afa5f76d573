/// One fact of what became of a reminder on one device, as far as the planner needs it.
public struct OccurrenceReceipt: Hashable, Sendable {
  /// The schedule whose occurrence it is.
  public let schedule: ScheduleID
  /// The civil date and time by which the occurrence is named.
  public let nominal: CivilDateTime
  /// Of what was shown; see ``ReceiptAdvanced/revision``.
  public let revision: String
  /// How far it came.
  public let state: ReceiptState
  /// When the system shows it, or showed it, where that is known.
  public let fireAt: Instant?
  /// The replica on whose device it came so far.
  public let replica: ReplicaID
  /// When the device recorded it.
  public let recordedAt: Instant

  /// Makes a value of its parts; by default it was recorded before all that is asked for.
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
