/// A payload to be recorded, with its digest.
///
/// The digest is computed on creation, so the writer need not compute it.
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

  /// Creates an event, and computes the digests of its payloads.
  ///
  /// - Parameters:
  ///   - payload: The payload to write if the event's timestamp equals the wall clock.
  ///   - dated: The same payload with the time at which it happened, to write if the log's clock is
  ///     ahead of the wall clock; nil if `payload` contains that time already, or has no such
  ///     field.
  /// - Complexity: O(n) in the bytes.
  public init(payload: [UInt8], dated: [UInt8]? = nil) {
    self.init(
      payload: payload, digest: PayloadDigest(payload),
      dated: dated.map { Dated(payload: $0, digest: PayloadDigest($0)) })
  }

  /// Creates events, which takes less time than one after the other.
  ///
  /// - Complexity: O(n) in the bytes.
  package static func events(_ payloads: [[UInt8]]) -> [NewEvent] {
    zip(payloads, PayloadDigest.digests(of: payloads)).map {
      NewEvent(payload: $0, digest: $1, dated: nil)
    }
  }

  private init(payload: [UInt8], digest: PayloadDigest, dated: Dated?) {
    self.payload = payload
    self.digest = digest
    self.dated = dated
  }

  /// Returns the form to write under a timestamp.
  ///
  /// If the timestamp's millisecond is not that of the wall clock, it is the form that contains the
  /// time of the event.
  ///
  /// A log calls it inside the transaction that assigns the timestamp.
  public func form(under timestamp: Timestamp, wallClock: Instant) -> NewEvent {
    guard let dated = dated(under: timestamp, wallClock) else { return self }
    return NewEvent(payload: dated.payload, digest: dated.digest, dated: nil)
  }

  /// Returns the payload of the form to write under a timestamp.
  package func payload(under timestamp: Timestamp, wallClock: Instant) -> [UInt8] {
    dated(under: timestamp, wallClock)?.payload ?? payload
  }

  /// Returns the digest of the form to write under a timestamp.
  package func digest(under timestamp: Timestamp, wallClock: Instant) -> PayloadDigest {
    dated(under: timestamp, wallClock)?.digest ?? digest
  }

  /// Returns the form that contains the time of the event, if it is the one to write under a
  /// timestamp.
  private func dated(under timestamp: Timestamp, _ wallClock: Instant) -> Dated? {
    timestamp.milliseconds == wallClock.milliseconds ? nil : dated
  }

  /// The smallest and the largest byte count among the event's forms; one of them is written.
  package var byteCounts: ClosedRange<Int> {
    let other = dated?.payload.count ?? payload.count
    return min(payload.count, other)...max(payload.count, other)
  }
}
