/// The append-only log of one replica: the port between the domain and its storage.
///
/// Every adapter passes the conformance suite in `CarillonTesting`. Writing is asynchronous, all or
/// nothing, and durable on return. Concurrent writers of one process share commits.
public protocol EventLog: EventReader {
  /// Registers the callback that provides a new identity's first events, such as its device and
  /// settings.
  ///
  /// The callback runs on the writer's thread, inside the transaction that writes the first event
  /// of the new identity, and only then. It may read this log, and sees what was committed before,
  /// but must not write to it.
  func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement)

  /// Records new events of this replica, in order. The writer assigns sequence, timestamp and ID
  /// inside its transaction.
  ///
  /// If this replica's own history ends at 2^45 ms or later, a timestamp that no clock returns, the
  /// log first takes a new `ReplicaID` and announces it. So no timestamp ends writing permanently.
  ///
  /// - Parameters:
  ///   - events: At least one.
  ///   - wallClock: The time of this call.
  ///   - head: The last position that the caller's decision is based on, or nil if any position is
  ///     accepted.
  /// - Returns: The events written, or `headMoved` if the log's last position is no longer `head`.
  ///   In that case nothing is written, and the caller must decide again.
  /// - Throws: `corruptRun` if an event closes a branch at an event that the log does not hold;
  ///   `clockExhausted`, `payloadTooLarge`, `full`, `readOnly`, `corrupt`, `closed`, `io`. Nothing
  ///   is written if an error is thrown.
  func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?
  ) async throws -> RecordOutcome

  /// Calls `deciding` on the writer's thread, inside the write transaction, records the events it
  /// returns, and calls `noting` with them before the commit.
  ///
  /// No writer of any process can commit in between. Use it for a decision that has already lost
  /// the race against other writers three times, or for one that depends on a note of what was
  /// recorded before.
  ///
  /// - Parameters:
  ///   - wallClock: The time of this call.
  ///   - deciding: Returns the events. It may read this log, but must not write to it.
  ///   - noting: Called again if the transaction is repeated. If it throws, nothing is written. A
  ///     crash right after it leaves its note without the events.
  /// - Returns: The events written; nil if `deciding` returned no events.
  func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent],
    noting: @escaping @Sendable (Recorded) throws -> Void
  ) async throws -> Recorded?

  /// Appends events that have IDs. All runs are written in one transaction. Idempotent.
  ///
  /// Every run is verified completely before any is written: its IDs are computed and compared with
  /// the run's last ID, its timestamps must rise and leave the top bit clear, and its payloads must
  /// be within the limit. Then, for each run, the log finds the greatest k for which the computed
  /// ID of event k is held, and appends the events from k + 1 on after it. This one rule covers a
  /// duplicate, an extension, an overlap and a fork.
  ///
  /// Events of a run that are already held are repaired. A held event with a damaged payload takes
  /// what the run has: the payload, or the digest and erasure. A held event with a damaged ID takes
  /// the run's ID, and no fork is opened. A redacted event takes the run's payload if no held
  /// erasure covers it. It takes the erasure named by the run if that one is confirmed and its own
  /// is not.
  ///
  /// If a run has only the ID of an event, the event's content is missing until another run brings
  /// it. Such an event is never the last of a run, because the event after it must confirm its ID.
  ///
  /// If a run holds events of this log's own `ReplicaID` that the log does not hold, the log takes
  /// a new `ReplicaID` in the same transaction, before the run, and announces it.
  ///
  /// - Parameters:
  ///   - runs: Parents before their children.
  ///   - wallClock: The time of this call.
  ///   - erasures: Answers questions about redacted events that are held. If nil, no redacted event
  ///     takes its payload back.
  /// - Returns: One outcome per run, in order. A run has a gap if the log does not hold the event
  ///   before it, or if it closes a branch at an event that the log did not hold before the run.
  ///   Runs with a gap are left out, and so are runs that would add a head to a log that has
  ///   ``VersionVector/maxTakenHeads`` heads. All other runs are appended.
  /// - Throws: `corruptRun` naming the run, the errors of `record`, and the errors of `erasures`.
  ///   Nothing is appended if an error is thrown.
  func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome]

  /// Permanently redacts payloads, all in one transaction. Idempotent; already redacted events are
  /// left unchanged.
  ///
  /// Only the payload's digest and the ID of the erasing event remain. The log does not read
  /// payloads: the caller must ensure that each erasing event covers its events and is held by this
  /// log. An event that does not hash to its ID keeps its content until it is repaired, and an
  /// erasing event that does not hash to its own ID erases nothing.
  ///
  /// - Returns: The number of payloads that were redacted.
  /// - Throws: `LogError`. Nothing is redacted if an error is thrown.
  func erase(_ erased: [ErasedPayload]) async throws -> Int

  /// Changes the projection generation from `current` to `next`, in one transaction.
  ///
  /// - Returns: False if the generation is no longer `current`; nothing is written then.
  func moveProjectionGeneration(from current: UInt64, to next: UInt64) async throws -> Bool

  /// A stream of the log's last position after each commit of this process that added events. It
  /// finishes on close. A slow consumer receives only the newest position.
  func appends() -> AsyncStream<LogPosition>

  /// Waits for the writer, then closes the log. Idempotent; every later call throws `closed`.
  func close() async
}

extension EventLog {
  /// Calls `deciding` inside the write transaction, and records the events it returns.
  ///
  /// - Returns: The events written; nil if `deciding` returned no events.
  package func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded? {
    try await record(wallClock: wallClock, deciding: deciding, noting: { _ in })
  }
}
