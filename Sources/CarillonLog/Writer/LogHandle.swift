package import CarillonModel
internal import Synchronization

/// An open handle on a log: its writer, which other handles may share, and what ends with the
/// handle.
package final class LogHandle: Sendable {
  package let storeID: StoreID
  package let writer: LogWriter
  private let appends: Broadcast<LogPosition>
  private let isEnded = Atomic(false)
  /// The closure is kept in a struct: a mutex that holds the closure itself wraps it in a thunk at
  /// each access, and so in a chain that overflows the stack after about 100,000 writes.
  private let currentRules = Mutex(WriteRules())

  /// Creates a handle.
  ///
  /// - Parameter appends: The streams to which the writer reports.
  package init(_ storeID: StoreID, _ writer: LogWriter, appends: Broadcast<LogPosition>) {
    self.storeID = storeID
    self.writer = writer
    self.appends = appends
  }

  /// Whether the handle was closed.
  package var isClosed: Bool { isEnded.load(ordering: .acquiring) }

  /// - Throws: `closed`.
  package func checkOpen() throws(LogError) {
    guard !isClosed else { throw .handleClosed }
  }

  /// Closes the handle and ends its streams.
  ///
  /// - Returns: False if it was already closed.
  package func end() -> Bool {
    guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    appends.finish(for: self)
    return true
  }

  /// What is added to the events that the handle writes.
  package var rules: WriteRules {
    get { currentRules.withLock { $0 } }
    set { currentRules.withLock { $0 = newValue } }
  }

  /// Returns a stream of the log's last position after each commit; finished if the handle is
  /// closed.
  func stream() -> AsyncStream<LogPosition> {
    let stream = appends.stream(for: self)
    if isClosed { appends.finish(for: self) }
    return stream
  }

  /// Queues a request, and calls `finish` once after its commit, on the writer's thread.
  func enqueue(
    _ request: WriteRequest, finish: @escaping @Sendable (Result<WriteOutcome, any Error>) -> Void
  ) throws {
    try checkOpen()
    writer.enqueue(request, rules: rules, finish: finish)
  }

  /// Queues a request and waits for its commit.
  func write(_ request: WriteRequest) async throws -> WriteOutcome {
    try checkOpen()
    return try await writer.write(request, rules: rules)
  }
}
