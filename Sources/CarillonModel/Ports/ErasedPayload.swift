/// A payload to be taken away.
public struct ErasedPayload: Hashable, Sendable {
  /// Where its event lies.
  public let position: Position
  /// The `data.erased` that covers it.
  public let erasure: EventID

  /// Makes a value of its parts.
  public init(position: Position, erasure: EventID) {
    self.position = position
    self.erasure = erasure
  }
}
