/// A payload to be erased.
public struct ErasedPayload: Hashable, Sendable {
  /// The position of its event.
  public let position: LogPosition
  /// The `data.erased` that covers it.
  public let erasure: EventID

  /// Creates a value from its parts.
  public init(position: LogPosition, erasure: EventID) {
    self.position = position
    self.erasure = erasure
  }
}
