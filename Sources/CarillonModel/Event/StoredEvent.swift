/// One recorded fact: immutable, and identical on every replica.
public struct StoredEvent: Hashable, Sendable {
  /// The event's identity, which also commits to its content and history and fixes its order.
  public let id: EventID
  /// The replica that wrote the event.
  public let replica: ReplicaID
  /// The event's place on its branch: 1, 2, 3 and so on.
  public let sequence: SequenceNumber
  /// The protobuf `carillon.v1.Payload`, byte for byte as written.
  ///
  /// At most 16,384 bytes; empty if the payload was erased or is missing.
  public let payload: [UInt8]
  /// What remains of an erased payload, otherwise nil.
  package let redacted: RedactedContent?

  /// Creates a value from its parts.
  package init(id: EventID, replica: ReplicaID, sequence: SequenceNumber, payload: [UInt8]) {
    self.id = id
    self.replica = replica
    self.sequence = sequence
    self.payload = payload
    redacted = nil
  }

  /// Creates an event whose payload was erased.
  package init(id: EventID, replica: ReplicaID, sequence: SequenceNumber, redacted: RedactedContent)
  {
    self.id = id
    self.replica = replica
    self.sequence = sequence
    payload = []
    self.redacted = redacted
  }

  /// Whether only the ID is known, because the content was damaged at its source.
  ///
  /// The content is missing until another replica provides it.
  package var isMissing: Bool { redacted == nil && payload.isEmpty }

  /// The time of writing, by the hybrid logical clock.
  public var timestamp: Timestamp { id.timestamp }

  /// The maximum size of a payload.
  @inlinable
  package static var maxPayloadBytes: Int { 16_384 }
}

/// An event's place in its replica's own history: counted from 1, without gaps.
public struct SequenceNumber: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// Creates a value from a raw value.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The sequence number of a replica's first event.
  package static let first = SequenceNumber(rawValue: 1)

  /// The next sequence number.
  package var next: SequenceNumber { SequenceNumber(rawValue: rawValue + 1) }

  /// Compares the numbers.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An event's place in one log, in order of arrival: counted from 1, without gaps.
///
/// Positions differ between replicas and are never sent.
public struct LogPosition: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// Creates a value from a raw value.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The position before the first event.
  public static let start = LogPosition(rawValue: 0)

  /// The next position.
  package var next: LogPosition { LogPosition(rawValue: rawValue + 1) }

  /// Compares the numbers.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
