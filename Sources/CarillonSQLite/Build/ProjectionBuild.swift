internal import CarillonModel
internal import Foundation

/// Called from time to time with the number of visited events and the total, as far as it is known.
package typealias BuildProgress = @Sendable (_ done: UInt64, _ total: UInt64) -> Void

/// Builds a projection file from the whole log, in one transaction on a connection for bulk work.
struct ProjectionBuild {
  /// The events to apply.
  enum Scope {
    /// All events, including those that are appended during the build.
    case everything
    /// The events up to a position.
    case through(LogPosition)
    /// The events whose timestamp, to the millisecond, is at or before an instant.
    case until(Instant)
  }

  let log: any EventReader
  let scope: Scope
  let progress: BuildProgress
  let cancellation: CancellationFlag

  /// The number of times that the build applies newly appended events.
  ///
  /// The first query applies the rest.
  private static let maxRounds = 8

  /// Applies the events to empty tables and prepares the file for use.
  ///
  /// - Returns: The number of applied events.
  func run(_ connection: Connection) throws -> UInt64 {
    let applied = try connection.transaction(.immediate) {
      var checkpoint = try Checkpoint(connection)
      let applier = try EventApplier(connection)
      var count: UInt64 = 0
      for _ in 0..<Self.maxRounds {
        let end = try end()
        if checkpoint.position >= end { break }
        count += try apply(through: end, applier, &checkpoint)
      }
      checkpoint.add(applier)
      try checkpoint.write(connection)
      try applier.writeSweep()
      return count
    }
    try cancellation.check()
    try connection.execute(script: "PRAGMA journal_mode = WAL")
    return applied
  }

  private func end() throws -> LogPosition {
    let last = try log.lastPosition()
    if case .through(let position) = scope { return min(position, last) }
    return last
  }

  private func apply(
    through end: LogPosition, _ applier: EventApplier, _ checkpoint: inout Checkpoint
  ) throws -> UInt64 {
    var count: UInt64 = 0
    let pipeline = EventPipeline(log, until: moment)
    try pipeline.forEachBatch(after: checkpoint.position, through: end) { batch in
      try applier.apply(batch)
      count += UInt64(batch.count)
      checkpoint.move(past: batch)
      try cancellation.check()
      progress(checkpoint.position.rawValue, end.rawValue)
    }
    return count
  }

  private var moment: Instant? {
    if case .until(let instant) = scope { instant } else { nil }
  }
}
