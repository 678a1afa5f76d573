/// A payload to be recorded, digested where it was made so that the writer need not.
public struct NewEvent: Hashable, Sendable {
  /// The protobuf `carillon.v1.Payload`.
  public let payload: [UInt8]
  /// SHA-256 of the payload.
  public let digest: PayloadDigest
  private let dated: Dated?

  private struct Dated: Hashable, Sendable {
    let payload: [UInt8]
    let digest: PayloadDigest
  }

  /// Digests the payload.
  ///
  /// - Parameters:
  ///   - payload: What is written where the event's timestamp is that of the wall clock.
  ///   - dated: The same saying when it happened, written where the log's clock is ahead of the
  ///     wall clock; nil where it says that anyway, or has no such field.
  /// - Complexity: O(n) in the bytes.
  public init(payload: [UInt8], dated: [UInt8]? = nil) {
    self.init(
      payload: payload, digest: PayloadDigest(payload),
      dated: dated.map { Dated(payload: $0, digest: PayloadDigest($0)) })
  }

  private init(payload: [UInt8], digest: PayloadDigest, dated: Dated?) {
    self.payload = payload
    self.digest = digest
    self.dated = dated
  }

  /// The form that is written under a timestamp: it says when it happened where the timestamp's
  /// millisecond does not.
  ///
  /// A log calls it inside the transaction that decides the timestamp.
  public func form(under timestamp: Timestamp, wallClock: Instant) -> NewEvent {
    guard let dated = dated(under: timestamp, wallClock) else { return self }
    return NewEvent(payload: dated.payload, digest: dated.digest, dated: nil)
  }

  /// The payload of the form that is written under a timestamp.
  package func payload(under timestamp: Timestamp, wallClock: Instant) -> [UInt8] {
    dated(under: timestamp, wallClock)?.payload ?? payload
  }

  /// The digest of the form that is written under a timestamp.
  package func digest(under timestamp: Timestamp, wallClock: Instant) -> PayloadDigest {
    dated(under: timestamp, wallClock)?.digest ?? digest
  }

  /// The form that says when it happened, where that one is written under a timestamp.
  private func dated(under timestamp: Timestamp, _ wallClock: Instant) -> Dated? {
    timestamp.milliseconds == wallClock.milliseconds ? nil : dated
  }

  /// How many bytes the forms have of which one is written.
  package var byteCounts: ClosedRange<Int> {
    let other = dated?.payload.count ?? payload.count
    return min(payload.count, other)...max(payload.count, other)
  }
}
