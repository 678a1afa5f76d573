package import CarillonModel
internal import CarillonWire

/// Events whose content is missing, and redacted events that no held erasure confirms.
///
/// They say nothing until somebody gives the payload, which is then applied late: the rows are the
/// same as if it had been there at once; or until an erasure confirms a redaction.
extension SQLiteProjections {
  /// The events whose payloads a sync asks for.
  ///
  /// - Returns: In order of arrival; each with its ID, unless that may be damaged.
  /// - Throws: `ProjectionError`; `LogError` from the log.
  /// - Complexity: O(events not applied yet + erasures + unconfirmed events × log events).
  package func settlingEvents() async throws -> [DamagedEvent] {
    try await read { reader in
      let erasures = try KnownErasures(reader.connection)
      return try reader.settlingPositions().compactMap { position in
        let event = try self.log.event(at: position) { raw -> DamagedEvent? in
          let isIncomplete = raw.bare.map { !erasures.confirm($0, of: raw.id) } ?? raw.isMissing
          guard isIncomplete else { return nil }
          return DamagedEvent(
            position: position, branch: raw.branch, sequence: raw.sequence,
            id: raw.isMissing ? nil : raw.id)
        }
        return try event.map(self.log.vouching)
      }
    }
  }

  /// The digest of the state, with the payloads that came back.
  package func settledDigest() async throws -> StateDigest {
    try await settle()
    return try await read { try $0.stateDigest() }
  }

  /// Applies the payloads that came back, and forgets events that are confirmed.
  func settle() async throws {
    let isDue = try await read { try !$0.settlingPositions().isEmpty }
    guard isDue else { return }
    try await healing { database in
      try await database.perform { connection in
        try connection.transaction(.immediate) { try self.settle(connection) }
      }
    }
  }

  private func settle(_ connection: Connection) throws {
    var checkpoint = try Checkpoint(connection)
    let applier = try EventApplier(connection)
    let reader = ProjectionReader(
      connection: connection, checkpoint: checkpoint, log: log, isWritable: true)
    var isChanged = false
    for position in try reader.settlingPositions() {
      let isSettled = try log.event(at: position) { raw in
        if let bare = raw.bare {
          let isConfirmed = applier.erasures.confirm(bare, of: raw.id)
          if !isConfirmed { try applier.note(bare, of: raw.id, at: position) }
          return isConfirmed
        }
        if raw.isMissing { return false }
        try applier.apply(raw)
        isChanged = true
        return true
      }
      guard isSettled ?? true else { continue }
      try connection.execute("DELETE FROM settling WHERE position = ?1") {
        $0.bind(1, Int64(clamping: position.rawValue))
      }
    }
    guard isChanged else { return }
    checkpoint.add(applier)
    try checkpoint.write(connection)
    try applier.writeSweep()
    // The checkpoint's place is the same, but no longer what it stands for.
    try connection.execute("UPDATE checkpoint SET digest = NULL, digest_position = NULL")
    try connection.execute("DELETE FROM plan")
  }
}

extension ProjectionReader {
  /// How many redacted events no held erasure confirms.
  ///
  /// - Complexity: O(unconfirmed events).
  package func settlingCount() throws -> Int {
    let count = try connection.integer("SELECT count(*) FROM settling WHERE erasure IS NOT NULL")
    return Int(clamping: count ?? 0)
  }

  /// Of how many events only the ID is known.
  ///
  /// - Complexity: O(unconfirmed events).
  package func missingCount() throws -> Int {
    let count = try connection.integer("SELECT count(*) FROM settling WHERE erasure IS NULL")
    return Int(clamping: count ?? 0)
  }

  /// The positions of the events of which only the ID is known, ascending.
  package func missingPositions() throws -> [Position] {
    try positions("SELECT position FROM settling WHERE erasure IS NULL ORDER BY position")
  }

  /// The unconfirmed events' positions, ascending.
  func settlingPositions() throws -> [Position] {
    try positions("SELECT position FROM settling ORDER BY position")
  }

  private func positions(_ query: String) throws -> [Position] {
    let rows = try connection.prepare(query)
    var settling: [Position] = []
    while try rows.step() { settling.append(try rows.position(0)) }
    return settling
  }
}

extension SQLiteProjections: HeldErasures {
  package func confirm(_ bare: BareContent, of event: EventID) throws -> Bool {
    try readSynchronously { try KnownErasures($0.connection).confirm(bare, of: event) }
  }

  /// Notes the event too, so that its payload is applied by the next sweep, whatever happens to
  /// this process.
  package func permitRestoring(
    _ payload: [UInt8], to bare: BareContent, of event: EventID, at position: Position
  ) throws -> Bool {
    let isCovered = try readSynchronously {
      try KnownErasures($0.connection).covers(payload, of: event)
    }
    guard !isCovered else { return false }
    try current().perform { connection in
      try connection.transaction(.immediate) {
        try EventApplier(connection).note(bare, of: event, at: position)
      }
    }
    return true
  }
}

extension EventLog {
  /// An event with its ID where that is known: where the event behind it, if its content is there,
  /// follows from it.
  func vouching(_ event: DamagedEvent) throws -> DamagedEvent {
    guard event.id == nil else { return event }
    var held: EventID?
    var isVouched = false
    try scan(branch: event.branch, from: event.sequence) { raw in
      guard let id = held else {
        held = raw.id
        return true
      }
      isVouched =
        EventChain.id(
          sequence: raw.sequence, timestamp: raw.id.timestamp, previous: id, payload: raw.digest)
        == raw.id
      return false
    }
    return DamagedEvent(
      position: event.position, branch: event.branch, sequence: event.sequence,
      id: isVouched ? held : nil)
  }

  /// Calls `body` with the event at a position; nil where there is none.
  func event<T>(at position: Position, _ body: (RawEvent) throws -> T?) throws -> T? {
    var value: T?
    try scan(after: position.previous) { event in
      if event.position == position { value = try body(event) }
      return false
    }
    return value
  }
}
