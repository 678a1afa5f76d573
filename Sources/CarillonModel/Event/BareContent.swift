/// What is left of an event's payload once an erasure took it: enough to verify the chain.
public struct BareContent: Hashable, Sendable {
  /// The SHA-256 of the payload that is gone.
  public let digest: PayloadDigest
  /// The `data.erased` on whose account it is gone.
  ///
  /// An event that names an erasure which its log does not hold is *settling*: its payload is
  /// asked for until the erasure is held.
  public let erasure: EventID

  /// Makes a value of its parts.
  public init(digest: PayloadDigest, erasure: EventID) {
    self.digest = digest
    self.erasure = erasure
  }
}
