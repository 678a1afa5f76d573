public import CarillonModel
import CarillonSQLite

/// How far a rebuild is.
public struct RebuildProgress: Hashable, Sendable {
  /// Events applied.
  public let done: UInt64
  /// Events to apply, as far as known.
  public let total: UInt64
}

/// What a rebuild did.
public struct RebuildReport: Hashable, Sendable {
  /// How many events were applied.
  public let events: UInt64
  /// How many of them are damaged in the log, and so show nothing.
  public let damagedEventCount: Int
  /// How long it took.
  public let duration: Duration
  /// What the rows come to.
  public let stateDigest: StateDigest
}

/// The first difference between the projection that serves and a fresh one.
public struct ProjectionDifference: Hashable, Sendable {
  /// The table's name.
  public let table: String
  /// The key of the row, as text.
  public let key: String
}

extension Store {
  /// Builds the projections anew from the log, beside those that serve, and puts them in their
  /// place when they are complete.
  ///
  /// Cancelling the task leaves everything as it was.
  ///
  /// - Complexity: O(events).
  public func rebuild(
    _ progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> RebuildReport {
    try await translatingErrors {
      let clock = ContinuousClock()
      let start = clock.now
      let events = try await self.projections.rebuild { done, total in
        progress(RebuildProgress(done: done, total: total))
      }
      let (digest, damaged) = try await self.projections.read {
        (try $0.stateDigest(), try $0.contentlessCounts().damaged)
      }
      return RebuildReport(
        events: events, damagedEventCount: damaged, duration: clock.now - start,
        stateDigest: digest)
    }
  }

  /// Builds the projections beside those that serve and compares all rows, and the kept plan with a
  /// new one; changes nothing.
  ///
  /// Where no file can be made beside, for want of room or of the right to write, they are built in
  /// memory.
  ///
  /// - Returns: The first table and key that differ, or nil.
  public func checkProjections(
    _ progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> ProjectionDifference? {
    try await translatingErrors {
      try await self.projections.check(
        { done, total in progress(RebuildProgress(done: done, total: total)) },
        plan: { try Self.plan($0, $1) }
      ).map { ProjectionDifference(table: $0.table, key: $0.key) }
    }
  }

  /// How many events are damaged in the log, and so show nothing.
  package func damagedEventCount() async throws -> Int {
    try await read { try $0.reader.contentlessCounts().damaged }
  }

  /// What the state's digest was at a moment; what is served stays.
  ///
  /// It is that of the events whose timestamp's millisecond is at or before the moment; `damaged`
  /// of them are damaged in the log, and so show nothing.
  public func stateDigest(asOf moment: Instant) async throws -> (
    events: UInt64, damaged: Int, digest: StateDigest
  ) {
    try await translatingErrors { try await self.projections.digest(until: moment) }
  }
}
