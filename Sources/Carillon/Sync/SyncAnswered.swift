public import CarillonSync

/// What came of answering an initiator.
public struct SyncAnswered: Hashable, Sendable {
  /// Messages in both directions.
  public var messages = 0
  /// Bytes of the messages sent.
  public var bytesSent = 0
  /// Bytes of the messages received.
  public var bytesReceived = 0
  /// Events that this side lacked and now holds.
  public var eventsReceived = 0
  /// Events that this side held damaged, and now holds whole.
  public var repaired = 0
  /// Events that this side holds as their IDs alone at the end: neither side gave their content.
  public var missing = 0
  /// What this side refused, and why; the rest was taken in.
  public var refused: [String] = []
  /// New names that this side took, since events under the old one came back from elsewhere.
  public var newIdentities: [SyncNewIdentity] = []

  /// Whether this side took in all that it was sent, with its content.
  public var isComplete: Bool { refused.isEmpty && missing == 0 }

  /// Makes a value with nothing done.
  public init() {}

  static func += (sum: inout SyncAnswered, more: SyncAnswered) {
    sum.messages += more.messages
    sum.bytesSent += more.bytesSent
    sum.bytesReceived += more.bytesReceived
    sum.eventsReceived += more.eventsReceived
    sum.repaired += more.repaired
    sum.missing += more.missing
    sum.refused += more.refused.filter { !sum.refused.contains($0) }
    sum.newIdentities += more.newIdentities
  }
}
