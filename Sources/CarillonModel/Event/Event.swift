/// One thing that happened, as its replica wrote it; immutable, and identical on every replica.
public struct Event: Hashable, Sendable {
  /// Identity, integrity, history and place in the total order.
  public let id: EventID
  /// Who wrote it.
  public let replica: ReplicaID
  /// Its place on its branch: 1, 2, 3 and so on.
  public let sequence: SequenceNumber
  /// The protobuf `carillon.v1.Payload`, byte for byte as written; at most 16,384 bytes, and empty
  /// where it was erased, or is missing.
  public let payload: [UInt8]
  /// What is left of the payload where it was erased, else nil.
  public let redacted: RedactedContent?

  /// Makes a value of its parts.
  public init(id: EventID, replica: ReplicaID, sequence: SequenceNumber, payload: [UInt8]) {
    self.id = id
    self.replica = replica
    self.sequence = sequence
    self.payload = payload
    redacted = nil
  }

  /// Makes an event whose payload was erased.
  public init(id: EventID, replica: ReplicaID, sequence: SequenceNumber, redacted: RedactedContent)
  {
    self.id = id
    self.replica = replica
    self.sequence = sequence
    payload = []
    self.redacted = redacted
  }

  /// Whether only the ID is known: the content was damaged where it came from, and is missing until
  /// some replica gives it.
  public var isMissing: Bool { redacted == nil && payload.isEmpty }

  /// When it was written, by the hybrid logical clock.
  public var timestamp: Timestamp { id.timestamp }

  /// The most bytes a payload may have.
  public static let maxPayloadBytes = 16_384
}

/// An event's place in its replica's own history, from 1, without gaps.
public struct SequenceNumber: RawRepresentable, Hashable, Comparable, Sendable {
  /// The value itself.
  public let rawValue: UInt64

  /// Takes the value as it is.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The place of a replica's first event.
  public static let first = SequenceNumber(rawValue: 1)

  /// The place after this one.
  public var next: SequenceNumber { SequenceNumber(rawValue: rawValue + 1) }

  /// Compares the values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An event's place in one log, in order of arrival, from 1, without gaps.
///
/// Positions differ between replicas; nothing that travels depends on them.
public struct Position: RawRepresentable, Hashable, Comparable, Sendable {
  /// The value itself.
  public let rawValue: UInt64

  /// Takes the value as it is.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Before the first event.
  public static let start = Position(rawValue: 0)

  /// The place after this one.
  public var next: Position { Position(rawValue: rawValue + 1) }

  /// Compares the values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
