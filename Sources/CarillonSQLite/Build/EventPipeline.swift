internal import CarillonModel
internal import CarillonWire
internal import Dispatch
internal import Synchronization

/// Reads, checks and decodes the events of a log on a thread of its own, ahead of who applies them.
///
/// For long builds: the batches that wait are few, so the memory stays the same.
final class EventPipeline: Sendable {
  private let log: any EventReader
  /// Guards what was read, and how the reading ended.
  private let state = Mutex(State())
  /// Signalled for each batch, and for the end.
  private let filled = DispatchSemaphore(value: 0)
  /// Signalled for each batch that may be read.
  private let free = DispatchSemaphore(value: 0)

  private struct State {
    var batches: [[DecodedEvent]] = []
    /// How the reading ended; nil while it goes on.
    var end: Result<Void, any Error>?
    /// Whether nobody wants more.
    var isStopped = false
  }

  private static let eventsPerBatch = 2_048
  /// How many batches wait at most.
  private static let maxBatches = 4

  init(_ log: any EventReader) {
    self.log = log
  }

  /// Calls `body` with the events after a position up to another one, in order, on the caller's
  /// thread; once for each pipeline.
  ///
  /// - Throws: What the log throws, after the events before; what `body` throws, after the reading
  ///   has ended.
  func forEachBatch(
    after start: Position, through end: Position, _ body: ([DecodedEvent]) throws -> Void
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

  /// The batch that is next; nil at the end.
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

  /// Lets the reading end and waits for that.
  private func stop() {
    state.withLock { $0.isStopped = true }
    free.signal()
    while state.withLock({ $0.end == nil }) { filled.wait() }
  }

  // MARK: - On the thread of its own

  private func read(after start: Position, through end: Position) throws {
    var batch: [DecodedEvent] = []
    try log.scanIntact(after: start) { event in
      batch.append(DecodedEvent(event))
      let isLast = event.position >= end
      guard isLast || batch.count == Self.eventsPerBatch else { return true }
      return add(&batch) && !isLast
    }
    // The log may end before what it said is its end.
    if !batch.isEmpty { _ = add(&batch) }
  }

  /// Hands a batch over and begins another; false where nobody wants more.
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

/// An event with all that can be known of it without the rows.
struct DecodedEvent: Sendable {
  let position: Position
  let id: EventID
  let replica: ReplicaID
  private let branch: BranchIndex
  private let sequence: SequenceNumber
  /// What is left of a payload that was erased, else nil.
  let redacted: RedactedContent?
  /// Whether only the ID is known.
  var isMissing: Bool { redacted == nil && bytes.isEmpty }
  /// Nil where it cannot be read, or breaks a limit.
  let payload: Payload?
  /// Of a recording: which entry it is of.
  let entry: EntryID?
  /// The payload's bytes, which some rows keep.
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

  /// Calls `body` with the event as it was read.
  func withRaw(_ body: (RawEvent) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { bytes in
      try body(
        RawEvent(
          position: position, branch: branch, replica: replica, sequence: sequence, id: id,
          payload: bytes))
    }
  }
}
