internal import CarillonModel
internal import Dispatch
internal import Synchronization

/// Reads, checks, decodes and sorts the events of a log on its own thread, ahead of the code that
/// applies them.
///
/// For long builds. The number of waiting batches is limited, so memory use is constant.
final class EventPipeline: Sendable {
  private let log: any EventReader
  /// The moment after which events are not applied; nil to apply all.
  private let moment: Instant?
  /// Guards the batches that were read, and the result of the reading.
  private let state = Mutex(State())
  /// Signalled for each batch and for the end.
  private let filled = DispatchSemaphore(value: 0)
  /// Signalled for each batch that may be read.
  private let free = DispatchSemaphore(value: 0)

  private struct State {
    var batches: [EventBatch] = []
    /// The result of the reading; nil while it continues.
    var end: Result<Void, any Error>?
    /// Whether the consumer needs no more batches.
    var isStopped = false
  }

  /// So many that several rows of a batch belong to one page of a table; see ``EventBatch``.
  private static let eventsPerBatch = 32_768
  /// The maximum number of waiting batches, besides the ones that are read and applied.
  private static let maxBatches = 1

  init(_ log: any EventReader, until moment: Instant?) {
    self.log = log
    self.moment = moment
  }

  /// Calls `body` with the events after a position up to another one, batch by batch, on the
  /// caller's thread.
  ///
  /// May be called once for each pipeline.
  ///
  /// - Throws: Errors of the log, after the events before them; errors of `body`, after the reading
  ///   has ended.
  func forEachBatch(
    after start: LogPosition, through end: LogPosition, _ body: (EventBatch) throws -> Void
  ) throws {
    for _ in 0..<Self.maxBatches { free.signal() }
    DispatchQueue(label: "carillon.projections.pipeline").async {
      let outcome = Result { try self.read(after: start, through: end) }
      self.state.withLock { $0.end = outcome }
      self.filled.signal()
    }
    do {
      while let batch = try next() { try body(batch) }
    } catch {
      stop()
      throw error
    }
  }

  // MARK: - On the caller's thread

  /// Returns the next batch; nil at the end.
  private func next() throws -> EventBatch? {
    filled.wait()
    let (batch, end) = state.withLock { state in
      (state.batches.isEmpty ? nil : state.batches.removeFirst(), state.end)
    }
    if let batch {
      free.signal()
      return batch
    }
    try end?.get()
    return nil
  }

  /// Stops the reading and waits until it has ended.
  private func stop() {
    state.withLock { $0.isStopped = true }
    free.signal()
    while state.withLock({ $0.end == nil }) { filled.wait() }
  }

  // MARK: - On the pipeline's thread

  private func read(after start: LogPosition, through end: LogPosition) throws {
    var (batch, count) = (EventBatch(until: moment), 0)
    try log.scanIntact(after: start) { event in
      batch.append(event)
      count += 1
      let isLast = event.position >= end
      guard isLast || count.isMultiple(of: Self.eventsPerBatch) else { return true }
      return add(&batch) && !isLast
    }
    // The log may end before the end that was requested.
    if batch.last != nil { _ = add(&batch) }
  }

  /// Adds a batch and starts another one; returns false if the consumer needs no more.
  private func add(_ batch: inout EventBatch) -> Bool {
    batch.sort()
    free.wait()
    let isWanted = state.withLock { state in
      if !state.isStopped { state.batches.append(batch) }
      return !state.isStopped
    }
    batch = EventBatch(until: moment)
    if isWanted { filled.signal() }
    return isWanted
  }
}
