/// Answers two questions about the erasures that a log holds.
///
/// A log stores payloads but does not read them, so a type that can read them answers for it. The
/// log asks while it appends, on its writer's thread and inside its transaction, so no erasure can
/// be committed in between. An implementation may read the log, and sees what was committed before
/// the transaction, but must not write to it.
public protocol HeldErasures: Sendable {
  /// Whether a redaction is confirmed, as far as that can be known without the payload: it names a
  /// `data.erased` event that is held, can be read, and covers the event.
  func confirm(_ redacted: RedactedContent, of event: EventID) throws -> Bool

  /// Whether a payload received for a redacted event may be restored: no held `data.erased` covers
  /// it.
  ///
  /// An implementation that returns true must ensure that the payload is projected, even if the
  /// process ends before the append returns.
  ///
  /// - Parameters:
  ///   - payload: The payload; verified, so the event hashes to its ID with it.
  ///   - redacted: What the log holds in its place.
  ///   - event: The event's ID.
  ///   - position: The event's position in the log.
  func permitRestoring(
    _ payload: [UInt8], to redacted: RedactedContent, of event: EventID, at position: LogPosition
  ) throws -> Bool
}

extension EventLog {
  /// Appends events that have IDs; no redacted event that is held takes its payload back.
  ///
  /// - Returns: See ``append(_:wallClock:erasures:)``.
  /// - Throws: See ``append(_:wallClock:erasures:)``.
  @discardableResult
  public func append(_ runs: [EventRun], wallClock: Instant) async throws -> [AppendOutcome] {
    try await append(runs, wallClock: wallClock, erasures: nil)
  }
}
