package import CarillonSync

/// The result of responding to an initiator.
public struct SyncResponse: Hashable, Sendable {
  /// The number of messages in both directions.
  package var messages = 0
  /// The number of bytes in messages sent.
  package var bytesSent = 0
  /// The number of bytes in messages received.
  package var bytesReceived = 0
  /// The number of events that this side lacked and now holds.
  public var eventsReceived = 0
  /// The number of damaged events of this side that were repaired.
  package var repaired = 0
  /// The number of events that this side holds only by ID at the end, since neither side had their
  /// content.
  package var missing = 0
  /// Why runs were refused by this side; all others were appended.
  package var refused: [String] = []
  /// New identities of this side.
  ///
  /// A replica takes one if events under its old ReplicaID came back from elsewhere.
  package var newIdentities: [SyncNewIdentity] = []

  /// Whether this side appended everything that it received, with its content.
  public var isComplete: Bool { refused.isEmpty && missing == 0 }

  /// Creates a value with all counts zero.
  package init() {}

  static func += (sum: inout SyncResponse, more: SyncResponse) {
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
