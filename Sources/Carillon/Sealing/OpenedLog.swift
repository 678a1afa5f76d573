import CarillonLog
import CarillonModel
import CarillonSealing

/// The log of a sealed store as its readers see it: with opened payloads.
///
/// What is written goes to the log as it is, which seals it. Sync, backups and checks of IDs read
/// the log itself, since IDs commit to sealed bytes.
struct OpenedLog: EventLog {
  /// The log with sealed payloads.
  let sealed: any EventLog
  let keys: StoreKeys
  /// The time of erasure lists.
  let clock: @Sendable () -> Instant

  /// Passes an event on with its opened payload.
  ///
  /// An event that cannot be opened is passed on as one that cannot be read, which has no effect.
  /// So is a plain event: whoever has no key must not change what the store says. Events that are
  /// never sealed and forms of a later version are of a kind that projections do not know.
  private func pass<Result>(
    _ event: RawEvent, _ ring: inout KeyRing, to body: (RawEvent) throws -> Result
  ) throws -> Result {
    guard !event.payload.isEmpty, !Envelope.isPlain(event.payload) else { return try body(event) }
    let payload = try opened(event, &ring) ?? Self.unreadable
    return try payload.withUnsafeBytes { try body(event.with($0)) }
  }

  private func opened(_ event: RawEvent, _ ring: inout KeyRing) throws -> [UInt8]? {
    let place = SealedPlace(of: event, in: storeID)
    do throws(SealingError) {
      return try ring.open([UInt8](event.payload), at: place)
    } catch {
      guard error.code != .unsupported else { return [UInt8](event.payload) }
      guard error.code == .unknownEpoch else { return nil }
    }
    // The key may have come with an event that was appended since.
    ring = try keys.ring()
    return try? ring.open([UInt8](event.payload), at: place)
  }

  /// A payload that is cut within the number of its field.
  private static let unreadable: [UInt8] = [0xFA]

  // MARK: - Reading contents

  func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    var ring = try keys.ring()
    try sealed.scan(after: position) { try pass($0, &ring, to: body) }
  }

  func scanIntact(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    var ring = try keys.ring()
    try sealed.scanIntact(after: position) { try pass($0, &ring, to: body) }
  }

  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    var ring = try keys.ring()
    try sealed.scan(branch: branch, from: sequence) { try pass($0, &ring, to: body) }
  }

  // MARK: - The rest, as the log has it

  var storeID: StoreID { sealed.storeID }

  func identity() throws -> ReplicaIdentity { try sealed.identity() }

  func branches() throws -> [Branch] { try sealed.branches() }

  func lastPosition() throws -> LogPosition { try sealed.lastPosition() }

  func position(of id: EventID) throws -> LogPosition? { try sealed.position(of: id) }

  func position(on branch: BranchIndex, at sequence: SequenceNumber) throws -> LogPosition? {
    try sealed.position(on: branch, at: sequence)
  }

  func damagedEvents() throws -> [DamagedEvent] { try sealed.damagedEvents() }

  func projectionGeneration() throws -> UInt64 { try sealed.projectionGeneration() }

  func setIdentityAnnouncement(_ announcement: @escaping IdentityAnnouncement) {
    sealed.setIdentityAnnouncement(announcement)
  }

  func record(
    _ events: [NewEvent], wallClock: Instant, expecting head: LogPosition?
  ) async throws -> RecordOutcome {
    try await sealed.record(events, wallClock: wallClock, expecting: head)
  }

  func record(
    wallClock: Instant, deciding: @escaping @Sendable () throws -> [NewEvent],
    noting: @escaping @Sendable (Recorded) throws -> Void
  ) async throws -> Recorded? {
    try await sealed.record(wallClock: wallClock, deciding: deciding, noting: noting)
  }

  func append(
    _ runs: [EventRun], wallClock: Instant, erasures: (any HeldErasures)?
  ) async throws -> [AppendOutcome] {
    try await sealed.append(runs, wallClock: wallClock, erasures: erasures)
  }

  /// Erases payloads here, and in the logs that cannot read them.
  ///
  /// The lists are written first, so no crash loses them.
  func erase(_ erased: [ErasedPayload]) async throws -> Int {
    let lists = try erasureLists(of: erased).map { NewEvent(payload: $0.written) }
    if !lists.isEmpty {
      _ = try await sealed.record(lists, wallClock: clock(), expecting: nil)
    }
    return try await sealed.erase(erased)
  }

  func moveProjectionGeneration(from current: UInt64, to next: UInt64) async throws -> Bool {
    try await sealed.moveProjectionGeneration(from: current, to: next)
  }

  func appends() -> AsyncStream<LogPosition> { sealed.appends() }

  func close() async { await sealed.close() }
}

extension RawEvent {
  /// The event with another payload.
  fileprivate func with(_ payload: UnsafeRawBufferPointer) -> RawEvent {
    RawEvent(
      position: position, branch: branch, replica: replica, sequence: sequence, id: id,
      payload: payload)
  }
}

/// The erasures of a sealed store, for payloads as the log has them.
struct OpenedErasures: HeldErasures {
  let erasures: any HeldErasures
  let log: any EventReader
  let keys: StoreKeys

  func confirm(_ redacted: RedactedContent, of event: EventID) throws -> Bool {
    try erasures.confirm(redacted, of: event)
  }

  /// Whether a payload may be restored; one that this device cannot open may not.
  func permitRestoring(
    _ payload: [UInt8], to redacted: RedactedContent, of event: EventID, at position: LogPosition
  ) throws -> Bool {
    guard let held = try log.storedEvent(at: position),
      let opened = try? keys.ring().open(payload, at: SealedPlace(of: held, in: log.storeID))
    else { return false }
    return try erasures.permitRestoring(opened, to: redacted, of: event, at: position)
  }
}
