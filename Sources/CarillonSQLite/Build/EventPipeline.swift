internal import CarillonModel
internal import CarillonWire
internal import Dispatch
internal import Synchronization

/// Reads, checks and decodes the events of a log on its own thread, ahead of the code that applies
/// them.
///
/// For long builds. The number of waiting batches is limited, so memory use is constant.
final class EventPipeline: Sendable {
  private let log: any EventReader
  /// Guards the batches that were read, and the result of the reading.
  private let state = Mutex(State())
  /// Signalled for each batch and for the end.
  private let filled = DispatchSemaphore(value: 0)
  /// Signalled for each batch that may be read.
  private let free = DispatchSemaphore(value: 0)

  private struct State {
    var batches: [[DecodedEvent]] = []
    /// The result of the reading; nil while it continues.
    var end: Result<Void, any Error>?
    /// Whether the consumer needs no more batches.
    var isStopped = false
  }

  private static let eventsPerBatch = 2_048
  /// The maximum number of waiting batches.
  private static let maxBatches = 4

  init(_ log: any EventReader) {
    self.log = log
  }

  /// Calls `body` with the events after a position up to another one, in order, on the caller's
  /// thread.
  ///
  /// May be called once for each pipeline.
  ///
  /// - Throws: Errors of the log, after the events before them; errors of `body`, after the reading
  ///   has ended.
  func forEachBatch(
    after start: LogPosition, through end: LogPosition, _ body: ([DecodedEvent]) throws -> Void
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
  private func next() throws -> [DecodedEvent]? {
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
    var batch: [DecodedEvent] = []
    try log.scanIntact(after: start) { event in
      batch.append(DecodedEvent(event))
      let isLast = event.position >= end
      guard isLast || batch.count == Self.eventsPerBatch else { return true }
      return add(&batch) && !isLast
    }
    // The log may end before the end that was requested.
    if !batch.isEmpty { _ = add(&batch) }
  }

  /// Adds a batch and starts another one; returns false if the consumer needs no more.
  private func add(_ batch: inout [DecodedEvent]) -> Bool {
    free.wait()
    let isWanted = state.withLock { state in
      if !state.isStopped { state.batches.append(batch) }
      return !state.isStopped
    }
    batch = []
    batch.reserveCapacity(Self.eventsPerBatch)
    if isWanted { filled.signal() }
    return isWanted
  }
}

/// An event with everything that can be determined without the rows.
struct DecodedEvent: Sendable {
  let position: LogPosition
  let id: EventID
  let replica: ReplicaID
  private let branch: BranchIndex
  private let sequence: SequenceNumber
  /// The remains of an erased payload, or nil if the payload is present.
  let redacted: RedactedContent?
  /// Whether only the ID is known.
  var isMissing: Bool { redacted == nil && bytes.isEmpty }
  /// The payload; nil if it cannot be read or breaks a limit.
  let payload: Payload?
  /// The entry, if the event records one.
  let entry: EntryID?
  /// The payload's bytes, which some rows contain.
  private let bytes: [UInt8]

  /// Decodes an event.
  init(_ event: RawEvent) {
    position = event.position
    id = event.id
    replica = event.replica
    branch = event.branch
    sequence = event.sequence
    redacted = event.redacted
    payload = event.redacted == nil ? try? PayloadCoding.decode(event.payload) : nil
    entry =
      if case .entryRecorded(let recorded)? = payload { recorded.entry(event.id) } else { nil }
    bytes = Array(event.payload)
  }

  /// Calls `body` with the event in the form in which the log returned it.
  func withRaw(_ body: (RawEvent) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { bytes in
      try body(
        RawEvent(
          position: position, branch: branch, replica: replica, sequence: sequence, id: id,
          payload: bytes))
    }
  }
}
