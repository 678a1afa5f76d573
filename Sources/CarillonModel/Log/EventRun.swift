/// Consecutive events of one branch that already have their IDs.
///
/// The IDs are not sent: the receiver computes them from `previous` on and compares the last one
/// with `lastID`.
public struct EventRun: Hashable, Sendable {
  /// One event of a run: its timestamp and payload.
  public struct Item: Hashable, Sendable {
    /// The time at which the event was written.
    public let timestamp: Timestamp
    /// The event's payload, byte for byte; empty if it was erased.
    public let payload: [UInt8]
    /// The payload's digest, computed once so that neither sync nor the log hashes the payload
    /// again.
    public let digest: PayloadDigest
    /// The event that erased the payload; nil if the payload was not erased.
    public let erasure: EventID?
    /// The event's ID if nothing else is known of the event; nil if the ID follows from the
    /// content.
    public let missingID: EventID?

    /// Creates an item and digests its payload.
    ///
    /// - Complexity: O(bytes).
    public init(timestamp: Timestamp, payload: [UInt8]) {
      self.timestamp = timestamp
      self.payload = payload
      digest = PayloadDigest(payload)
      erasure = nil
      missingID = nil
    }

    /// Creates the item of an event whose payload was erased.
    public init(timestamp: Timestamp, redacted: RedactedContent) {
      self.timestamp = timestamp
      payload = []
      digest = redacted.digest
      erasure = redacted.erasure
      missingID = nil
    }

    /// Creates the item of an event without known content.
    ///
    /// In a run, an item with content must follow, whose ID commits to the last of these items.
    public init(missing id: EventID) {
      timestamp = id.timestamp
      payload = []
      digest = PayloadDigest([])
      erasure = nil
      missingID = id
    }

    /// Returns the event's ID, given the previous one.
    package func id(sequence: SequenceNumber, previous: EventID) -> EventID {
      missingID
        ?? EventChain.id(
          sequence: sequence, timestamp: timestamp, previous: previous, payload: digest)
    }

    /// What remains of an erased payload, otherwise nil.
    public var redacted: RedactedContent? {
      erasure.map { RedactedContent(digest: digest, erasure: $0) }
    }

    /// Whether the payload has an allowed size; it must be empty if it was erased or is missing.
    package var hasAllowedSize: Bool {
      erasure != nil || missingID != nil
        ? payload.isEmpty : (1...StoredEvent.maxPayloadBytes).contains(payload.count)
    }
  }

  /// The replica that wrote the events.
  public let replica: ReplicaID
  /// The sequence of the first event.
  public let firstSequence: SequenceNumber
  /// The ID before the first event; ``EventChain/root(of:)`` if `firstSequence` is 1.
  public let previous: EventID
  /// The events in order; never empty.
  public let items: [Item]
  /// The ID that the last event must have.
  public let lastID: EventID

  /// Creates a value from its parts.
  public init(
    replica: ReplicaID, firstSequence: SequenceNumber, previous: EventID, items: [Item],
    lastID: EventID
  ) {
    self.replica = replica
    self.firstSequence = firstSequence
    self.previous = previous
    self.items = items
    self.lastID = lastID
  }

  /// The sequence of the last event.
  public var lastSequence: SequenceNumber {
    SequenceNumber(rawValue: firstSequence.rawValue + UInt64(items.count) - 1)
  }
}
