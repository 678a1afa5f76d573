internal import CarillonModel
internal import CarillonWire

/// A log as a build sees it that does not know some kinds of payload: their numbers are others.
///
/// For projections only, which read and never write.
final class VeiledLog: EventLog {
  private let log: any EventLog
  private let kinds: Set<UInt32>

  /// - Parameter kinds: Numbers of kinds that are not known.
  init(_ log: any EventLog, unknown kinds: Set<UInt32>) {
    self.log = log
    self.kinds = kinds
  }

  var storeID: StoreID { log.storeID }
  var commitCount: Int { log.commitCount }
  func identity() throws -> ReplicaIdentity { try log.identity() }
  func setRestatement(_ restatement: @escaping Restatement) { log.setRestatement(restatement) }
  func branches() throws -> [Branch] { try log.branches() }
  func lastPosition() throws -> Position { try log.lastPosition() }
  func position(of id: EventID) throws -> Position? { try log.position(of: id) }
  func damagedEvents() throws -> [DamagedEvent] { try log.damagedEvents() }
  func projectionGeneration() throws -> UInt64 { try log.projectionGeneration() }
  func appends() -> AsyncStream<Position> { log.appends() }
  func close() async { await log.close() }

  func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> Position? {
    try log.position(on: branch, at: sequence)
  }

  func scan(after position: Position, _ body: (RawEvent) throws -> Bool) throws {
    try log.scan(after: position) { try veiled($0, body) }
  }

  func scanIntact(after position: Position, _ body: (RawEvent) throws -> Bool) throws {
    try log.scanIntact(after: position) { try veiled($0, body) }
  }

  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    try log.scan(branch: branch, from: sequence) { try veiled($0, body) }
  }

  func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: Position?
  ) async throws -> RecordOutcome {
    try await log.record(events, wallClock: wallClock, expecting: head)
  }

  func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent]
  ) async throws -> Recorded? {
    try await log.record(wallClock: wallClock, deciding: deciding)
  }

  func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    try await log.append(runs, wallClock: wallClock, erasures: erasures)
  }

  func erase(_ erased: [ErasedPayload]) async throws -> Int { try await log.erase(erased) }

  func moveProjectionGeneration(
    from current: UInt64, to next: UInt64
  ) async throws -> Bool {
    try await log.moveProjectionGeneration(from: current, to: next)
  }

  /// The payload begins with the tag of its one field: the kind's number, and wire type 2.
  private func veiled(_ event: RawEvent, _ body: (RawEvent) throws -> Bool) throws -> Bool {
    // What cannot be read is seen as it is.
    guard event.bare == nil, let kind = try? PayloadCoding.kindNumber(of: event.payload),
      kinds.contains(kind)
    else { return try body(event) }
    let bytes =
      Self.tag(of: kind + 1_000) + event.payload.dropFirst(Self.tag(of: kind).count)
    return try bytes.withUnsafeBytes { payload in
      try body(
        RawEvent(
          position: event.position, branch: event.branch, replica: event.replica,
          sequence: event.sequence, id: event.id, payload: payload))
    }
  }

  /// The tag of a field from 1 to 2,047 with wire type 2.
  private static func tag(of number: UInt32) -> [UInt8] {
    let tag = number << 3 | 2
    return tag < 0x80 ? [UInt8(tag)] : [UInt8(tag & 0x7F) | 0x80, UInt8(tag >> 7)]
  }
}
