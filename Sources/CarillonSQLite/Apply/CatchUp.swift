internal import CarillonModel

/// Applies the log's events after the checkpoint.
struct CatchUp {
  let log: any EventReader

  /// The maximum number of events in one transaction, so that other processes can write in between.
  static let maxEventsPerBatch: UInt64 = 20_000

  /// Applies all events at least up to a position, in as many transactions as necessary.
  ///
  /// Several processes may do this at the same time, because each transaction reads the checkpoint
  /// again.
  func run(_ connection: Connection, through end: LogPosition) throws {
    var position = LogPosition.start
    while position < end {
      let next = try connection.transaction(.immediate) {
        try runBatch(connection, through: end)
      }
      guard next > position else { throw Self.noProgress(position) }
      position = next
    }
  }

  /// The error if the log lacks events that it should have, or if the rows belong to another log.
  static func noProgress(_ position: LogPosition) -> ProjectionError {
    ProjectionError(
      code: .damaged, message: "the projections cannot continue after event \(position.rawValue)")
  }

  /// Applies one batch inside the caller's transaction, and returns the position up to which all
  /// events are applied.
  ///
  /// - Parameter end: The position up to which events are known to exist.
  func runBatch(
    _ connection: Connection, through end: LogPosition = .start
  ) throws -> LogPosition {
    var checkpoint = try Checkpoint(connection)
    let start = checkpoint.position
    let known = end.rawValue > start.rawValue ? end.rawValue - start.rawValue : 0
    var batch = EventBatch(reserving: Int(min(known, Self.maxEventsPerBatch)))
    // The last applied event is visited again: it must be the event that the checkpoint names.
    try log.scanIntact(after: start.previous) { event in
      guard event.position > start else {
        try checkpoint.require(event)
        return true
      }
      batch.append(event)
      return event.position.rawValue - start.rawValue < Self.maxEventsPerBatch
    }
    guard batch.last != nil else { return start }
    batch.sort()
    let applier = try EventApplier(connection)
    try applier.apply(batch)
    checkpoint.move(past: batch)
    checkpoint.add(applier)
    try checkpoint.write(connection)
    try applier.writeSweep()
    return checkpoint.position
  }
}

extension Checkpoint {
  /// Moves the checkpoint to the last event of a batch.
  mutating func move(past batch: EventBatch) {
    guard let last = batch.last else { return }
    position = last.position
    event = last.id
  }

  /// Adds the numbers of events that an applier could not project.
  mutating func add(_ applier: EventApplier) {
    unknownCount += applier.unknownCount
    unreadableCount += applier.unreadableCount
  }

  /// Whether the log holds the checkpoint's event at the checkpoint's position.
  func isOf(_ log: any EventReader) throws -> Bool {
    guard position > .start else { return true }
    var isFound = false
    try log.scan(after: position.previous) { raw in
      isFound = raw.position == position && raw.id == event
      return false
    }
    return isFound
  }

  /// Throws an error if the log has a different event at the checkpoint's position.
  func require(_ raw: RawEvent) throws {
    guard raw.id == event else {
      throw ProjectionError(
        code: .damaged,
        message:
          "the projections belong to another log; event \(raw.position.rawValue) differs")
    }
  }
}

extension LogPosition {
  /// The position before this one; the start has itself.
  var previous: LogPosition { LogPosition(rawValue: rawValue > 0 ? rawValue - 1 : 0) }
}
