package import CarillonModel

// The port documents these methods.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation

/// A log that keeps the rules of this module, in some storage.
///
/// The storage implements the requirements and the closing of a handle. The rest of the port
/// follows from them, so that every log reads and writes in the same way.
package protocol LogAdapter: EventLog {
  /// The handle that this log is.
  var handle: LogHandle { get }

  /// Calls `body` with the newest state of the log.
  ///
  /// - Throws: `closed`, the errors of the storage, and any error that `body` throws.
  func read<Result>(_ body: (any ScannableView) throws -> Result) throws -> Result
}

extension LogAdapter {
  package var storeID: StoreID { handle.storeID }

  /// The number of commits that this handle's writer made since the log was opened.
  package var commitCount: Int { handle.writer.commitCount }

  package func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {
    handle.rules.announcement = announcement
  }

  package func appends() -> AsyncStream<LogPosition> { handle.stream() }

  // MARK: Reading

  package func identity() throws -> ReplicaIdentity { try read { $0.state.identity } }

  package func branches() throws -> [Branch] { try read { $0.state.branches } }

  package func lastPosition() throws -> LogPosition {
    try read { LogPosition(rawValue: $0.state.lastPosition) }
  }

  package func projectionGeneration() throws -> UInt64 { try read { $0.state.generation } }

  package func position(of id: EventID) throws -> LogPosition? {
    try read { try $0.position(of: id) }
  }

  package func position(
    on branch: BranchIndex, at sequence: SequenceNumber
  ) throws -> LogPosition? {
    try read { try $0.position(on: branch, at: sequence) }
  }

  package func damagedEvents() throws -> [DamagedEvent] { try read { try $0.damagedEvents() } }

  package func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    guard position.rawValue < LogLimits.maxCounter else { return }
    var pieces = ScanPieces(from: position.rawValue + 1)
    while try read({ view in
      guard let piece = pieces.piece(upTo: view.state.lastPosition) else { return false }
      return try view.visit(piece, body) && !pieces.isDone
    }) {}
  }

  package func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    var pieces = ScanPieces(from: max(sequence.rawValue, 1))
    while try read({ view in
      guard let piece = pieces.piece(upTo: view.state.headSequence(of: branch)) else {
        return false
      }
      return try view.visit(piece, of: Int(branch.rawValue), body) && !pieces.isDone
    }) {}
  }

  // MARK: Writing

  package func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?
  ) async throws -> RecordOutcome {
    let request = try checked(events, wallClock, expecting: head)
    return RecordOutcome(try await handle.write(request))
  }

  /// Queues events, and calls `finish` once after their commit or refusal, on the writer's thread.
  ///
  /// - Throws: As the call that waits, if nothing was queued.
  fileprivate func enqueue(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?,
    finish: @escaping @Sendable (Result<RecordOutcome, any Error>) -> Void
  ) throws {
    try handle.enqueue(checked(events, wallClock, expecting: head)) {
      finish($0.map(RecordOutcome.init))
    }
  }

  private func checked(
    _ events: [NewEvent], _ wallClock: Instant, expecting head: LogPosition?
  ) throws -> WriteRequest {
    try handle.checkOpen()
    precondition(!events.isEmpty, "at least one event is required")
    // A span reads its elements without copying them.
    let elements = events.span
    for index in elements.indices { try elements[index].checkSize() }
    do {
      _ = try Timestamp.next(wallClock: wallClock, after: nil)
    } catch {
      throw LogError.wrapping(error)
    }
    return .record(RecordRequest(events: events, wallClock: wallClock, head: head?.rawValue), nil)
  }

  package func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent],
    noting: @escaping @Sendable (Recorded) throws -> Void
  ) async throws -> Recorded? {
    guard
      case .recorded(let written) = try await handle.write(
        .decide(wallClock: wallClock, deciding, noting: noting))
    else { return nil }
    return written.recorded
  }

  package func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    guard !runs.isEmpty else {
      try handle.checkOpen()
      return []
    }
    return try await appendVerifying(runs, wallClock: wallClock, erasures: erasures).outcomes
  }

  fileprivate func appendVerifying(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> (outcomes: [AppendOutcome], ends: LogEnds) {
    try handle.checkOpen()
    let verified = try runs.enumerated().map { try VerifiedRun($1, index: $0) }
    guard
      case .appended(let outcomes, let ends, let isErasureDue) = try await handle.write(
        .append(verified, wallClock: wallClock, erasures))
    else { preconditionFailure("unexpected outcome of an append request") }
    if isErasureDue { try await eraseDue() }
    return (outcomes, ends)
  }

  package func erase(_ erased: [ErasedPayload]) async throws -> Int {
    try handle.checkOpen()
    guard !erased.isEmpty else { return 0 }
    guard case .erased(let count) = try await handle.write(.erase(erased)) else {
      preconditionFailure("unexpected outcome of an erase request")
    }
    return count
  }

  /// See `StoredLog`.
  package func rebuildIndex() async throws {
    _ = try await handle.write(.rebuildIndex)
  }

  package func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    guard
      case .moved(let isMoved) = try await handle.write(.moveGeneration(from: current, to: next))
    else { preconditionFailure("unexpected outcome of a generation request") }
    return isMoved
  }
}

extension EventLog {
  /// Returns the branches and the identity in one state of the log.
  ///
  /// - Throws: As `branches`.
  package func ends() throws -> LogEnds {
    if let adapter = self as? any LogAdapter { return try adapter.read { $0.state.ends } }
    return try LogEnds(branches: branches(), identity: identity())
  }

  /// Appends runs, and returns the log as it is afterwards.
  ///
  /// - Throws: As the port's `append`.
  package func appendReturningEnds(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> (outcomes: [AppendOutcome], ends: LogEnds) {
    if !runs.isEmpty, let adapter = self as? any LogAdapter {
      return try await adapter.appendVerifying(runs, wallClock: wallClock, erasures: erasures)
    }
    let outcomes = try await append(runs, wallClock: wallClock, erasures: erasures)
    return (outcomes, try ends())
  }

  /// Writes new events, and calls `finish` once afterwards, on any thread.
  ///
  /// For a caller that has many events to write and need not wait for each. Logs of this module
  /// start no task for it.
  ///
  /// - Throws: Some of the errors of the call that waits; `finish` is then not called.
  package func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?,
    finish: @escaping @Sendable (Result<RecordOutcome, any Error>) -> Void
  ) throws {
    if let adapter = self as? any LogAdapter {
      try adapter.enqueue(events, wallClock: wallClock, expecting: head, finish: finish)
    } else {
      Task {
        do {
          finish(.success(try await record(events, wallClock: wallClock, expecting: head)))
        } catch {
          finish(.failure(error))
        }
      }
    }
  }
}

extension RecordOutcome {
  fileprivate init(_ outcome: WriteOutcome) {
    switch outcome {
    case .recorded(let written): self = .recorded(written.recorded)
    case .headMoved(let position): self = .headMoved(position)
    default: preconditionFailure("unexpected outcome of a record request")
    }
  }
}
