public import CarillonModel
internal import Synchronization

// The protocol documents these methods.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension LMDBEventLog {
  public func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: Position?
  ) async throws -> RecordOutcome {
    precondition(!events.isEmpty, "at least one event is required")
    try checkOpen()
    try Self.wrapping {
      for event in events { try event.checkSize() }
      _ = try Timestamp.next(wallClock: wallClock, after: nil)
    }
    let request = RecordRequest(events: events, wallClock: wallClock, head: head?.rawValue)
    switch try await write(.record(request, nil)) {
    case .recorded(let written): return .recorded(written.recorded)
    case .headMoved(let position): return .headMoved(position)
    default: preconditionFailure("unexpected outcome of a record request")
    }
  }

  public func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded? {
    guard
      case .recorded(let written) = try await write(
        .decide(wallClock: wallClock, deciding))
    else { return nil }
    return written.recorded
  }

  public func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    try checkOpen()
    guard !runs.isEmpty else { return [] }
    let verified = try runs.enumerated().map { try VerifiedRun($1, index: $0) }
    guard
      case .appended(let outcomes) = try await write(
        .append(verified, wallClock: wallClock, erasures))
    else { preconditionFailure("unexpected outcome of an append request") }
    return outcomes
  }

  public func erase(_ erased: [ErasedPayload]) async throws -> Int {
    try checkOpen()
    guard !erased.isEmpty else { return 0 }
    guard case .erased(let count) = try await write(.erase(erased)) else {
      preconditionFailure("unexpected outcome of an erase request")
    }
    return count
  }

  public func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    guard
      case .moved(let isMoved) = try await write(
        .moveGeneration(from: current, to: next))
    else { preconditionFailure("unexpected outcome of a generation request") }
    return isMoved
  }

  // MARK: -

  private func write(_ request: WriteRequest) async throws -> WriteOutcome {
    try checkOpen()
    return try await log.writer.write(request, announcement: announcement.withLock { $0 })
  }
}
