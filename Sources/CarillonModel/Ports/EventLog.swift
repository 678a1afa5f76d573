/// The append-only log of one replica: the port between the domain and its storage.
///
/// Every adapter passes the conformance suite in `CarillonTesting`. Writing is asynchronous, all or
/// nothing, and durable on return. Concurrent writers of one process share commits.
public protocol EventLog: EventReader {
  /// Says how a new identity states its device and switches; asked on the writer's thread, inside
  /// the transaction that writes the first event of the new identity, and only then.
  ///
  /// The closure may read this log (it sees what was committed) but must not write to it.
  func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement)

  /// Writes new events of this replica, in order; the writer assigns sequence, timestamp and ID
  /// inside its transaction.
  ///
  /// Where this replica's own history ends at a timestamp that no clock reads, 2^45 ms and above,
  /// the log takes a new `ReplicaID` first, and states it. No timestamp ends writing.
  ///
  /// - Parameters:
  ///   - events: At least one.
  ///   - wallClock: The time of this call.
  ///   - head: The last position on which the caller decided, or nil where any will do.
  /// - Returns: What was written, or `headMoved` where the log's last position is no longer
  ///   `head`; then nothing is written and the caller decides again.
  /// - Throws: `corruptRun` where an event closes a branch at an event that the log does not hold;
  ///   `clockExhausted`, `payloadTooLarge`, `full`, `readOnly`, `corrupt`, `closed`, `io`.
  ///   Nothing is written then.
  func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: Position?
  ) async throws -> RecordOutcome

  /// Decides on the writer's thread, inside the write transaction, and writes what was decided.
  /// No other writer, of any process, comes in between. For decisions that lost the race three
  /// times; an empty decision writes nothing and returns nil.
  func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded?

  /// Appends events that have IDs, all runs in one transaction.
  ///
  /// Every run is verified whole before the first is put: IDs computed and compared with the
  /// run's last, timestamps rising and without top bit, payloads within the limit. Then, for each
  /// run, the greatest k whose computed ID is held is found and k + 1 to the end is appended
  /// behind it: one rule for a duplicate, an extension, an overlap and a fork. Idempotent.
  ///
  /// What of a run is held already is repaired: a held event whose payload is damaged takes what
  /// the run has of it, its payload or its digest and erasure; one whose ID is damaged takes the
  /// run's ID, and opens no fork. A redacted event takes the run's payload where no held erasure
  /// covers it, and the erasure that the run names where that one is confirmed and its own is not.
  ///
  /// Of an event that a run has as its ID alone the content is missing, until a run brings it. Such
  /// items are never the last of a run: the one behind them vouches for them.
  ///
  /// Where a run holds events of this log's own `ReplicaID` that the log does not hold, the log
  /// takes a new `ReplicaID` in the same transaction, before the run, and states it.
  ///
  /// - Parameters:
  ///   - runs: Parents before their children.
  ///   - wallClock: The time of this call.
  ///   - erasures: Is asked about redacted events that are held; nil: none of them takes its
  ///     payload back.
  /// - Returns: One outcome per run, in order. A run in which the log has a gap, or that would make
  ///   one more head in a log of ``VersionVector/maxTakenHeads`` heads, is left out; the others are
  ///   appended. A run of which an event closes a branch at an event that the log does not hold
  ///   before the run is one with a gap.
  /// - Throws: `corruptRun` naming the run, as `record`, and what `erasures` throws. Nothing is
  ///   appended then.
  func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome]

  /// Takes payloads away for ever, all in one transaction: what is left of each is its digest and
  /// the ID of the erasing event. Idempotent; what is redacted already stays as it is.
  ///
  /// The log does not know contents: that the erasing events cover what they take is the caller's
  /// to see to, and that this log holds them. An event that does not come to its ID keeps what it
  /// has until it is repaired, and an erasing event that does not come to its own takes nothing.
  ///
  /// - Returns: How many payloads were taken.
  /// - Throws: `LogError`. Nothing is taken then.
  func erase(_ erased: [ErasedPayload]) async throws -> Int

  /// Moves the generation in one transaction.
  ///
  /// - Returns: False where it is no longer `current`; then nothing was written.
  func moveProjectionGeneration(from current: UInt64, to next: UInt64) async throws -> Bool

  /// The log's last position after each commit of this process that brought events; finishes on
  /// close. A slow consumer gets only the newest.
  func appends() -> AsyncStream<Position>

  /// Waits for the writer, then closes. Idempotent; every later call throws `closed`.
  func close() async
}
