/// Events that follow one another on one branch and already have their IDs.
///
/// IDs do not travel: whoever appends a run computes them from `previous` on and compares the
/// last with `lastID`.
public struct EventRun: Hashable, Sendable {
  /// One event of a run: its timestamp and payload.
  public struct Item: Hashable, Sendable {
    /// When the event was written.
    public let timestamp: Timestamp
    /// The event's payload, byte for byte; empty where it was erased.
    public let payload: [UInt8]
    /// Made where the item was made, so that neither sync nor the log need hash the payload again.
    public let digest: PayloadDigest
    /// The event on whose account the payload was erased, or nil where it is here.
    public let erasure: EventID?
    /// The event's ID, where nothing else is known of it; nil where the ID follows from the rest.
    public let missingID: EventID?

    /// Makes a value of its parts and digests the payload.
    ///
    /// - Complexity: O(n) in the bytes.
    public init(timestamp: Timestamp, payload: [UInt8]) {
      self.timestamp = timestamp
      self.payload = payload
      digest = PayloadDigest(payload)
      erasure = nil
      missingID = nil
    }

    /// Makes the item of an event whose payload was erased.
    public init(timestamp: Timestamp, redacted: RedactedContent) {
      self.timestamp = timestamp
      payload = []
      digest = redacted.digest
      erasure = redacted.erasure
      missingID = nil
    }

    /// Makes the item of an event of which only the ID is known.
    ///
    /// Behind such items a run has one with content, whose ID commits to the last of them.
    public init(missing id: EventID) {
      timestamp = id.timestamp
      payload = []
      digest = PayloadDigest([])
      erasure = nil
      missingID = id
    }

    /// The event's ID behind another.
    package func id(sequence: SequenceNumber, previous: EventID) -> EventID {
      missingID
        ?? EventChain.id(
          sequence: sequence, timestamp: timestamp, previous: previous, payload: digest)
    }

    /// What is left of the payload where it was erased, else nil.
    public var redacted: RedactedContent? {
      erasure.map { RedactedContent(digest: digest, erasure: $0) }
    }

    /// Whether the payload has a size that is allowed: none where it was erased, or is missing.
    public var hasAllowedSize: Bool {
      erasure != nil || missingID != nil
        ? payload.isEmpty : (1...Event.maxPayloadBytes).contains(payload.count)
    }
  }

  /// Who wrote the events.
  public let replica: ReplicaID
  /// The place of the first event on its branch.
  public let firstSequence: SequenceNumber
  /// The ID before the first; ``EventChain/root(of:)`` where `firstSequence` is 1.
  public let previous: EventID
  /// In order; never empty.
  public let items: [Item]
  /// The ID the last event must come to.
  public let lastID: EventID

  /// Makes a value of its parts.
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
