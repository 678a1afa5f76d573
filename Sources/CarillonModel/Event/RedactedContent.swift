/// What remains of an erased payload: enough to verify the chain of IDs.
public struct RedactedContent: Hashable, Sendable {
  /// The SHA-256 of the erased payload.
  public let digest: PayloadDigest
  /// The `data.erased` event that erased the payload.
  ///
  /// If the log does not hold that event, or cannot read it, or it does not cover this event, the
  /// redaction is *unconfirmed*, and the payload is requested from peers.
  public let erasure: EventID

  /// Creates a value from its parts.
  public init(digest: PayloadDigest, erasure: EventID) {
    self.digest = digest
    self.erasure = erasure
  }
}
