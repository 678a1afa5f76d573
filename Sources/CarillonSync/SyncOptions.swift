internal import CarillonWire

/// Options for one side of a sync.
public struct SyncOptions: Hashable, Sendable {
  /// The most bytes this side accepts in one message; the smaller limit of both sides applies.
  package let maxMessageBytes: Int
  /// The maximum number of messages that an initiator has in flight.
  package let window: Int
  /// Whether messages with more than 32 KiB of events are deflated.
  ///
  /// Smaller messages are always deflated if that makes them smaller.
  package let deflatesFullMessages: Bool
  /// Whether an initiator audits: both sides recompute all event IDs and repair damaged events from
  /// each other.
  package var audits: Bool
  /// Whether an initiator compares the state digests of both sides even without an audit.
  package var comparesStates = false
  /// The protocol versions that this side speaks.
  package var versions = SyncMessage.versions

  /// Creates options; values outside their range are clamped.
  ///
  /// - Parameters:
  ///   - maxMessageBytes: 20,000 to 4,194,304.
  ///   - window: 1 to 64.
  ///   - deflatesFullMessages: See the property.
  ///   - audits: See the property.
  public init(
    maxMessageBytes: Int = 60_000, window: Int = 4,
    deflatesFullMessages: Bool = true, audits: Bool = false
  ) {
    let limits = SyncMessage.limits
    self.maxMessageBytes = min(max(maxMessageBytes, limits.lowerBound), limits.upperBound)
    self.window = min(max(window, 1), Self.maxWindow)
    self.deflatesFullMessages = deflatesFullMessages
    self.audits = audits
  }

  /// Options for two logs in one process, where transport costs nothing.
  ///
  /// Large messages need few commits, and are not deflated because that would cost more than
  /// everything else together.
  package static let withinProcess = SyncOptions(
    maxMessageBytes: 1_000_000, deflatesFullMessages: false)

  /// The maximum number of messages in flight.
  package static let maxWindow = 64
}
