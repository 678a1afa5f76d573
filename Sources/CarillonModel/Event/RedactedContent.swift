/// What is left of an event's payload once an erasure took it: enough to verify the chain.
public struct RedactedContent: Hashable, Sendable {
  /// The SHA-256 of the payload that is gone.
  public let digest: PayloadDigest
  /// The `data.erased` on whose account it is gone.
  ///
  /// Where its log does not hold that event, or it is no readable `data.erased` that reaches as
  /// far, the redaction is *unconfirmed*, and the payload is asked for.
  public let erasure: EventID

  /// Makes a value of its parts.
  public init(digest: PayloadDigest, erasure: EventID) {
    self.digest = digest
    self.erasure = erasure
  }
}
