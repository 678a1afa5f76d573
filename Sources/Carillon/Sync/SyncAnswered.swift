public import CarillonSync

/// What came of answering a leader.
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
  public var healed = 0
  /// New names that this side took, since events under the old one came back from elsewhere.
  public var newIdentities: [SyncNewIdentity] = []

  /// Makes a value with nothing done.
  public init() {}

  static func += (sum: inout SyncAnswered, more: SyncAnswered) {
    sum.messages += more.messages
    sum.bytesSent += more.bytesSent
    sum.bytesReceived += more.bytesReceived
    sum.eventsReceived += more.eventsReceived
    sum.healed += more.healed
    sum.newIdentities += more.newIdentities
  }
}
