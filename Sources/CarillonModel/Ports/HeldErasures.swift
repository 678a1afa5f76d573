/// What is known of the erasures that a log holds.
///
/// A log stores contents and does not read them; whoever reads them answers these two questions.
/// The log asks while it appends, on its writer's thread and inside its transaction, so that no
/// erasure comes in between. An answer may read the log, which stands as before the transaction,
/// and must not write to it.
public protocol HeldErasures: Sendable {
  /// Whether a redaction is confirmed, as far as that shows without the payload: it names a
  /// `data.erased` that is held, can be read and reaches as far as the event.
  func confirm(_ redacted: RedactedContent, of event: EventID) throws -> Bool

  /// Whether a payload that came for a redacted event may be put back: no held `data.erased`
  /// covers it.
  ///
  /// Whoever says yes must see to it that the payload is projected, also where the process ends
  /// before the append returns.
  ///
  /// - Parameters:
  ///   - payload: Verified: the event comes to its ID with it.
  ///   - redacted: What is held in its place.
  ///   - event: The event's ID.
  ///   - position: The event's place in the log.
  func permitRestoring(
    _ payload: [UInt8], to redacted: RedactedContent, of event: EventID, at position: Position
  ) throws -> Bool
}

extension EventLog {
  /// Appends events that have IDs; of redacted events that are held none takes its payload back.
  ///
  /// - Returns: As ``append(_:wallClock:erasures:)``.
  /// - Throws: As ``append(_:wallClock:erasures:)``.
  @discardableResult
  public func append(_ runs: [EventRun], wallClock: Instant) async throws -> [AppendOutcome] {
    try await append(runs, wallClock: wallClock, erasures: nil)
  }
}
