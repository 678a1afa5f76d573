/// The append-only log of one replica: the port between the domain and its storage.
///
/// Every adapter passes the conformance suite in `CarillonTesting`. Reading is synchronous and
/// sees a consistent snapshot per call; writing is asynchronous, all or nothing, and durable on
/// return. Concurrent writers of one process share commits. All methods may be called from any
/// task or thread.
public protocol EventLog: Sendable {
  /// The store whose events these are. Constant while the log is open.
  var storeID: StoreID { get }

  /// Under which name the next event will be written.
  ///
  /// - Throws: `LogError`, as every other method.
  func identity() throws -> ReplicaIdentity

  /// Says how a new identity states its device and switches; asked on the writer's thread, inside
  /// the transaction that writes the first event of the new identity, and only then.
  ///
  /// The closure may read this log (it sees what was committed) but must not write to it.
  func setRestatement(_ restatement: @escaping Restatement)

  /// All branches, by ascending index; the index equals the place in the array.
  ///
  /// - Complexity: O(branches).
  func branches() throws -> [Branch]

  /// The position of the last event; ``Position/start`` in an empty log.
  func lastPosition() throws -> Position

  /// The position of an event, or nil where the log does not hold it.
  ///
  /// - Complexity: O(branches × log events).
  func position(of id: EventID) throws -> Position?

  /// The position of the event at a place of a branch, following the branch's parents for places
  /// before its own first; nil beyond its head.
  func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> Position?

  /// Calls `body` for the events after a position in order of arrival, until it returns false or
  /// the log ends. The log's end is that of the moment of the call.
  ///
  /// - Complexity: O(events visited); about 0.05 µs each. Memory is flat.
  func scan(after position: Position, _ body: (RawEvent) throws -> Bool) throws

  /// Calls `body` like ``scan(after:_:)``, but gives an event whose content does not hash to its ID
  /// as its ID alone, as if its content were missing.
  ///
  /// For whatever shows what events say: nothing damaged is taken for what was written.
  ///
  /// - Complexity: O(bytes of the events visited): two hashes each. Memory is flat.
  func scanIntact(after position: Position, _ body: (RawEvent) throws -> Bool) throws

  /// Calls `body` for the events of a branch from a sequence on, in order, until it returns false
  /// or the branch ends. Places before the branch's own first are read from its parents.
  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool) throws

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
  /// the ID of the erasing event. Idempotent; what is bare already stays as it is.
  ///
  /// The log does not know contents: that the erasing events cover what they take is the caller's
  /// to see to, and that this log holds them. An event that does not come to its ID keeps what it
  /// has until it is healed, and an erasing event that does not come to its own takes nothing.
  ///
  /// - Returns: How many payloads were taken.
  /// - Throws: `LogError`. Nothing is taken then.
  func erase(_ erased: [ErasedPayload]) async throws -> Int

  /// Computes the ID of every event anew from what is held, and names those that are damaged:
  /// whose payload, or whose ID, is not the one that was written, or whose content is missing. At
  /// most 1,000 are named.
  ///
  /// - Complexity: O(bytes of the log). Memory is flat.
  func damagedEvents() throws -> [DamagedEvent]

  /// The generation of the projection file that serves; 0 where none was ever built.
  func projectionGeneration() throws -> UInt64

  /// Moves the generation in one transaction.
  ///
  /// - Returns: False where it is no longer `current`; then nothing was written.
  func moveProjectionGeneration(from current: UInt64, to next: UInt64) async throws -> Bool

  /// The log's last position after each commit of this process that brought events; finishes on
  /// close. A slow consumer gets only the newest.
  func appends() -> AsyncStream<Position>

  /// How many commits this handle made since it was opened.
  var commitCount: Int { get }

  /// Waits for the writer, then closes. Idempotent; every later call throws `closed`.
  func close() async
}

/// Payloads with which a new identity states its device and switches, made from its predecessor's.
///
/// It is given the new identity: its own `replica`, its `predecessor`, and `isStated` false.
public typealias Restatement = @Sendable (ReplicaIdentity) throws -> [NewEvent]

/// The name under which a log writes.
public struct ReplicaIdentity: Hashable, Sendable {
  /// The name itself.
  public let replica: ReplicaID
  /// Whose history this replica goes on from; nil for one made by `init` or `clone`.
  public let predecessor: ReplicaID?
  /// False while a new identity has not yet written its first event.
  public let isStated: Bool

  /// Makes a value of its parts.
  public init(replica: ReplicaID, predecessor: ReplicaID?, isStated: Bool) {
    self.replica = replica
    self.predecessor = predecessor
    self.isStated = isStated
  }
}

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

/// An event as it lies in the log.
///
/// The payload's bytes are valid only during the call that was given it; copy what is to be kept.
public struct RawEvent {
  /// Its place in this log.
  public let position: Position
  /// The branch on which it stands.
  public let branch: BranchIndex
  /// Who wrote it.
  public let replica: ReplicaID
  /// Its place on its branch.
  public let sequence: SequenceNumber
  /// Its ID.
  public let id: EventID
  /// Its payload, valid only during the call; empty where it was erased, or is missing.
  public let payload: UnsafeRawBufferPointer
  /// What is left of the payload where it was erased, else nil.
  public let bare: BareContent?

  /// Makes a value of its parts.
  public init(
    position: Position, branch: BranchIndex, replica: ReplicaID, sequence: SequenceNumber,
    id: EventID, payload: UnsafeRawBufferPointer, bare: BareContent? = nil
  ) {
    self.position = position
    self.branch = branch
    self.replica = replica
    self.sequence = sequence
    self.id = id
    self.payload = payload
    self.bare = bare
  }

  /// Whether only the ID is known.
  public var isMissing: Bool { bare == nil && payload.isEmpty }

  /// A copy that may be kept.
  public var event: Event {
    if let bare { return Event(id: id, replica: replica, sequence: sequence, bare: bare) }
    return Event(id: id, replica: replica, sequence: sequence, payload: [UInt8](payload))
  }

  /// The SHA-256 of its payload, also of one that was erased.
  ///
  /// - Complexity: O(bytes).
  public var digest: PayloadDigest { bare?.digest ?? PayloadDigest(bufferPointer: payload) }
}

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

/// An event that does not come to its ID.
public struct DamagedEvent: Hashable, Sendable {
  /// Where it lies.
  public let position: Position
  /// On which branch.
  public let branch: BranchIndex
  /// At which place of it.
  public let sequence: SequenceNumber
  /// The ID that it bears, where the event after it, or the branch's head, follows from that one;
  /// nil where the ID itself is damaged, or may be.
  public let id: EventID?

  /// Makes a value of its parts.
  public init(
    position: Position, branch: BranchIndex, sequence: SequenceNumber, id: EventID?
  ) {
    self.position = position
    self.branch = branch
    self.sequence = sequence
    self.id = id
  }
}

/// Where an event of one call was written.
public struct RecordedEvent: Hashable, Sendable {
  /// Its place in this log.
  public let position: Position
  /// Its place in this replica's history.
  public let sequence: SequenceNumber
  /// The ID it was given.
  public let id: EventID

  /// Makes a value of its parts.
  public init(position: Position, sequence: SequenceNumber, id: EventID) {
    self.position = position
    self.sequence = sequence
    self.id = id
  }
}

/// What one call of `record` wrote, in the order given.
public struct Recorded: Hashable, Sendable {
  /// Under which name.
  public let replica: ReplicaID
  /// The caller's events; what a new identity said before them is not among them.
  public let events: [RecordedEvent]

  /// Makes a value of its parts.
  public init(replica: ReplicaID, events: [RecordedEvent]) {
    self.replica = replica
    self.events = events
  }
}

/// What became of a `record`.
public enum RecordOutcome: Hashable, Sendable {
  case recorded(Recorded)
  /// The log's last position is this one, not the one expected; nothing was written.
  case headMoved(Position)
}

/// What became of one run of an `append`.
public enum AppendOutcome: Hashable, Sendable {
  /// These positions are new; the first `held` events of the run were there already.
  case appended(ClosedRange<Position>, held: Int)
  /// All events of the run were there already; so many of them were made whole.
  case duplicate(healed: Int)
  /// The event before the run is not held, or one at which the run closes a branch. `expected` is
  /// the sequence after the greatest that is held of the run's replica.
  case gap(expected: SequenceNumber)
  /// The log has so many heads that it opens no further branch for events of others.
  case headsFull
}
