import CarillonModel
import CarillonWire
import Synchronization

/// A log of events in exactly the order that a test gives, whether or not a real log could have
/// received them so; order freedom is then tested to the full.
final class ScriptedLog: EventLog {
  private struct Contents {
    var events: [StoredEvent] = []
    var generation: UInt64 = 0
  }

  let storeID: StoreID
  private let contents: Mutex<Contents>

  init(_ events: [StoredEvent] = [], storeID: StoreID = StoreID(high: 1, low: 1)) {
    self.storeID = storeID
    contents = Mutex(Contents(events: events))
  }

  /// Appends events as they are.
  func arrive(_ events: [StoredEvent]) {
    contents.withLock { $0.events += events }
  }

  /// Puts another history in the place of this one.
  func replace(with events: [StoredEvent]) {
    contents.withLock { $0.events = events }
  }

  func lastPosition() throws -> LogPosition {
    contents.withLock { LogPosition(rawValue: UInt64($0.events.count)) }
  }

  func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    let events = contents.withLock { $0.events }
    for (index, event) in events.enumerated().dropFirst(Int(position.rawValue)) {
      let goesOn = try event.payload.withUnsafeBytes { payload in
        try body(
          RawEvent(
            position: LogPosition(rawValue: UInt64(index) + 1), branch: BranchIndex(rawValue: 0),
            replica: event.replica, sequence: event.sequence, id: event.id, payload: payload,
            redacted: event.redacted))
      }
      guard goesOn else { return }
    }
  }

  /// The events follow from one another in no order: none is damaged.
  func scanIntact(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    try scan(after: position, body)
  }

  func position(of id: EventID) throws -> LogPosition? {
    contents.withLock { contents in
      contents.events.firstIndex { $0.id == id }.map { LogPosition(rawValue: UInt64($0) + 1) }
    }
  }

  func erase(_ erased: [ErasedPayload]) async throws -> Int {
    contents.withLock { contents in
      erased.count { payload in
        let index = Int(payload.position.rawValue) - 1
        let event = contents.events[index]
        guard event.redacted == nil else { return false }
        contents.events[index] = event.redacted(erasedBy: payload.erasure)
        return true
      }
    }
  }

  /// Gives the payload of an event back, as sync does for one that is unconfirmed.
  func restore(_ event: StoredEvent) {
    contents.withLock { contents in
      for index in contents.events.indices where contents.events[index].id == event.id {
        contents.events[index] = event
      }
    }
  }

  /// The event at a position.
  func event(at position: LogPosition) throws -> StoredEvent? {
    contents.withLock { contents in
      let index = Int(position.rawValue) - 1
      return contents.events.indices.contains(index) ? contents.events[index] : nil
    }
  }

  /// How many payloads lie here that are covered.
  func coveredCount(by erasures: [(event: EventID, erasure: Erasure)]) -> Int {
    contents.withLock { contents in
      contents.events.count { event in
        guard event.redacted == nil, let payload = try? PayloadCoding.decode(event.payload) else {
          return false
        }
        return erasures.contains { $0.erasure.covers(payload, of: event.id) }
      }
    }
  }

  func projectionGeneration() throws -> UInt64 {
    contents.withLock { $0.generation }
  }

  func moveProjectionGeneration(from current: UInt64, to next: UInt64) async throws -> Bool {
    contents.withLock { contents in
      guard contents.generation == current else { return false }
      contents.generation = next
      return true
    }
  }

  /// One branch a replica, whose events are in the order of their IDs.
  func branches() throws -> [Branch] {
    histories().enumerated().compactMap { index, events in
      events.last.map {
        Branch(
          index: BranchIndex(rawValue: UInt32(index)), replica: $0.replica, parent: nil,
          headSequence: SequenceNumber(rawValue: UInt64(events.count)), headID: $0.id)
      }
    }
  }

  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    let events = histories()[Int(branch.rawValue)]
    for (index, event) in events.enumerated().dropFirst(Int(sequence.rawValue) - 1) {
      let goesOn = try event.payload.withUnsafeBytes { payload in
        try body(
          RawEvent(
            position: .start, branch: branch, replica: event.replica,
            sequence: SequenceNumber(rawValue: UInt64(index) + 1), id: event.id,
            payload: payload, redacted: event.redacted))
      }
      guard goesOn else { return }
    }
  }

  /// Each replica's events once, by ascending ID.
  private func histories() -> [[StoredEvent]] {
    let events = contents.withLock { $0.events }
    return Dictionary(grouping: events, by: \.replica)
      .sorted { $0.key < $1.key }
      .map {
        Dictionary($1.map { ($0.id, $0) }) { first, _ in first }.values.sorted { $0.id < $1.id }
      }
  }

  // MARK: - What projections never ask for

  private static let unasked = LogError(code: .io, message: "the projections do not ask for this")

  func identity() throws -> ReplicaIdentity { throw Self.unasked }
  func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {}
  func damagedEvents() throws -> [DamagedEvent] { throw Self.unasked }

  func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> LogPosition? {
    throw Self.unasked
  }

  func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?
  ) async throws -> RecordOutcome { throw Self.unasked }

  func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent],
    noting: @escaping @Sendable (Recorded) throws -> Void
  ) async throws -> Recorded? { throw Self.unasked }

  func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    throw Self.unasked
  }

  func appends() -> AsyncStream<LogPosition> { AsyncStream { $0.finish() } }
  var commitCount: Int { 0 }
  func close() async {}
}

extension StoredEvent {
  /// The event as it is left when its payload is gone.
  func redacted(erasedBy erasure: EventID) -> StoredEvent {
    StoredEvent(
      id: id, replica: replica, sequence: sequence,
      redacted: RedactedContent(digest: PayloadDigest(payload), erasure: erasure))
  }
}
