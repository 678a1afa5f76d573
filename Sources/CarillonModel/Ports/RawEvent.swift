/// The payload's bytes are valid only during the call that was given it; copy what is to be kept.
public struct RawEvent {
  /// Its place in this log.
  public let position: Position
  /// The branch on which it stands.
  public let branch: BranchIndex
  /// Who wrote it.
  public let replica: ReplicaID
  /// Its place on its branch.
  public let sequence: SequenceNumber
  /// Its ID.
  public let id: EventID
  /// Its payload, valid only during the call; empty where it was erased, or is missing.
  public let payload: UnsafeRawBufferPointer
  /// What is left of the payload where it was erased, else nil.
  public let redacted: RedactedContent?

  /// Makes a value of its parts.
  public init(
    position: Position, branch: BranchIndex, replica: ReplicaID, sequence: SequenceNumber,
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
  public var isMissing: Bool { redacted == nil && payload.isEmpty }

  /// A copy that may be kept.
  public var event: Event {
    if let redacted {
      return Event(id: id, replica: replica, sequence: sequence, redacted: redacted)
    }
    return Event(id: id, replica: replica, sequence: sequence, payload: [UInt8](payload))
  }

  /// The SHA-256 of its payload, also of one that was erased.
  ///
  /// - Complexity: O(bytes).
  public var digest: PayloadDigest { redacted?.digest ?? PayloadDigest(bufferPointer: payload) }
}
