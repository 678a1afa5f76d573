package import CarillonModel

/// The writing methods of the port, as requests to the writer.
extension LogWriter {
  /// Writes new events; see `EventLog`.
  package func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?,
    announcement: @escaping IdentityAnnouncement
  ) async throws -> RecordOutcome {
    precondition(!events.isEmpty, "at least one event is required")
    for event in events { try event.checkSize() }
    do {
      _ = try Timestamp.next(wallClock: wallClock, after: nil)
    } catch {
      throw LogError.wrapping(error)
    }
    let request = RecordRequest(events: events, wallClock: wallClock, head: head?.rawValue)
    switch try await write(.record(request, nil), announcement: announcement) {
    case .recorded(let written): return .recorded(written.recorded)
    case .headMoved(let position): return .headMoved(position)
    default: preconditionFailure("unexpected outcome of a record request")
    }
  }

  /// Writes new events that are determined in the transaction; see `EventLog`.
  package func record(
    wallClock: Instant, announcement: @escaping IdentityAnnouncement,
    deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded? {
    guard
      case .recorded(let written) = try await write(
        .decide(wallClock: wallClock, deciding), announcement: announcement)
    else { return nil }
    return written.recorded
  }

  /// Appends runs; see `EventLog`.
  package func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?,
    announcement: @escaping IdentityAnnouncement
  ) async throws -> [AppendOutcome] {
    guard !runs.isEmpty else { return [] }
    let verified = try runs.enumerated().map { try VerifiedRun($1, index: $0) }
    guard
      case .appended(let outcomes) = try await write(
        .append(verified, wallClock: wallClock, erasures), announcement: announcement)
    else { preconditionFailure("unexpected outcome of an append request") }
    return outcomes
  }

  /// Erases payloads; see `EventLog`.
  package func erase(_ erased: [ErasedPayload]) async throws -> Int {
    guard !erased.isEmpty else { return 0 }
    guard case .erased(let count) = try await write(.erase(erased), announcement: { _ in [] })
    else { preconditionFailure("unexpected outcome of an erase request") }
    return count
  }

  /// Changes the projection's generation; see `EventLog`.
  package func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    guard
      case .moved(let isMoved) = try await write(
        .moveGeneration(from: current, to: next), announcement: { _ in [] })
    else { preconditionFailure("unexpected outcome of a generation request") }
    return isMoved
  }
}
