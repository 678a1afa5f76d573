package import CarillonModel
internal import CarillonWire

/// Handles events whose content is missing or damaged, and redacted events that no held erasure
/// confirms.
///
/// Such an event has no effect until a peer supplies its payload or an erasure confirms its
/// redaction. A payload is then applied late, with the same rows as if it had always been present.
extension SQLiteProjections {
  /// Returns the events whose payloads a sync asks for.
  ///
  /// - Returns: The events in order of arrival, each with its ID unless the ID may be damaged.
  /// - Throws: `ProjectionError`; `LogError` from the log.
  /// - Complexity: O(events not applied yet + erasures + unconfirmed events × log events).
  package func unconfirmedEvents() async throws -> [DamagedEvent] {
    try await read { reader in
      let erasures = try KnownErasures(reader.connection)
      return try reader.unconfirmedPositions().compactMap { position in
        let event = try self.log.event(at: position) { raw -> DamagedEvent? in
          let isIncomplete = raw.redacted.map { !erasures.confirm($0, of: raw.id) } ?? raw.isMissing
          guard isIncomplete else { return nil }
          return DamagedEvent(
            position: position, branch: raw.branch, sequence: raw.sequence,
            id: raw.isMissing ? nil : raw.id)
        }
        return try event.map(self.kept.vouching)
      }
    }
  }

  /// Returns the digest of the state, after applying restored payloads.
  package func confirmedDigest() async throws -> StateDigest {
    try await confirm()
    return try await read { try $0.stateDigest() }
  }

  /// Applies restored payloads, and removes confirmed events from the unconfirmed ones.
  func confirm() async throws {
    let isDue = try await read { try !$0.unconfirmedPositions().isEmpty }
    guard isDue else { return }
    try await repairing { database in
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
    for position in try reader.unconfirmedPositions() {
      let isAnswered = try log.event(at: position) { raw in
        if let redacted = raw.redacted {
          let isConfirmed = applier.erasures.confirm(redacted, of: raw.id)
          if !isConfirmed { try applier.note(redacted, of: raw.id, at: position) }
          return isConfirmed
        }
        if raw.isMissing { return false }
        var batch = EventBatch()
        batch.append(raw)
        try applier.apply(batch)
        isChanged = true
        return true
      }
      guard isAnswered ?? true else { continue }
      try connection.execute("DELETE FROM unconfirmed WHERE position = ?1", position)
    }
    guard isChanged else { return }
    checkpoint.add(applier)
    try checkpoint.write(connection)
    try applier.writeSweep()
    // The checkpoint's position is the same, but the state at that position has changed.
    try connection.execute("UPDATE checkpoint SET digest = NULL, digest_position = NULL")
    try connection.execute("DELETE FROM plan")
  }
}

extension ProjectionReader {
  /// Returns the number of redacted events that no held erasure confirms.
  ///
  /// - Complexity: O(unconfirmed events).
  package func unconfirmedCount() throws -> Int {
    let count = try connection.integer("SELECT count(*) FROM unconfirmed WHERE erasure IS NOT NULL")
    return Int(clamping: count ?? 0)
  }

  /// Returns the number of events without effect: of `missing` events only the ID is known, and the
  /// content of `damaged` events does not hash to their IDs.
  ///
  /// - Complexity: O(such events × log events).
  package func contentlessCounts() throws -> (missing: Int, damaged: Int) {
    var counts = (missing: 0, damaged: 0)
    for position in try connection.missingPositions() {
      // An event that a sync has restored will be applied soon and is neither.
      guard try log.event(at: position, { $0.isMissing }) == true else { continue }
      try log.scan(after: position.previous) { event in
        if event.isMissing { counts.missing += 1 } else { counts.damaged += 1 }
        return false
      }
    }
    return counts
  }

  /// Returns the positions of the events that were applied as their IDs only, because they are
  /// missing or damaged, in ascending order.
  package func missingPositions() throws -> [LogPosition] {
    try connection.missingPositions()
  }

  /// Returns the positions of the unconfirmed events in ascending order.
  func unconfirmedPositions() throws -> [LogPosition] {
    try connection.positions("SELECT position FROM unconfirmed ORDER BY position")
  }
}

extension Connection {
  /// Returns the positions of the events that were applied as their IDs only, in ascending order.
  func missingPositions() throws -> [LogPosition] {
    try positions("SELECT position FROM unconfirmed WHERE erasure IS NULL ORDER BY position")
  }

  fileprivate func positions(_ sql: String) throws -> [LogPosition] {
    let rows = try prepare(sql)
    var positions: [LogPosition] = []
    while try rows.step() { positions.append(try rows.position(0)) }
    return positions
  }
}

extension SQLiteProjections: HeldErasures {
  package func confirm(_ redacted: RedactedContent, of event: EventID) throws -> Bool {
    try readSynchronously { try KnownErasures($0.connection).confirm(redacted, of: event) }
  }

  /// Also records the event, so that the next sweep applies its payload even if this process ends.
  package func permitRestoring(
    _ payload: [UInt8], to redacted: RedactedContent, of event: EventID, at position: LogPosition
  ) throws -> Bool {
    let isCovered = try readSynchronously {
      try KnownErasures($0.connection).covers(payload, of: event)
    }
    guard !isCovered else { return false }
    try current().perform { connection in
      try connection.transaction(.immediate) {
        try EventApplier(connection).note(redacted, of: event, at: position)
      }
    }
    return true
  }
}

extension EventReader {
  /// Returns an event with its ID if the ID is confirmed: if the next event has its content and
  /// follows from this ID.
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

  /// Calls `body` with the event at a position, with only its ID if it is damaged; returns nil if
  /// there is no event.
  func event<T>(at position: LogPosition, _ body: (RawEvent) throws -> T?) throws -> T? {
    var value: T?
    try scanIntact(after: position.previous) { event in
      if event.position == position { value = try body(event) }
      return false
    }
    return value
  }
}
