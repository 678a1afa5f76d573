internal import CarillonModel

/// Applies what the log has beyond the checkpoint.
struct CatchUp {
  let log: any EventReader

  /// The most events of one transaction: others may write in between.
  static let maxEventsPerBatch: UInt64 = 20_000

  /// Applies all events up to a position or beyond, in as many transactions as that takes.
  ///
  /// Several processes may do it at once: each transaction reads the checkpoint anew.
  func run(_ connection: Connection, through end: Position) throws {
    var position = Position.start
    while position < end {
      let next = try connection.transaction(.immediate) { try runBatch(connection) }
      guard next > position else { throw Self.noProgress(position) }
      position = next
    }
  }

  /// The log does not hold what it says it holds, or the rows are of another log.
  static func noProgress(_ position: Position) -> ProjectionError {
    ProjectionError(
      code: .damaged, message: "the projections cannot go on after event \(position.rawValue)")
  }

  /// Applies one batch inside the caller's transaction, and says up to where all is applied.
  func runBatch(_ connection: Connection) throws -> Position {
    var checkpoint = try Checkpoint(connection)
    let applier = try EventApplier(connection)
    let start = checkpoint.position
    // The last event applied is visited again: it must be the one that the checkpoint names.
    try log.scanIntact(after: start.previous) { event in
      guard event.position > start else {
        try checkpoint.require(event)
        return true
      }
      try applier.apply(event)
      checkpoint.position = event.position
      checkpoint.event = event.id
      return event.position.rawValue - start.rawValue < Self.maxEventsPerBatch
    }
    if checkpoint.position > start {
      checkpoint.add(applier)
      try checkpoint.write(connection)
      try applier.writeSweep()
    }
    return checkpoint.position
  }
}

extension Checkpoint {
  /// Counts what an applier could not project.
  mutating func add(_ applier: EventApplier) {
    unknownCount += applier.unknownCount
    unreadableCount += applier.unreadableCount
  }

  /// Whether the log holds, at the checkpoint's position, the event that was applied there.
  func isOf(_ log: any EventReader) throws -> Bool {
    guard position > .start else { return true }
    var isFound = false
    try log.scan(after: position.previous) { raw in
      isFound = raw.position == position && raw.id == event
      return false
    }
    return isFound
  }

  /// Refuses a log that has another event at the checkpoint's position.
  func require(_ raw: RawEvent) throws {
    guard raw.id == event else {
      throw ProjectionError(
        code: .damaged,
        message:
          "the projections were made from another log; event \(raw.position.rawValue) differs")
    }
  }
}

extension Position {
  /// The place before this one; the start's is the start.
  var previous: Position { Position(rawValue: rawValue > 0 ? rawValue - 1 : 0) }
}
