internal import CarillonWire

/// How a side of a sync behaves.
public struct SyncOptions: Hashable, Sendable {
  /// The most bytes this side takes in one message; the smaller of both sides' counts.
  public let maxMessageBytes: Int
  /// How many messages the initiator has in flight at most.
  public let window: Int
  /// Whether full messages are deflated.
  ///
  /// Small ones always are, where it helps.
  public let deflatesFullMessages: Bool
  /// Whether an initiator has both sides compute all IDs anew, and what is damaged on one side
  /// given again by the other.
  public var audits: Bool
  /// Whether an initiator compares the state digests of both sides, without an audit too.
  package var comparesStates = false
  /// The versions of the protocol that this side speaks.
  package var versions = SyncMessage.versions

  /// Makes options; what lies outside its range is brought into it.
  ///
  /// - Parameters:
  ///   - maxMessageBytes: 20,000 to 4,194,304.
  ///   - window: 1 to 64.
  ///   - deflatesFullMessages: See the property.
  ///   - audits: See the property.
  public init(
    maxMessageBytes: Int = SyncOptions.defaultMessageBytes, window: Int = 4,
    deflatesFullMessages: Bool = true, audits: Bool = false
  ) {
    let limits = SyncMessage.limits
    self.maxMessageBytes = min(max(maxMessageBytes, limits.lowerBound), limits.upperBound)
    self.window = min(max(window, 1), 64)
    self.deflatesFullMessages = deflatesFullMessages
    self.audits = audits
  }

  /// For two logs of one process, where a link costs nothing: large messages, which make few
  /// commits, and full ones as they are, since deflate costs more than all else together.
  public static let withinProcess = SyncOptions(
    maxMessageBytes: 1_000_000, deflatesFullMessages: false)

  /// What any link can carry: 60,000 bytes.
  public static let defaultMessageBytes = 60_000
}
