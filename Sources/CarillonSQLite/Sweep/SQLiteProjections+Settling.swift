package import CarillonModel
internal import CarillonWire

/// Redacted events that no held erasure confirms.
///
/// They say nothing until one does, or until somebody gives back the payload, which is then applied
/// late: the rows are the same as if it had been there at once.
extension SQLiteProjections {
  /// The unconfirmed redacted events: those whose payloads a sync asks for.
  ///
  /// - Returns: In order of arrival; each with its ID.
  /// - Throws: `ProjectionError`; `LogError` from the log.
  /// - Complexity: O(events not applied yet + erasures + unconfirmed events × log events).
  package func settlingEvents() async throws -> [DamagedEvent] {
    try await read { reader in
      let erasures = try KnownErasures(reader.connection)
      return try reader.settlingPositions().compactMap { position in
        try self.log.event(at: position) { raw in
          guard let bare = raw.bare, !erasures.confirm(bare, of: raw.id) else { return nil }
          return DamagedEvent(
            position: position, branch: raw.branch, sequence: raw.sequence, id: raw.id)
        }
      }
    }
  }

  /// Applies the payloads that came back, and forgets events that are confirmed.
  func settle() async throws {
    let isDue = try await read { try $0.settlingCount() > 0 }
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
        if let bare = raw.bare { return applier.erasures.confirm(bare, of: raw.id) }
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
    Int(clamping: try connection.integer("SELECT count(*) FROM settling") ?? 0)
  }

  /// The unconfirmed events' positions, ascending.
  func settlingPositions() throws -> [Position] {
    let rows = try connection.prepare("SELECT position FROM settling ORDER BY position")
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
