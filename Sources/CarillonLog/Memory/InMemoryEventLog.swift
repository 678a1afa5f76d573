public import CarillonModel
internal import Synchronization

// The protocol documents these methods.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation

/// An event log in memory, for previews and tests.
///
/// It keeps all rules of a log in files, and its events are lost when the process ends. It can be
/// copied and restored, like the directory of a log in files.
public final class InMemoryEventLog: EventLog {
  public let storeID: StoreID
  let backend: MemoryBackend
  private let makeReplicaID: @Sendable () -> ReplicaID
  private let writer: LogWriter<MemoryBackend>
  private let streams = Broadcast<LogPosition>()
  private let announcement = CurrentAnnouncement()
  private let isClosed = Atomic(false)

  /// Creates an empty log.
  ///
  /// - Parameter makeReplicaID: Creates new identities.
  public convenience init(
    storeID: StoreID, replica: ReplicaID,
    makeReplicaID: @escaping @Sendable () -> ReplicaID = { ReplicaID.random() }
  ) {
    self.init(
      MemoryContents(LogState(storeID: storeID, replica: replica)), makeReplicaID: makeReplicaID)
  }

  init(_ contents: MemoryContents, makeReplicaID: @escaping @Sendable () -> ReplicaID) {
    storeID = contents.state.storeID
    self.makeReplicaID = makeReplicaID
    backend = MemoryBackend(contents)
    writer = LogWriter(backend, appends: streams, makeReplicaID: makeReplicaID)
  }

  /// Returns a log with the same events, like the log of a copied directory.
  ///
  /// - Parameters:
  ///   - isNoticed: Whether the copy takes a new identity, like a directory whose copying is
  ///     noticed when it is opened. Otherwise the copy keeps its identity, and both logs write a
  ///     fork.
  ///   - makeReplicaID: Creates new identities of the copy; nil uses this log's closure.
  public func copy(
    isNoticed: Bool, makeReplicaID: (@Sendable () -> ReplicaID)? = nil
  ) -> InMemoryEventLog {
    let makeReplicaID = makeReplicaID ?? self.makeReplicaID
    var contents = backend.committed
    if isNoticed { contents.state.adopt(makeReplicaID()) }
    return InMemoryEventLog(contents, makeReplicaID: makeReplicaID)
  }

  package var commitCount: Int { writer.commitCount }

  public func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {
    self.announcement.closure = announcement
  }

  public func appends() -> AsyncStream<LogPosition> {
    let stream = streams.stream()
    if isClosed.load(ordering: .acquiring) { streams.finish() }
    return stream
  }

  public func close() async {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    streams.finish()
    await withCheckedContinuation { continuation in
      writer.afterWaiting { continuation.resume() }
    }
  }

  // MARK: Reading

  public func identity() throws -> ReplicaIdentity { try read().state.identity }

  public func branches() throws -> [Branch] { try read().state.branches }

  public func lastPosition() throws -> LogPosition {
    LogPosition(rawValue: try read().state.lastPosition)
  }

  public func projectionGeneration() throws -> UInt64 { try read().state.generation }

  public func position(of id: EventID) throws -> LogPosition? { try read().position(of: id) }

  public func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> LogPosition? {
    try read().position(on: branch, at: sequence)
  }

  public func damagedEvents() throws -> [DamagedEvent] { try read().damagedEvents() }

  public func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    let contents = try read()
    let last = contents.state.lastPosition
    guard position.rawValue < last else { return }
    for position in (position.rawValue + 1)...last {
      guard try contents.visit(position, body) else { return }
    }
  }

  public func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    let contents = try read()
    let (index, first) = (Int(branch.rawValue), max(sequence.rawValue, 1))
    guard contents.state.branches.indices.contains(index) else { return }
    let last = contents.state.branches[index].headSequence.rawValue
    if first <= last { _ = try contents.visit(first...last, of: index, body) }
  }

  // MARK: Writing

  public func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?
  ) async throws -> RecordOutcome {
    try await openWriter.record(
      events, wallClock: wallClock, expecting: head, announcement: currentAnnouncement)
  }

  public func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded? {
    try await openWriter.record(
      wallClock: wallClock, announcement: currentAnnouncement, deciding: deciding)
  }

  public func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    try await openWriter.append(
      runs, wallClock: wallClock, erasures: erasures, announcement: currentAnnouncement)
  }

  public func erase(_ erased: [ErasedPayload]) async throws -> Int {
    try await openWriter.erase(erased)
  }

  public func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    try await openWriter.moveProjectionGeneration(from: current, to: next)
  }

  // MARK: -

  /// Calls `body` while no event is written.
  func whileNobodyWrites<Result>(_ body: () throws -> Result) rethrows -> Result {
    try writer.afterWaitingNow(body)
  }

  /// Performs a request, and blocks the calling thread until it is done.
  func writeNow(_ request: WriteRequest) throws {
    try openWriter.writeNow(request, announcement: currentAnnouncement)
  }

  private var currentAnnouncement: IdentityAnnouncement { announcement.closure }

  private var openWriter: LogWriter<MemoryBackend> {
    get throws {
      try checkOpen()
      return writer
    }
  }

  private func read() throws -> MemoryContents {
    try checkOpen()
    return backend.committed
  }

  private func checkOpen() throws {
    guard !isClosed.load(ordering: .acquiring) else { throw LogError.handleClosed }
  }
}

/// The storage of a log in memory.
final class MemoryBackend: LogBackend {
  /// Guards the committed contents; held only briefly.
  private let contents: Mutex<MemoryContents>
  /// The error that every write throws; nil for none.
  let failure = Mutex<LogError?>(nil)

  init(_ contents: MemoryContents) {
    self.contents = Mutex(contents)
  }

  /// The committed contents.
  var committed: MemoryContents {
    get { contents.withLock { $0 } }
    set { contents.withLock { $0 = newValue } }
  }

  var newestState: LogState? { committed.state }

  func begin() throws -> MemoryTransaction {
    if let failure = failure.withLock({ $0 }) { throw failure }
    return MemoryTransaction(committed) { self.committed = $0 }
  }

  func isFailure(_ error: any Error) -> Bool { false }

  func didEnd(with state: LogState, commitCount: Int?) {
    // Nothing was written, but the first events of branches may have been looked up.
    if commitCount == nil { contents.withLock { $0.state.forks = state.forks } }
  }

  func translate(_ error: any Error) -> any Error { LogError.wrapping(error) }
}
