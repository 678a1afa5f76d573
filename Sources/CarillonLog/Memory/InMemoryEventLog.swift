package import CarillonModel
internal import Synchronization

/// An event log in memory, for previews and tests.
///
/// It keeps all rules of a log in files, and its events are lost when the process ends. It can be
/// copied and restored, like the directory of a log in files.
package final class InMemoryEventLog: LogAdapter {
  package let handle: LogHandle
  let backend: MemoryBackend
  private let makeReplicaID: @Sendable () -> ReplicaID

  /// Creates an empty log.
  ///
  /// - Parameter makeReplicaID: Creates new identities.
  package convenience init(
    storeID: StoreID, replica: ReplicaID,
    makeReplicaID: @escaping @Sendable () -> ReplicaID = { ReplicaID.random() }
  ) {
    self.init(
      MemoryContents(LogState(storeID: storeID, replica: replica)), makeReplicaID: makeReplicaID)
  }

  init(_ contents: MemoryContents, makeReplicaID: @escaping @Sendable () -> ReplicaID) {
    self.makeReplicaID = makeReplicaID
    backend = MemoryBackend(contents)
    let appends = Broadcast<LogPosition>()
    let writer = LogWriter(backend, appends: appends, makeReplicaID: makeReplicaID)
    handle = LogHandle(contents.state.storeID, writer, appends: appends)
  }

  /// Returns a log with the same events, like the log of a copied directory.
  ///
  /// - Parameters:
  ///   - isNoticed: Whether the copy takes a new identity, like a directory whose copying is
  ///     noticed when it is opened. Otherwise the copy keeps its identity, and both logs write a
  ///     fork.
  ///   - makeReplicaID: Creates new identities of the copy; nil uses this log's closure.
  package func copy(
    isNoticed: Bool, makeReplicaID: (@Sendable () -> ReplicaID)? = nil
  ) -> InMemoryEventLog {
    let makeReplicaID = makeReplicaID ?? self.makeReplicaID
    var contents = backend.committed
    if isNoticed { contents.state.adopt(makeReplicaID()) }
    return InMemoryEventLog(contents, makeReplicaID: makeReplicaID)
  }

  package func close() async {
    guard handle.end() else { return }
    await handle.writer.afterWaiting {}
  }

  package func read<Result>(_ body: (any ScannableView) throws -> Result) throws -> Result {
    try handle.checkOpen()
    return try body(backend.committed)
  }

  /// Calls `body` while no event is written.
  func whileNobodyWrites<Result>(_ body: () throws -> Result) rethrows -> Result {
    try handle.writer.afterWaitingNow(body)
  }

  /// Performs a request, and blocks the calling thread until it is done.
  func writeNow(_ request: WriteRequest) throws {
    try handle.checkOpen()
    try handle.writer.writeNow(request, rules: handle.rules)
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

  func begin() throws -> any LogTransaction {
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
