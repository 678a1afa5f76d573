internal import CarillonModel
internal import Foundation

/// Called now and then with the events visited and those to visit, as far as known.
package typealias BuildProgress = @Sendable (_ done: UInt64, _ total: UInt64) -> Void

/// Makes a projection file from the whole log, in one transaction on a connection for bulk work.
struct ProjectionBuild {
  /// Which events are applied.
  enum Scope {
    /// All, also those that come while it builds.
    case everything
    /// Those up to a position.
    case through(Position)
    /// Those whose timestamp's millisecond is at or before an instant.
    case until(Instant)
  }

  let log: any EventReader
  let scope: Scope
  let progress: BuildProgress
  let cancellation: CancellationFlag

  /// How often the build goes after what was appended meanwhile; the first query does the rest.
  private static let maxRounds = 8

  /// Applies the events to empty tables and makes the file one that can serve.
  ///
  /// - Returns: How many events were applied.
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

  private func end() throws -> Position {
    let last = try log.lastPosition()
    if case .through(let position) = scope { return min(position, last) }
    return last
  }

  private func apply(
    through end: Position, _ applier: EventApplier, _ checkpoint: inout Checkpoint
  ) throws -> UInt64 {
    var count: UInt64 = 0
    try EventPipeline(log).forEachBatch(after: checkpoint.position, through: end) { batch in
      for event in batch {
        if includes(event.id) {
          try applier.apply(event)
          count += 1
        } else if case .dataErased(let erasure)? = event.payload {
          // What was erased since is erased at every moment.
          try event.withRaw { try applier.cover(erasure, $0) }
        }
        checkpoint.position = event.position
        checkpoint.event = event.id
      }
      try cancellation.check()
      progress(checkpoint.position.rawValue, end.rawValue)
    }
    return count
  }

  private func includes(_ event: EventID) -> Bool {
    guard case .until(let instant) = scope else { return true }
    return event.timestamp.milliseconds <= instant.milliseconds
  }
}
