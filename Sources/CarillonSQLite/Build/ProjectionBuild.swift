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

  let log: any EventLog
  let scope: Scope
  let progress: BuildProgress
  let cancellation: CancellationFlag

  /// How many events lie between two looks at progress and cancellation.
  private static let eventsPerLook: UInt64 = 8_192
  /// How often the build goes after what was appended meanwhile; the first query does the rest.
  private static let maxRounds = 8

  /// Applies the events to empty tables and makes the file one that can serve.
  ///
  /// - Returns: How many events were applied.
  func run(_ connection: Connection) throws -> UInt64 {
    let applied = try connection.transaction(.immediate) {
      var checkpoint = try Checkpoint(connection)
      let applier = EventApplier(connection)
      var count: UInt64 = 0
      for _ in 0..<Self.maxRounds {
        let end = try end()
        if checkpoint.position >= end { break }
        count += try apply(through: end, applier, &checkpoint)
      }
      checkpoint.add(applier)
      try checkpoint.write(connection)
      return count
    }
    try cancellation.check()
    try connection.execute("PRAGMA journal_mode = WAL")
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
    try log.scan(after: checkpoint.position) { event in
      if includes(event) {
        try applier.apply(event)
        count += 1
      }
      checkpoint.position = event.position
      checkpoint.event = event.id
      if event.position.rawValue.isMultiple(of: Self.eventsPerLook) {
        try cancellation.check()
        progress(event.position.rawValue, end.rawValue)
      }
      return event.position < end
    }
    try cancellation.check()
    progress(checkpoint.position.rawValue, end.rawValue)
    return count
  }

  private func includes(_ event: RawEvent) -> Bool {
    guard case .until(let instant) = scope else { return true }
    return event.id.timestamp.milliseconds <= instant.milliseconds
  }
}
