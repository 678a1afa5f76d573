/// An event whose payload is valid only during the call that received it; copy the payload to keep
/// it.
public struct RawEvent {
  /// Its position in this log.
  public let position: LogPosition
  /// The branch that holds it.
  public let branch: BranchIndex
  /// The replica that wrote it.
  public let replica: ReplicaID
  /// Its place on its branch.
  public let sequence: SequenceNumber
  /// Its ID.
  public let id: EventID
  /// Its payload, valid only during the call; empty if it was erased or is missing.
  public let payload: UnsafeRawBufferPointer
  /// What remains of an erased payload; nil if the payload was not erased.
  public let redacted: RedactedContent?

  /// Creates a value from its parts.
  public init(
    position: LogPosition, branch: BranchIndex, replica: ReplicaID, sequence: SequenceNumber,
    id: EventID, payload: UnsafeRawBufferPointer, redacted: RedactedContent? = nil
  ) {
    self.position = position
    self.branch = branch
    self.replica = replica
    self.sequence = sequence
    self.id = id
    self.payload = payload
    self.redacted = redacted
  }

  /// Whether only the ID is known.
  package var isMissing: Bool { redacted == nil && payload.isEmpty }

  /// A copy that may be kept.
  package var event: StoredEvent {
    if let redacted {
      return StoredEvent(id: id, replica: replica, sequence: sequence, redacted: redacted)
    }
    return StoredEvent(id: id, replica: replica, sequence: sequence, payload: [UInt8](payload))
  }

  /// The SHA-256 of its payload, even if the payload was erased.
  ///
  /// - Complexity: O(bytes).
  package var digest: PayloadDigest { redacted?.digest ?? PayloadDigest(bufferPointer: payload) }
}
