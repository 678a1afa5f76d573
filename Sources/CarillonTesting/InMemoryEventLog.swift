public import CarillonModel
internal import Synchronization

// The port documents what the methods do.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation

/// An ``EventLog`` in memory: simple, plainly right, and the measure for the others.
///
/// Deterministic: new identities come from a closure of the test's. It can be copied and rolled
/// back, as directories are by backups and by people.
public final class InMemoryEventLog: EventLog {
  public let storeID: StoreID
  private let makeReplicaID: @Sendable () -> ReplicaID
  /// Held by a writer for the whole of its call, so that writers come one after the other.
  private let writing = Mutex(())
  /// Guards what is committed; held for moments, so that what a writer asks may read the log.
  private let committed: Mutex<InMemoryLogContents>
  private let state = Mutex(HandleState())

  private struct HandleState {
    var announcement: IdentityAnnouncement = { _ in [] }
    var listeners: [AsyncStream<Position>.Continuation] = []
    var commitCount = 0
    var isClosed = false
  }

  /// Makes an empty log.
  ///
  /// - Parameter makeReplicaID: Where new identities come from.
  public convenience init(
    storeID: StoreID, replica: ReplicaID,
    makeReplicaID: @escaping @Sendable () -> ReplicaID = { ReplicaID.random() }
  ) {
    self.init(
      storeID: storeID, contents: InMemoryLogContents(replica: replica),
      makeReplicaID: makeReplicaID)
  }

  private init(
    storeID: StoreID, contents: InMemoryLogContents,
    makeReplicaID: @escaping @Sendable () -> ReplicaID
  ) {
    self.storeID = storeID
    self.makeReplicaID = makeReplicaID
    committed = Mutex(contents)
  }

  /// A log with the same events, as a copied directory has them.
  ///
  /// - Parameter isNoticed: Whether the copy takes a new identity, as it does at open where it is
  ///   noticed. One that is not goes on under the same name, and both write a fork.
  public func copy(isNoticed: Bool) -> InMemoryEventLog {
    var contents = committed.withLock { $0 }
    if isNoticed { contents.adopt(makeReplicaID()) }
    return InMemoryEventLog(storeID: storeID, contents: contents, makeReplicaID: makeReplicaID)
  }

  /// Forgets all events after a position, as a restored backup does that nobody noticed.
  public func rollBack(to position: Position) {
    writing.withLock { _ in
      committed.withLock { $0.rollBack(to: position) }
    }
  }

  // MARK: Reading

  public func identity() throws -> ReplicaIdentity { try read(\.identity) }

  public func branches() throws -> [Branch] { try read(\.branches) }

  public func lastPosition() throws -> Position { try read(\.lastPosition) }

  public func projectionGeneration() throws -> UInt64 { try read(\.generation) }

  public func position(of id: EventID) throws -> Position? {
    try read { $0.position(of: id) }
  }

  public func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> Position? {
    try read { $0.position(on: branch, at: sequence) }
  }

  public func scan(after position: Position, _ body: (RawEvent) throws -> Bool) throws {
    let contents = try read { $0 }
    for place in contents.events.indices.dropFirst(Int(clamping: position.rawValue)) {
      guard try contents.visit(place, body) else { return }
    }
  }

  public func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    let contents = try read { $0 }
    var sequence = max(sequence, .first)
    while let position = contents.position(on: branch, at: sequence) {
      guard try contents.visit(Int(position.rawValue) - 1, body) else { return }
      sequence = sequence.next
    }
  }

  public func appends() -> AsyncStream<Position> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Position.self, bufferingPolicy: .bufferingNewest(1))
    let isClosed = state.withLock { state in
      if !state.isClosed { state.listeners.append(continuation) }
      return state.isClosed
    }
    if isClosed { continuation.finish() }
    return stream
  }

  // MARK: Writing

  public func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {
    state.withLock { $0.announcement = announcement }
  }

  public func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: Position?
  ) async throws -> RecordOutcome {
    precondition(!events.isEmpty, "at least one event is recorded")
    return try write { contents in
      if let head, head != contents.lastPosition { return .headMoved(contents.lastPosition) }
      return .recorded(try self.record(events, wallClock: wallClock, in: &contents))
    }
  }

  public func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded? {
    try write { contents in
      let events = try deciding()
      guard !events.isEmpty else { return nil }
      return try self.record(events, wallClock: wallClock, in: &contents)
    }
  }

  public func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    let verified = try runs.map { try InMemoryRun($0) }
    return try write { contents in
      try verified.map { run in
        let held = try contents.heldCount(of: run)
        guard held < run.ids.count else {
          return .duplicate(repaired: try contents.repair(run, held: held, erasures))
        }
        let isBehind = run.run.items[held...].allSatisfy { $0.closing.map(contents.holds) ?? true }
        guard try isBehind && contents.canContinue(run, after: held) else {
          return .gap(expected: contents.nextSequence(of: run.run.replica))
        }
        guard !contents.isFull(for: run, after: held) else { return .headsFull }
        if run.run.replica == contents.identity.replica {
          contents.adopt(self.makeReplicaID())
          try self.announce(wallClock: wallClock, in: &contents)
        }
        let first = contents.lastPosition.next
        contents.append(run, after: held)
        return .appended(first...contents.lastPosition, held: held)
      }
    }
  }

  public func erase(_ erased: [ErasedPayload]) async throws -> Int {
    try write { $0.erase(erased) }
  }

  public func damagedEvents() throws -> [DamagedEvent] { try read(\.damaged) }

  /// Changes a byte of the payload at a position, as a bad disk does.
  public func damage(_ position: Position) throws {
    try write { $0.damage(Int(position.rawValue) - 1) }
  }

  public func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    try write { contents in
      guard contents.generation == current else { return false }
      contents.generation = next
      return true
    }
  }

  public var commitCount: Int { state.withLock(\.commitCount) }

  public func close() async {
    let listeners = state.withLock { state in
      state.isClosed = true
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in listeners { listener.finish() }
  }

  // MARK: -

  private func read<Result>(_ body: (InMemoryLogContents) -> Result) throws -> Result {
    try checkOpen()
    return body(committed.withLock { $0 })
  }

  private func write<Result>(
    _ body: (inout InMemoryLogContents) throws -> Result
  ) throws -> Result {
    try checkOpen()
    return try writing.withLock { _ in
      let before = committed.withLock { $0 }
      var contents = before
      let result = try body(&contents)
      commit(contents, after: before)
      return result
    }
  }

  private func commit(_ contents: InMemoryLogContents, after before: InMemoryLogContents) {
    let hasAppended = contents.events.count > before.events.count
    guard
      hasAppended || contents.generation != before.generation
        || contents.rewriteCount != before.rewriteCount
    else { return }
    committed.withLock { $0 = contents }
    let listeners = state.withLock { state in
      state.commitCount += 1
      return hasAppended ? state.listeners : []
    }
    for listener in listeners { listener.yield(contents.lastPosition) }
  }

  private func record(
    _ events: [NewEvent], wallClock: Instant, in contents: inout InMemoryLogContents
  ) throws -> Recorded {
    if contents.mustLeaveBranch { contents.adopt(makeReplicaID()) }
    try announce(wallClock: wallClock, in: &contents)
    return try contents.record(events, wallClock: wallClock)
  }

  private func announce(wallClock: Instant, in contents: inout InMemoryLogContents) throws {
    guard !contents.identity.isAnnounced else { return }
    let announcement = state.withLock(\.announcement)
    let events = try announcement(contents.identity)
    if !events.isEmpty { _ = try contents.record(events, wallClock: wallClock) }
  }

  private func checkOpen() throws {
    guard !state.withLock(\.isClosed) else {
      throw LogError(code: .closed, message: "The log was closed.")
    }
  }
}
