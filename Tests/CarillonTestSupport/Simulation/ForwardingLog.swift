package import CarillonModel

/// A log that forwards every call to another log.
///
/// A conforming type implements only the calls that it changes.
package protocol ForwardingLog: EventLog {
  /// The log that receives the calls.
  var log: any EventLog { get }
}

extension ForwardingLog {
  package var storeID: StoreID { log.storeID }
  package func identity() throws -> ReplicaIdentity { try log.identity() }
  package func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {
    log.setIdentityAnnouncement(announcement)
  }
  package func branches() throws -> [Branch] { try log.branches() }
  package func lastPosition() throws -> LogPosition { try log.lastPosition() }
  package func position(of id: EventID) throws -> LogPosition? { try log.position(of: id) }
  package func damagedEvents() throws -> [DamagedEvent] { try log.damagedEvents() }
  package func projectionGeneration() throws -> UInt64 { try log.projectionGeneration() }
  package func appends() -> AsyncStream<LogPosition> { log.appends() }
  package func close() async { await log.close() }

  package func position(
    on branch: BranchIndex, at sequence: SequenceNumber
  ) throws -> LogPosition? {
    try log.position(on: branch, at: sequence)
  }

  package func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    try log.scan(after: position, body)
  }

  package func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    try log.scan(branch: branch, from: sequence, body)
  }

  package func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?
  ) async throws -> RecordOutcome {
    try await log.record(events, wallClock: wallClock, expecting: head)
  }

  package func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent],
    noting: @escaping @Sendable (Recorded) throws -> Void
  ) async throws -> Recorded? {
    try await log.record(wallClock: wallClock, deciding: deciding, noting: noting)
  }

  package func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    try await log.append(runs, wallClock: wallClock, erasures: erasures)
  }

  package func erase(_ erased: [ErasedPayload]) async throws -> Int {
    try await log.erase(erased)
  }

  package func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    try await log.moveProjectionGeneration(from: current, to: next)
  }
}
