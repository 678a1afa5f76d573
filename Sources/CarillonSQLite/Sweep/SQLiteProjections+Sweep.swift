internal import CarillonModel

/// Removes payloads from the log that an erasure covers.
///
/// Applying events records in the projection file where such payloads may be, and a sweep processes
/// these ranges of the log. The records are removed only when the sweep has finished, so a crash
/// loses nothing.
extension SQLiteProjections {
  /// Whether a sweep is due, according to the applied events; false if no file is open.
  ///
  /// - Complexity: O(1).
  package func isSweepDue() throws -> Bool {
    guard files.allowsWriting, isOpen else { return false }
    return try current().perform {
      try $0.integer(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM sweep) OR EXISTS (SELECT 1 FROM unconfirmed)") != nil
    }
  }

  /// Applies the restored payloads of unconfirmed events, then erases covered payloads from the
  /// log.
  ///
  /// Several processes may sweep at the same time. If nothing can be written, nothing is done.
  ///
  /// - Returns: The number of payloads that were erased.
  /// - Throws: `ProjectionError`; `LogError` from the log; `CancellationError`. Completed work is
  ///   kept, and the next sweep does the rest.
  /// - Complexity: O(events of the due ranges). Memory use is constant.
  package func sweep() async throws -> Int {
    guard files.allowsWriting else { return 0 }
    _ = try await catchUp()
    try await confirm()
    let (ranges, erasures) = try await read {
      (try $0.sweepRanges(), try KnownErasures($0.connection))
    }
    guard let first = ranges.map(\.lowerBound).min(),
      let last = ranges.map(\.upperBound).max()
    else { return 0 }
    var count = 0
    var position = first.previous
    while position < last {
      try Task.checkCancellation()
      let (covered, end) = try coveredPayloads(after: position, through: last, erasures)
      if !covered.isEmpty { count += try await log.erase(covered) }
      guard end > position else { break }
      position = end
    }
    try await repairing { database in
      try await database.perform { try Self.removeRanges(ranges, $0) }
    }
    return count
  }

  /// The maximum number of payloads in one transaction of the log, and of events in one scan of it.
  private static let maxPayloadsPerBatch = 500
  private static let maxEventsPerBatch = 20_000

  /// Returns the next covered payloads, and the position up to which the log was scanned.
  private func coveredPayloads(
    after start: LogPosition, through last: LogPosition, _ erasures: KnownErasures
  ) throws -> (covered: [ErasedPayload], end: LogPosition) {
    var covered: [ErasedPayload] = []
    var (end, count) = (start, 0)
    try log.scan(after: start) { event in
      end = event.position
      count += 1
      if let erasure = erasures.erasure(covering: event) {
        covered.append(ErasedPayload(position: event.position, erasure: erasure))
      }
      return end < last && count < Self.maxEventsPerBatch
        && covered.count < Self.maxPayloadsPerBatch
    }
    return (covered, end)
  }

  private static func removeRanges(
    _ ranges: [ClosedRange<LogPosition>], _ connection: Connection
  ) throws {
    try connection.transaction(.immediate) {
      for range in ranges {
        try connection.execute(
          "DELETE FROM sweep WHERE first = ?1 AND last = ?2", range.lowerBound,
          range.upperBound)
      }
    }
  }
}

extension ProjectionReader {
  /// Returns the ranges of the log that must be swept.
  func sweepRanges() throws -> [ClosedRange<LogPosition>] {
    let rows = try connection.prepare("SELECT first, last FROM sweep")
    var ranges: [ClosedRange<LogPosition>] = []
    while try rows.step() {
      let (first, last) = (try rows.position(0), try rows.position(1))
      guard first <= last else { throw Statement.damagedValue }
      ranges.append(first...last)
    }
    return ranges
  }
}
