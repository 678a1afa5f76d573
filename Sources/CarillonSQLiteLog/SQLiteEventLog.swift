internal import CarillonLog
package import CarillonModel
package import Foundation
internal import Synchronization

// The protocol documents these methods.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation

/// The event log on SQLite: a handle on the file `log.sqlite` of a store directory.
///
/// Several handles, of one process or of several, may open the same log. A handle that is released
/// without ``close()`` is closed in the background.
package final class SQLiteEventLog: StoredLog {
  package let storeID: StoreID
  let backend: SQLiteBackend
  private let writer: LogWriter<SQLiteBackend>
  private let streams = Broadcast<LogPosition>()
  private let announcement = CurrentAnnouncement()
  private let isClosed = Atomic(false)

  init(_ backend: SQLiteBackend, options: LogOptions) throws {
    self.backend = backend
    storeID = try backend.read { $0.state.storeID }
    writer = LogWriter(backend, appends: streams, makeReplicaID: options.makeReplicaID)
  }

  deinit {
    guard !isClosed.load(ordering: .acquiring) else { return }
    streams.finish()
    writer.afterWaiting { [backend] in backend.pool.close() }
  }

  /// Creates an empty log in a store directory, and the directory if it is missing.
  ///
  /// - Throws: `LogError`: `alreadyExists`, `readOnly`, `full`, `io`.
  package static func create(
    at directory: URL, storeID: StoreID, replica: ReplicaID, options: LogOptions = LogOptions()
  ) throws -> SQLiteEventLog {
    let making = try SQLiteLogMaking(
      at: directory, storeID: storeID, replica: replica, options: options)
    do {
      try making.publish()
      return making.sqlite
    } catch {
      making.discard()
      throw error
    }
  }

  /// Opens the log of a store directory; see `LogStorage`.
  package static func open(
    at directory: URL, options: LogOptions = LogOptions()
  ) throws -> SQLiteEventLog {
    let backend = try SQLiteBackend(
      LogFormat.fileName, in: directory.path, options: options)
    do {
      let log = try SQLiteEventLog(backend, options: options)
      try log.claimIdentity()
      return log
    } catch {
      backend.pool.close()
      throw error
    }
  }

  /// Whether the log can be read but not written.
  package var isReadOnly: Bool { backend.pool.isReadOnly }

  /// The number of commits that this handle made.
  package var commitCount: Int { writer.commitCount }

  package func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {
    self.announcement.closure = announcement
  }

  package func appends() -> AsyncStream<LogPosition> {
    let stream = streams.stream()
    if isClosed.load(ordering: .acquiring) { streams.finish() }
    return stream
  }

  package func close() async {
    guard beginClosing() else { return }
    await withCheckedContinuation { continuation in
      writer.afterWaiting { [backend] in
        backend.pool.close()
        continuation.resume()
      }
    }
  }

  package func closeBlocking() {
    guard beginClosing() else { return }
    writer.afterWaitingNow { backend.pool.close() }
  }

  package func checkFiles() throws {
    guard !isClosed.load(ordering: .acquiring) else { return }
    try backend.checkFiles()
    _ = try backend.read { $0.state }
  }

  package func verify(maxProblemCount: Int) throws -> [LogProblem] {
    try read { snapshot in
      var verification = LogVerification(snapshot, maxProblemCount: maxProblemCount)
      for problem in try snapshot.connection.pageProblems(maxCount: maxProblemCount) {
        verification.add(nil, problem)
      }
      try verification.checkEvents { positions, check in
        _ = try snapshot.visit(positions, check)
      }
      try verification.checkRuns()
      verification.checkHeads()
      verification.checkClosings()
      return verification.found
    }
  }

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
    while try read({ snapshot in
      guard let piece = pieces.piece(upTo: snapshot.state.lastPosition) else { return false }
      return try snapshot.visit(piece) { event, _ in try body(event) } && !pieces.isDone
    }) {}
  }

  package func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    var pieces = ScanPieces(from: max(sequence.rawValue, 1))
    while try read({ snapshot in
      guard let piece = pieces.piece(upTo: snapshot.state.headSequence(of: branch)) else {
        return false
      }
      return try snapshot.visit(piece, of: Int(branch.rawValue), body) && !pieces.isDone
    }) {}
  }

  // MARK: Writing

  package func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?
  ) async throws -> RecordOutcome {
    try await openWriter.record(
      events, wallClock: wallClock, expecting: head, announcement: currentAnnouncement)
  }

  package func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded? {
    try await openWriter.record(
      wallClock: wallClock, announcement: currentAnnouncement, deciding: deciding)
  }

  package func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    try await openWriter.append(
      runs, wallClock: wallClock, erasures: erasures, announcement: currentAnnouncement)
  }

  package func erase(_ erased: [ErasedPayload]) async throws -> Int {
    try await openWriter.erase(erased)
  }

  package func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    try await openWriter.moveProjectionGeneration(from: current, to: next)
  }

  // MARK: -

  private func read<Result>(_ body: (SQLiteSnapshot) throws -> Result) throws -> Result {
    try checkOpen()
    return try backend.read(body)
  }

  private var openWriter: LogWriter<SQLiteBackend> {
    get throws {
      try checkOpen()
      return writer
    }
  }

  private var currentAnnouncement: IdentityAnnouncement { announcement.closure }

  private func checkOpen() throws {
    guard !isClosed.load(ordering: .acquiring) else { throw LogError.handleClosed }
  }

  /// - Returns: False if the handle was already closed.
  private func beginClosing() -> Bool {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    streams.finish()
    return true
  }

  /// Takes a new identity in a copied directory.
  ///
  /// If the disk is full, that happens before the first write instead.
  private func claimIdentity() throws {
    do {
      if try backend.mustClaimIdentity() { try writer.writeNow(.claim) }
    } catch let error as LogError where error.code == .full {}
  }
}
